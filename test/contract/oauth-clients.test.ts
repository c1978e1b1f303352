// The OAuth clients that an account registers: their secrets, scopes, codes, approvals and device codes.
import { createHash, randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { inTransaction } from "../../service/store/transaction.ts";
import { type Browser, postForm } from "../support/sign-in.ts";
import { password, type Tokens, useSignInSessions } from "../support/sign-in-sessions.ts";

const { service, form, poll, refresh, signedIn, me } = useSignInSessions();

const clients = "/api/v1/oauth-clients";
const secret = randomBytes(32).toString("base64url");
const redirect_uri = "https://portal.example.com/callback";
const verifier = randomBytes(32).toString("base64url");

async function create(members: object): Promise<string> {
  const created = await service().send("POST", clients, {
    body: { name: "Portal <1>", ...members },
  });
  expect(created.status).toBe(200);
  expect(created.text).not.toContain(secret);
  return `${clients}/${(created.body as { id: number }).id}`;
}

/** Returns the path at which a browser asks for a code. */
function authorization(client_id: string, scope?: string): string {
  const query = new URLSearchParams({
    client_id,
    response_type: "code",
    redirect_uri,
    ...(scope === undefined ? {} : { scope }),
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  return `/auth/oauth2/authorize?${query.toString()}`;
}

/** Asks for a code and approves. Returns what the client gets. */
const askForCode = async (browser: Browser, clientId: string, scope?: string) =>
  new URL(await browser.authorize(authorization(clientId, scope))).searchParams;

const redeem = (client_id: string, code: string | null, used?: string) => {
  const fields = { grant_type: "authorization_code", code: code ?? "", redirect_uri };
  const credential = Buffer.from(`${client_id}:${used ?? ""}`).toString("base64");
  return postForm(
    `${service().url}/auth/oauth2/token`,
    { ...fields, code_verifier: verifier, ...(used === undefined && { client_id }) },
    used === undefined ? {} : { authorization: `Basic ${credential}` },
  );
};

it("gets tokens with its secret, within its scopes, until it is changed or deleted", async () => {
  const { browser } = await signedIn("portal-user");
  const path = await create({
    clientId: "portal",
    clientSecret: secret,
    redirectUris: [redirect_uri],
    scopes: ["DeploymentRead", "SchemaRead"],
  });
  const codeOf = async (scope?: string) => (await askForCode(browser, "portal", scope)).get("code");
  for (const used of [undefined, `${secret}x`]) {
    expect(await redeem("portal", await codeOf(), used)).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
    });
  }
  const tokens = async (scope?: string) => {
    const { status, body } = await redeem("portal", await codeOf(scope), secret);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body as Tokens & { readonly scope: string };
  };
  const all = await tokens();
  expect(all.scope).toBe("DeploymentRead SchemaRead");
  expect((await tokens("SchemaRead")).scope).toBe("SchemaRead");
  for (const scope of ["api", "SchemaRead SchemaUpdate", "Nonsense"]) {
    expect((await askForCode(browser, "portal", scope)).get("error")).toBe("invalid_scope");
  }
  const key = all.access_token;
  expect((await service().send("GET", "/api/v1/deployments", { key })).status).toBe(200);
  expect((await service().send("GET", "/api/v1/users", { key })).status).toBe(403);
  expect((await refresh(all.refresh_token)).status).toBe(400);
  // Neither a change of the name nor unchanged values end the tokens.
  const same = { clientSecret: secret, redirectUris: [redirect_uri], allowsDevices: false };
  const renamed = { ...same, name: "Renamed", scopes: ["DeploymentRead", "SchemaRead"] };
  await service().send("PATCH", path, { body: renamed });
  expect((await me(key)).status).toBe(200);
  await service().send("PATCH", path, { body: { scopes: ["DeploymentRead"] } });
  expect((await me(key)).status).toBe(401);
  const later = await tokens();
  await service().send("PATCH", path, { body: { clientSecret: null } });
  expect((await me(later.access_token)).status).toBe(401);
  const { body } = await redeem("portal", await codeOf());
  expect((await me((body as Tokens).access_token)).status).toBe(200);
  expect((await service().send("DELETE", path)).status).toBe(204);
  expect((await me((body as Tokens).access_token)).status).toBe(401);
  expect((await form("/auth/device/code", { client_id: "portal" })).status).toBe(401);
});

it("gets tokens from a page at the origin of a redirect URI, and of no other", async () => {
  await create({ clientId: "page", redirectUris: [redirect_uri] });
  await create({ clientId: "local", redirectUris: ["http://127.0.0.1/"] });
  const allowed = async (client_id: string, origin: string) => {
    const fields = { client_id, grant_type: "refresh_token", refresh_token: "unknown" };
    const response = await postForm(`${service().url}/auth/oauth2/token`, fields, { origin });
    return response.headers["access-control-allow-origin"];
  };
  for (const [client, origin] of [
    ["page", "https://portal.example.com"],
    ["local", "http://127.0.0.1:9480"],
  ] as const) {
    expect(await allowed(client, origin)).toBe(origin);
  }
  for (const [client, origin] of [
    ["page", "https://portal.example.com:8443"],
    ["page", "http://portal.example.com"],
    ["page", "http://127.0.0.1:9480"],
    ["local", "https://127.0.0.1:9480"],
    ["local", "http://127.0.0.2"],
    ["local", "null"],
  ] as const) {
    expect([client, origin, await allowed(client, origin)]).toEqual([client, origin, undefined]);
  }
});

it("gets a code of who is signed in, and asks for a sign-in after a sign-out", async () => {
  const { browser, user } = await signedIn("first-user");
  const { user: second } = await signedIn("second-user");
  const path = await create({ clientId: "shared", redirectUris: [redirect_uri] });
  const userOfCode = async () => {
    const code = (await askForCode(browser, "shared")).get("code");
    const { access_token: key } = (await redeem("shared", code)).body as Tokens;
    return (await me(key)).body;
  };
  expect(await userOfCode()).toMatchObject({ id: user.id });
  await browser.post("/auth/sign-out", {});
  const started = await browser.get(authorization("shared"));
  expect(started.headers.location).toMatch(/^\/auth\/authorize\//);
  const answer = await browser.get(String(started.headers.location));
  expect(answer.headers.location).toMatch(/^\/auth\/sign-in\?/);
  expect((await browser.signIn("second-user", password)).status).toBe(303);
  expect(await userOfCode()).toMatchObject({ id: second.id });
  // Another user may sign in without a sign-out.
  expect((await browser.signIn("first-user", password)).status).toBe(303);
  expect(await userOfCode()).toMatchObject({ id: user.id });
  await service().send("DELETE", path);
});

it("loses the approvals that users have not given yet when it is changed or deleted", async () => {
  const { browser } = await signedIn("slow-user");
  const path = await create({ clientId: "changing", redirectUris: [redirect_uri] });
  const changes = [
    { method: "PATCH", body: { scopes: ["DeploymentRead"] } },
    { method: "PATCH", body: { redirectUris: ["https://portal.example.com/other"] } },
    { method: "DELETE" },
  ] as const;
  for (const { method, ...sent } of changes) {
    const started = await browser.get(authorization("changing"));
    const approval = String(started.headers.location);
    expect((await browser.get(approval)).status).toBe(200);
    expect((await service().send(method, path, sent)).status).toBeLessThan(300);
    const answer = await browser.post(approval, { decision: "approve" });
    expect(answer).toMatchObject({ status: 404, text: expect.stringContaining("expired") });
    await service().send("PATCH", path, { body: { redirectUris: [redirect_uri] } });
  }
});

it("gets no scopes from a credential that lacks them", async () => {
  const permissions = ["TenantSettingsManage", "DeploymentRead"];
  const created = await service().send("POST", "/api/v1/api-keys", {
    body: { name: "narrow", permissions },
  });
  const { token: key } = created.body as { token: string };
  const sent = { clientId: "narrow", name: "Narrow", redirectUris: [redirect_uri] };
  for (const scopes of [undefined, null, ["DeploymentRead", "SchemaRead"]]) {
    const refused = await service().send("POST", clients, { key, body: { ...sent, scopes } });
    expect(refused).toMatchObject({ status: 403, text: expect.stringContaining("lacks") });
  }
  const body = { ...sent, scopes: ["DeploymentRead"] };
  const { status, body: client } = await service().send("POST", clients, { key, body });
  expect(status).toBe(200);
  const path = `${clients}/${(client as { id: number }).id}`;
  const change = async (members: object) =>
    (await service().send("PATCH", path, { key, body: members })).status;
  expect(await change({ scopes: permissions })).toBe(200);
  expect(await change({ scopes: null })).toBe(403);
  // A caller who changes the address of a client gets the codes of its users.
  await service().send("PATCH", path, { body: { scopes: null } });
  expect(await change({ redirectUris: ["https://portal.example.com/mine"] })).toBe(403);
  await service().send("DELETE", path);
});

it("is refused if no user could approve it, and its page explains one that is stored", async () => {
  const { browser } = await signedIn("careful-user");
  const refused: readonly (readonly [object, string])[] = [
    [{ redirectUris: ["http://127.0.0.1/a", "https://LOCALHOST/a"] }, "redirectUris[1]"],
    [{ redirectUris: ["https://[::1]/a", "http://127.0.0.1:80/a"] }, "redirectUris[0]"],
    [{ redirectUris: ["https://portal.example.com:99999/a"] }, "redirectUris[0]"],
    [{ redirectUris: [redirect_uri], clientSecret: "ü".repeat(32) }, "clientSecret"],
  ];
  for (const [members, member] of refused) {
    const body = { clientId: "odd", name: "Odd", ...members };
    const answer = await service().send("POST", clients, { body });
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining(member) });
  }
  const path = await create({ clientId: "odd", redirectUris: [redirect_uri] });
  const started = await browser.get(authorization("odd"));
  // The name is not verified, so the page shows the client's ID and the target of the code.
  const approval = await browser.get(String(started.headers.location));
  expect(approval.text).toMatch(/Client ID<\/dt>\s*<dd>odd</);
  expect(approval.text).toMatch(/Continues at<\/dt>\s*<dd>https:\/\/portal.example.com</);
  const stored = { redirect_uris: '["http://127.0.0.1/a","https://localhost/a"]' };
  await inTransaction(service().db, (tx) =>
    tx.updateTable("oauth_clients").set(stored).where("client_id", "=", "odd").execute(),
  );
  const page = await browser.get(String(started.headers.location));
  expect(page).toMatchObject({ status: 400, text: expect.stringContaining("localhost") });
  expect(page.headers["content-type"]).toContain("text/html");
  await service().send("DELETE", path);
});

it("gets device codes if it may, and its name is shown as text", async () => {
  const { browser } = await signedIn("kiosk-user");
  const path = await create({ clientId: "kiosk", allowsDevices: true });
  const { body } = await form("/auth/device/code", { client_id: "kiosk" });
  const device = body as { device_code: string; user_code: string };
  const page = await browser.get(`/auth/device?user_code=${device.user_code}`);
  expect(page.text).toContain("Portal &lt;1&gt;");
  expect(page.text).toMatch(/Client ID<\/dt>\s*<dd>kiosk</);
  await browser.decide(device.user_code, "approve");
  expect((await poll(device.device_code)).body).toMatchObject({ error: "invalid_grant" });
  expect((await poll(device.device_code, "kiosk")).status).toBe(200);
  const useless = await service().send("PATCH", path, { body: { allowsDevices: false } });
  expect(useless).toMatchObject({ status: 400, text: expect.stringContaining("redirect URI") });
  await service().send("DELETE", path);
  for (const clientId of ["svc-cli", "twice"]) {
    const again = { body: { clientId, name: "x", allowsDevices: true } };
    await service().send("POST", clients, again);
    expect((await service().send("POST", clients, again)).status).toBe(409);
  }
  for (const uri of ["http://portal.example.com/callback", "https://x.example/#a", "app:/x"]) {
    const other = { body: { clientId: "other", name: "x", redirectUris: [uri] } };
    expect((await service().send("POST", clients, other)).status).toBe(400);
  }
});
