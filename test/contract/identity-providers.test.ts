// Tests sign-in with an identity provider: which responses of a provider are accepted, for which users, and how long.
import { generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { request } from "undici";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { inTransaction } from "../../service/store/transaction.ts";
import { startIssuer, type TestIssuer } from "../support/oidc-issuer.ts";
import { issuerClient } from "../support/oidc-sign-in.ts";
import { Browser, invite } from "../support/sign-in.ts";
import { password, useSignInSessions } from "../support/sign-in-sessions.ts";
import { respondJson, startStubServer } from "../support/stub-server.ts";

let issuer: TestIssuer;
const { service, refresh, deviceTokens, me } = useSignInSessions();

const providers = "/api/v1/identity-providers";
const verified = { sub: "4711", email: "EVA@example.com", email_verified: true };
let providerId = 0;
let byPassword: Browser;

beforeAll(async () => {
  issuer = await startIssuer();
  const { url } = await invite(service(), { username: "eva", isAdmin: true });
  byPassword = new Browser(service().url);
  await byPassword.setPassword(url, password);
  const body = {
    name: "acme",
    displayName: "Acme <SSO>",
    issuer: issuer.url,
    ...issuerClient,
    emailDomains: ["example.com"],
  };
  const created = await service().send("POST", providers, { body });
  const redirectUri = `${service().url}/auth/providers/acme/callback`;
  expect(created).toMatchObject({ status: 200, body: { redirectUri } });
  expect(created.text).not.toContain(issuerClient.clientSecret);
  providerId = (created.body as { id: number }).id;
});
afterAll(() => issuer.close());
beforeEach(() => says({}));

/** Sets the claims in the provider's next answers. */
function says(claims: object, person: Partial<TestIssuer["person"]> = {}): void {
  Object.assign(issuer.person, { iss: issuer.url, information: {}, forge: undefined, ...person });
  issuer.person.claims = { ...verified, ...claims };
}

const pathOf = (address: string) => new URL(address).pathname + new URL(address).search;

/** Goes to the provider and returns the path of the callback to which it sends the browser. */
async function callback(browser: Browser, next = "/auth", name = "acme"): Promise<string> {
  const path = `/auth/providers/${name}?next=${encodeURIComponent(next)}`;
  const { headers, status, text } = await browser.get(path);
  expect([status, text]).toEqual([303, ""]);
  const { headers: answer } = await request(String(headers.location));
  return pathOf(String(answer.location));
}

const isSignedIn = async (browser: Browser) => (await browser.get("/auth")).status === 200;

async function refused(text: string, path?: string, browser = new Browser(service().url)) {
  const page = await browser.get(path ?? (await callback(browser)));
  expect(page).toMatchObject({ status: 400, text: expect.stringContaining(text) });
  expect(await isSignedIn(browser)).toBe(false);
}

it("is refused with an issuer of many organizations, also by a change", async () => {
  const of = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`;
  const body = { name: "entra", ...issuerClient, issuer: of(crypto.randomUUID()) };
  const created = await service().send("POST", providers, { body });
  expect(created.status).toBe(200);
  const { id } = created.body as { readonly id: number };
  for (const tenant of ["common", "organizations", "consumers"]) {
    const shared = { ...body, name: tenant, issuer: of(tenant) };
    const refusals = [
      await service().send("POST", providers, { body: shared }),
      await service().send("PATCH", `${providers}/${id}`, { body: shared }),
    ];
    for (const { status, text } of refusals) {
      expect([status, text]).toEqual([400, expect.stringContaining("many organizations")]);
    }
  }
  await service().send("DELETE", `${providers}/${id}`);
});

it("is offered on the sign-in page, signs in a user by a verified email, and continues", async () => {
  const browser = new Browser(service().url);
  const page = await browser.get("/auth/sign-in?next=/auth/device");
  expect(page.text).toContain(
    '<a class="button" href="/auth/providers/acme?next=%2Fauth%2Fdevice">Sign in with Acme &lt;SSO&gt;</a>',
  );
  const path = await callback(browser, "/auth/device?user_code=BCDF-GHJK");
  const { status, headers } = await browser.get(path);
  expect([status, headers.location]).toEqual([303, "/auth/device?user_code=BCDF-GHJK"]);
  expect((await browser.get("/auth")).text).toContain("eva");
  const tokens = await deviceTokens(browser);
  const own = await deviceTokens(byPassword);
  expect((await me(tokens.access_token)).body).toMatchObject({ username: "eva" });
  // The settings decide who can sign in, so changing them ends the session and its tokens.
  const { clientId, clientSecret } = issuerClient;
  const same = { issuer: issuer.url, clientId, clientSecret, emailDomains: ["example.com"] };
  const rename = { body: { displayName: "Acme", ...same, claims: [] } };
  expect((await service().send("PATCH", `${providers}/${providerId}`, rename)).status).toBe(200);
  expect(await isSignedIn(browser)).toBe(true);
  expect((await me(tokens.access_token)).status).toBe(200);
  const narrow = { body: { claims: [{ name: "department", value: "analy*" }] } };
  await service().send("PATCH", `${providers}/${providerId}`, narrow);
  expect(await isSignedIn(browser)).toBe(false);
  expect((await me(tokens.access_token)).status).toBe(401);
  expect((await refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
  expect((await me(own.access_token)).status).toBe(200);
  await refused("lacks a claim");
  says({ department: ["sales", "analytics"] });
  expect((await browser.get(await callback(browser))).status).toBe(303);
  await service().send("PATCH", `${providers}/${providerId}`, { body: { claims: null } });
});

it("deletes its tokens when it is deleted, and the audit log names it", async () => {
  const second = { ...issuerClient, name: "second", issuer: issuer.url };
  const created = await service().send("POST", providers, { body: second });
  const browser = new Browser(service().url);
  expect((await browser.get(await callback(browser, "/auth", "second"))).status).toBe(303);
  const { access_token: key } = await deviceTokens(browser);
  expect((await byPassword.signIn("eva", `not ${password}`)).status).toBe(400);
  expect((await byPassword.signIn("eva", password)).status).toBe(303);
  const path = "/api/v1/audit-logs?eventName=signIn&userEmail=eva@example.com&first=2";
  const { items } = (await service().send("GET", path)).body as { items: unknown[] };
  const user = { username: "eva", objectType: "sign-ins" };
  expect(items).toMatchObject([
    { ...user, after: { method: "password" } },
    { ...user, after: { identityProvider: "second" } },
  ]);
  await service().send("DELETE", `${providers}/${(created.body as { id: number }).id}`);
  expect(await isSignedIn(browser)).toBe(false);
  expect((await me(key)).status).toBe(401);
});

it("may say the email in the user information alone", async () => {
  const { email, email_verified } = verified;
  const information = { email, email_verified };
  says({ email: undefined, email_verified: undefined }, { information });
  const browser = new Browser(service().url);
  expect((await browser.get(await callback(browser))).status).toBe(303);
  // Claims of the ID token take priority, and the user information adds claims that the account requires.
  says({}, { information: { email: "other@example.com", department: "sales" } });
  const path = `${providers}/${providerId}`;
  const claims = [{ name: "department", value: "sales" }];
  await service().send("PATCH", path, { body: { claims } });
  const second = new Browser(service().url);
  expect((await second.get(await callback(second))).status).toBe(303);
  expect((await second.get("/auth")).text).toContain("eva");
  says({ department: "support" }, { information: { department: "sales" } });
  await refused("lacks a claim");
  await service().send("PATCH", path, { body: { claims: null } });
  // One source cannot verify the email of the other.
  says({ email_verified: undefined }, { information: { email: "x@y.z", email_verified: true } });
  await refused("not verified");
  says({ email: undefined }, { information: { email, email_verified: undefined } });
  await refused("not verified");
  says({ email_verified: undefined }, { information });
  expect((await browser.get(await callback(browser))).status).toBe(303);
  // Claims about another subject are refused.
  says({ email: undefined }, { information: { ...information, sub: "other" } });
  await refused("not valid");
});

it.each<readonly [string, object, string]>([
  ["an email that is not verified", { email_verified: false }, "not verified"],
  ["an email that the provider says nothing about", { email_verified: undefined }, "not verified"],
  ["no email", { email: undefined }, "did not send your email"],
  ["an email of another domain", { email: "eva@example.com.evil.example" }, "may not sign in"],
  ["an email that no user has", { email: "stranger@example.com" }, "no active user"],
  ["an expired token", { exp: Math.floor(Date.now() / 1000) - 61 }, "not valid"],
  ["a token of another issuer", { iss: "https://evil.example" }, "not valid"],
  ["a token for another client", { aud: "other" }, "not valid"],
  ["a token of another sign-in", { nonce: "other" }, "not valid"],
  ["a token without the nonce", { nonce: undefined }, "not valid"],
])("refuses %s", async (_, claims, text) => {
  says(claims);
  await refused(text);
});

it("refuses a token without a signature, with a shared secret, or of a foreign key", async () => {
  const foreign = await generateKeyPair("RS256");
  const complete = (claims: object) => {
    const now = Math.floor(Date.now() / 1000);
    return { iss: issuer.url, iat: now, exp: now + 300, ...claims };
  };
  const kid = issuer.published[0]?.kid ?? "";
  const forgeries = [
    async (claims: object) => new UnsecuredJWT(complete(claims)).encode(),
    async (claims: object) =>
      new SignJWT(complete(claims))
        .setProtectedHeader({ alg: "HS256", kid })
        .sign(Buffer.from(issuerClient.clientSecret)),
    async (claims: object) =>
      new SignJWT(complete(claims))
        .setProtectedHeader({ alg: "RS256", kid })
        .sign(foreign.privateKey),
  ];
  for (const forge of forgeries) {
    says({}, { forge });
    await refused("not valid");
  }
});

it("refuses answers that are replayed, stolen, mixed up, late or an error", async () => {
  const browser = new Browser(service().url);
  const path = await callback(browser);
  // An attacker sends the victim's browser to the callback with the attacker's answer.
  await refused("another browser", path);
  expect((await browser.get(path)).status).toBe(303);
  await browser.post("/auth/sign-out", {});
  await refused("was used", path, browser);
  await refused("was used", "/auth/providers/acme/callback?code=x&state=unknown");
  // Of two concurrent answers, only one counts.
  const twice = await callback(browser);
  const answers = await Promise.all([browser.get(twice), browser.get(twice)]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400]);
  await browser.post("/auth/sign-out", {});
  for (const iss of ["https://evil.example", undefined]) {
    says({}, { iss });
    await refused("not valid", await callback(browser), browser);
  }
  says({});
  const stolen = new URLSearchParams((await callback(new Browser(service().url))).split("?")[1]);
  const own = await callback(browser);
  const injected = own.replace(/code=[^&]*/, `code=${stolen.get("code") ?? ""}`);
  await refused("invalid_grant", injected, browser);
  const denied = (await callback(browser)).replace(/code=[^&]*/, "error=access_denied");
  await refused("access_denied", denied, browser);
  // The answer of the first provider goes to another provider of the account.
  const other = { ...issuerClient, name: "other", issuer: `${issuer.url}/other` };
  const { body } = await service().send("POST", providers, { body: other });
  const mixed = (await callback(browser)).replace("/acme/", "/other/");
  await refused("was started in another browser", mixed, browser);
  const unmatched = await browser.get("/auth/providers/other");
  expect(unmatched).toMatchObject({ status: 409, text: expect.stringContaining("not valid") });
  await service().send("DELETE", `${providers}/${(body as { id: number }).id}`);
  const late = await callback(browser);
  await inTransaction(service().db, (tx) =>
    tx
      .updateTable("oauth_records")
      .set({ expires_at: new Date().toISOString() })
      .where("model", "=", "ExternalSignIn")
      .execute(),
  );
  await refused("expired", late, browser);
});

it("signs in neither deactivated nor embed users", async () => {
  const { id } = await invite(service(), { username: "gone", isAdmin: false });
  await service().send("PUT", `/api/v1/users/${id}`, { body: { isDeactivated: true } });
  const session = { deploymentId: 1, externalId: "ext", email: "ext@example.com" };
  await service().send("POST", "/api/v1/embed/generate-session", { body: session });
  for (const email of ["gone@example.com", "ext@example.com"]) {
    says({ email });
    await refused("no active user");
  }
});

it("is reached where the operator's rules allow it, and gets its own secret alone", async () => {
  const path = `${providers}/${providerId}`;
  const moved = await service().send("PATCH", path, { body: { issuer: "https://10.0.0.1" } });
  expect(moved).toMatchObject({ status: 400, text: expect.stringContaining("clientSecret") });
  const issuers = [
    ["https://10.0.0.1", "private address"],
    ["http://10.0.0.1", "plain HTTP"],
    [`${issuer.url}/nothing`, "not valid"],
  ] as const;
  for (const [at, text] of issuers) {
    await service().send("PATCH", path, { body: { issuer: at, clientSecret: "x" } });
    const page = await new Browser(service().url).get("/auth/providers/acme");
    expect(page.text).toContain(text);
  }
  const limited = { body: { name: "limited", permissions: ["TenantSettingsManage"] } };
  const created = await service().send("POST", "/api/v1/api-keys", limited);
  const { token: key } = created.body as { token: string };
  const body = { clientId: "mine" };
  expect((await service().send("PATCH", path, { key, body })).status).toBe(403);
  expect((await service().send("DELETE", path, { key })).status).toBe(403);
  expect((await service().send("DELETE", path)).status).toBe(204);
  const page = await new Browser(service().url).get("/auth/providers/acme");
  expect(page.status).toBe(404);
});

it.each<readonly [string, number, number, string]>([
  ["a description without a page for people", 200, 409, "does not describe where users"],
  ["no description", 404, 409, "not valid"],
  ["a failure of the moment", 503, 503, "answers 503; try again"],
])("says whether another try can help: %s", async (_, answer, status, text) => {
  const stub = await startStubServer((_request, response) =>
    respondJson(response, { issuer: stub.url }, { status: answer }),
  );
  const body = { ...issuerClient, name: "described", issuer: stub.url };
  const created = await service().send("POST", providers, { body });
  const page = await new Browser(service().url).get("/auth/providers/described");
  expect(page).toMatchObject({ status, text: expect.stringContaining(text) });
  await service().send("DELETE", `${providers}/${(created.body as { id: number }).id}`);
});
