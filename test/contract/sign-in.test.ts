// Sign-in: passwords, devices, the OAuth server, and what stolen tokens and codes can do.
import { createHash, createPublicKey, type JsonWebKey, randomBytes } from "node:crypto";
import { createRemoteJWKSet, generateKeyPair, jwtVerify, SignJWT, UnsecuredJWT } from "jose";
import { request } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { limits } from "../../core/limits.ts";
import { setPassword } from "../../service/maintenance/set-password.ts";
import { inTransaction } from "../../service/store/transaction.ts";
import { startIssuer, type TestIssuer } from "../support/oidc-issuer.ts";
import { issuerClient } from "../support/oidc-sign-in.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { Browser, invite, postForm } from "../support/sign-in.ts";

let service: TestService;
let issuer: TestIssuer;
/** How far the clock of the service is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  const now = (): number => Date.now() + aheadMs;
  [service, issuer] = await Promise.all([startService({ now }), startIssuer()]);
});
afterAll(async () => {
  await service.close();
  await issuer.close();
});

const password = "correct horse battery";
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly error?: string;
}

const form = (path: string, fields: Record<string, string>) =>
  postForm(`${service.url}${path}`, fields);

async function startDevice(scope?: string) {
  const asked = { client_id: "svc-cli", ...(scope === undefined ? {} : { scope }) };
  const { status, body } = await form("/auth/device/code", asked);
  expect(status).toBe(200);
  return body as { device_code: string; user_code: string; verification_uri_complete: string };
}

const poll = (deviceCode: string, clientId = "svc-cli") =>
  form("/auth/device/token", {
    grant_type: deviceGrant,
    device_code: deviceCode,
    client_id: clientId,
  });

const refresh = (token: string, clientId = "svc-cli") =>
  form("/auth/oauth2/refresh", {
    grant_type: "refresh_token",
    refresh_token: token,
    client_id: clientId,
  });

async function signedIn(username: string, isAdmin = true) {
  const browser = new Browser(service.url);
  const user = await invite(service, { username, isAdmin });
  await browser.setPassword(user.url, password);
  return { browser, user };
}

/** Signs in on a device as a user. */
async function deviceTokens(browser: Browser, scope?: string): Promise<Tokens> {
  const device = await startDevice(scope);
  await browser.decide(device.user_code, "approve");
  const { status, body } = await poll(device.device_code);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as Tokens;
}

const me = (key: string) => service.send("GET", "/api/v1/users/me", { key });

it("describes the OAuth server of the account", async () => {
  const { body } = await service.send("GET", "/.well-known/oauth-authorization-server");
  expect(body).toMatchObject({
    issuer: service.url,
    device_authorization_endpoint: `${service.url}/auth/device/code`,
    token_endpoint: `${service.url}/auth/oauth2/token`,
    code_challenge_methods_supported: ["S256"],
    grant_types_supported: expect.arrayContaining(["authorization_code", deviceGrant]),
    response_types_supported: ["code"],
  });
  const { body: keys } = await service.send("GET", "/auth/oauth2/jwks");
  expect(keys).toMatchObject({ keys: [{ kty: "RSA", alg: "RS256" }] });
  expect(JSON.stringify(keys)).not.toMatch(/"[dpq]":/);
});

it("signs in on a device: code, approval, token, refresh, revocation", async () => {
  const { browser, user } = await signedIn("dora");
  const { body } = await form("/auth/device/code", { client_id: "svc-cli" });
  expect(body).toMatchObject({
    verification_uri: `${service.url}/auth/device`,
    interval: 5,
    expires_in: 900,
    user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
  });
  const device = body as { device_code: string; user_code: string };
  expect((await poll(device.device_code)).body).toMatchObject({ error: "authorization_pending" });
  expect((await poll(device.device_code)).body).toMatchObject({ error: "slow_down" });
  // Users type codes in any case and without the hyphen.
  const page = await browser.get(`/auth/device?user_code=${device.user_code.toLowerCase()}`);
  expect(page.text).toContain(device.user_code);
  expect(page.text).toContain("dora");
  expect(await browser.decide(device.user_code.replace("-", ""), "approve")).toContain("connected");
  const answer = await poll(device.device_code);
  expect(answer).toMatchObject({
    status: 200,
    body: { token_type: "Bearer", expires_in: 3600, scope: "api" },
  });
  const { access_token: access, refresh_token: first } = answer.body as Tokens;
  expect((await me(access)).body).toMatchObject({ id: user.id, permissions: { isAdmin: true } });
  const { body: second } = await refresh(first);
  expect(second).toMatchObject({ refresh_token: expect.not.stringMatching(`^${first}$`) });
  const fresh = second as Tokens;
  expect((await me(fresh.access_token)).status).toBe(200);
  await form("/auth/oauth2/revoke", { token: fresh.refresh_token, client_id: "svc-cli" });
  expect((await me(fresh.access_token)).status).toBe(401);
  expect((await me(access)).status).toBe(401);
  expect((await refresh(fresh.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
});

it("refuses replayed, foreign and expired credentials", async () => {
  const { browser } = await signedIn("theft");
  const device = await startDevice();
  await browser.decide(device.user_code, "approve");
  expect((await poll(device.device_code, "other")).body).toMatchObject({ error: "invalid_client" });
  const tokens = (await poll(device.device_code)).body as Tokens;
  expect((await me(tokens.access_token)).status).toBe(200);
  // A replayed device code ends what the first use got.
  expect((await poll(device.device_code)).body).toMatchObject({ error: "invalid_grant" });
  expect((await me(tokens.access_token)).status).toBe(401);

  const stolen = await deviceTokens(browser);
  // Another client cannot use the token, and an attempt does not end the sign-in of its owner.
  expect((await refresh(stolen.refresh_token, "other")).body).toMatchObject({
    error: "invalid_client",
  });
  expect((await me(stolen.access_token)).status).toBe(200);
  // One kind of token does not work as another.
  expect((await me(stolen.refresh_token)).status).toBe(401);
  expect((await refresh(stolen.access_token)).body).toMatchObject({ error: "invalid_grant" });
  const [mine, ...rest] = await Promise.all([1, 2, 3].map(() => refresh(stolen.refresh_token)));
  const statuses = [mine, ...rest].map((one) => String(one?.status)).join(" ");
  expect(["200 400 400", "400 200 400", "400 400 200"]).toContain(statuses);
  // A refresh token that was used twice ends the whole chain.
  const won = [mine, ...rest].find((one) => one?.status === 200)?.body as Tokens;
  expect((await me(won.access_token)).status).toBe(401);
  expect((await refresh(won.refresh_token)).body).toMatchObject({ error: "invalid_grant" });

  const late = await startDevice();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 901_000 });
  expect((await poll(late.device_code)).body).toMatchObject({ error: "expired_token" });
  vi.useRealTimers();
  const denied = await startDevice();
  await browser.decide(denied.user_code, "deny");
  expect((await poll(denied.device_code)).body).toMatchObject({ error: "access_denied" });
});

it("extends no pause when the clock is set back", async () => {
  const { browser } = await signedIn("early");
  const attempt = async (text: string) => (await browser.signIn("early", text)).status;
  aheadMs = 86_400_000;
  for (let count = 0; count <= limits.freeSignInFailures; count++) await attempt("wrong");
  expect(await attempt(password)).toBe(429);
  const device = await startDevice();
  await poll(device.device_code);
  expect((await poll(device.device_code)).body).toMatchObject({ error: "slow_down" });
  aheadMs = 0;
  expect(await attempt(password)).toBe(303);
  expect((await poll(device.device_code)).body).toMatchObject({ error: "authorization_pending" });
});

it("refuses tokens without a signature, and those signed with a published key as a secret", async () => {
  const claims = { sub: "1", sid: 1, aud: "embed", iss: service.url, exp: 4_000_000_000 };
  expect((await me(new UnsecuredJWT(claims).encode())).status).toBe(401);
  const { body } = await service.send("GET", "/auth/oauth2/jwks");
  const [key] = (body as { keys: { kid: string; n: string }[] }).keys;
  const pem = createPublicKey({ key: key as JsonWebKey, format: "jwk" });
  const secrets = [pem.export({ type: "spki", format: "pem" }).toString(), key?.n ?? ""];
  for (const secret of secrets) {
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", kid: key?.kid ?? "" })
      .sign(Buffer.from(secret));
    expect((await me(token)).status).toBe(401);
  }
});

it("stores no token and no code in clear text", async () => {
  const { browser } = await signedIn("stored");
  const tokens = await deviceTokens(browser);
  const waiting = await startDevice();
  const rows = await service.db.selectFrom("oauth_records").selectAll().execute();
  const text = JSON.stringify(rows);
  const secrets = [
    tokens.access_token,
    tokens.refresh_token,
    waiting.device_code,
    waiting.user_code.replace("-", ""),
  ];
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
});

it("limits a token to its scopes and to the rights of its user", async () => {
  const { browser } = await signedIn("scoped");
  const { access_token: key } = await deviceTokens(browser, "DeploymentRead offline_access");
  expect((await service.send("GET", "/api/v1/deployments", { key })).status).toBe(200);
  expect((await service.send("GET", "/api/v1/api-keys", { key })).status).toBe(403);
  // Unknown scopes are ignored beside known ones, and refused alone: they must not give all rights.
  const device = await startDevice("DeploymentRead Nonsense");
  const page = await browser.get(`/auth/device?user_code=${device.user_code}`);
  expect(page.text).toMatch(/It may do<\/dt>\s*<dd>DeploymentRead<\/dd>/);
  expect(page.text).not.toContain("Account");
  const unknown = { client_id: "svc-cli", scope: "Nonsense openid" };
  expect(await form("/auth/device/code", unknown)).toMatchObject({
    status: 400,
    body: { error: "invalid_scope" },
  });
  const asked = new URLSearchParams({
    ...unknown,
    response_type: "code",
    redirect_uri: "http://127.0.0.1:4321/callback",
    code_challenge: createHash("sha256").update("x").digest("base64url"),
    code_challenge_method: "S256",
  });
  const refused = await browser.authorize(`/auth/oauth2/authorize?${asked.toString()}`);
  expect(new URL(refused).searchParams.get("error")).toBe("invalid_scope");
  const { browser: plain } = await signedIn("plain", false);
  const { access_token: weak } = await deviceTokens(plain);
  const made = await service.send("POST", "/api/v1/users/1/password-link", { key: weak });
  expect(made.status).toBe(403);
});

it("ends the tokens and sessions of a deactivated user", async () => {
  const { browser, user } = await signedIn("leaver");
  const tokens = await deviceTokens(browser);
  const body = { isDeactivated: true };
  await service.send("PUT", `/api/v1/users/${user.id}`, { body });
  expect((await me(tokens.access_token)).status).toBe(401);
  expect((await refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
  expect((await browser.get("/auth/device")).status).toBe(303);
  await service.send("PUT", `/api/v1/users/${user.id}`, { body: { isDeactivated: false } });
  expect((await me(tokens.access_token)).status).toBe(401);
});

it("issues codes to clients with PKCE, once", async () => {
  const { browser, user } = await signedIn("coder");
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const asked = new URLSearchParams({
    client_id: "svc-cli",
    response_type: "code",
    redirect_uri: "http://127.0.0.1:4321/callback",
    scope: "openid api offline_access",
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "s",
  });
  const callback = new URL(await browser.authorize(`/auth/oauth2/authorize?${asked.toString()}`));
  expect(callback.origin).toBe("http://127.0.0.1:4321");
  expect(callback.searchParams.get("iss")).toBe(service.url);
  const redeem = (code_verifier: string) =>
    form("/auth/oauth2/token", {
      grant_type: "authorization_code",
      client_id: "svc-cli",
      code: callback.searchParams.get("code") ?? "",
      redirect_uri: "http://127.0.0.1:4321/callback",
      code_verifier,
    });
  const { body } = await redeem(verifier);
  const { id_token: idToken, access_token: key } = body as { id_token: string } & Tokens;
  const keys = createRemoteJWKSet(new URL(`${service.url}/auth/oauth2/jwks`));
  const expected = { issuer: service.url, audience: "svc-cli" };
  expect((await jwtVerify(idToken, keys, expected)).payload.sub).toBe(String(user.id));
  // An ID token is no access token, and a code that is replayed ends what it got.
  expect((await me(idToken)).status).toBe(401);
  expect((await me(key)).status).toBe(200);
  expect((await redeem(verifier)).body).toMatchObject({ error: "invalid_grant" });
  expect((await me(key)).status).toBe(401);
  const other = new URL(await browser.authorize(`/auth/oauth2/authorize?${asked.toString()}`));
  callback.searchParams.set("code", other.searchParams.get("code") ?? "");
  expect((await redeem(randomBytes(32).toString("base64url"))).status).toBe(400);
  asked.delete("code_challenge");
  asked.delete("code_challenge_method");
  const plain = new URL(await browser.authorize(`/auth/oauth2/authorize?${asked.toString()}`));
  expect(plain.searchParams.get("error")).toBe("invalid_request");
});

describe("a client of the account", () => {
  const clients = "/api/v1/oauth-clients";
  const secret = randomBytes(32).toString("base64url");
  const redirect_uri = "https://portal.example.com/callback";
  const verifier = randomBytes(32).toString("base64url");

  async function create(members: object): Promise<string> {
    const made = await service.send("POST", clients, { body: { name: "Portal <1>", ...members } });
    expect(made.status).toBe(200);
    expect(made.text).not.toContain(secret);
    return `${clients}/${(made.body as { id: number }).id}`;
  }

  /** Returns the path at which a browser asks for a code. */
  function authorization(client_id: string, scope?: string): string {
    const asked = new URLSearchParams({
      client_id,
      response_type: "code",
      redirect_uri,
      ...(scope === undefined ? {} : { scope }),
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    });
    return `/auth/oauth2/authorize?${asked.toString()}`;
  }

  /** Asks for a code and approves. Returns what the client gets. */
  const askForCode = async (browser: Browser, clientId: string, scope?: string) =>
    new URL(await browser.authorize(authorization(clientId, scope))).searchParams;

  const redeem = (client_id: string, code: string | null, used?: string) => {
    const fields = { grant_type: "authorization_code", code: code ?? "", redirect_uri };
    const credential = Buffer.from(`${client_id}:${used ?? ""}`).toString("base64");
    return postForm(
      `${service.url}/auth/oauth2/token`,
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
    const codeOf = async (scope?: string) =>
      (await askForCode(browser, "portal", scope)).get("code");
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
    expect((await service.send("GET", "/api/v1/deployments", { key })).status).toBe(200);
    expect((await service.send("GET", "/api/v1/users", { key })).status).toBe(403);
    expect((await refresh(all.refresh_token)).status).toBe(400);
    // Neither a name nor what is as before ends the tokens.
    const same = { clientSecret: secret, redirectUris: [redirect_uri], allowsDevices: false };
    const renamed = { ...same, name: "Renamed", scopes: ["DeploymentRead", "SchemaRead"] };
    await service.send("PATCH", path, { body: renamed });
    expect((await me(key)).status).toBe(200);
    await service.send("PATCH", path, { body: { scopes: ["DeploymentRead"] } });
    expect((await me(key)).status).toBe(401);
    const later = await tokens();
    await service.send("PATCH", path, { body: { clientSecret: null } });
    expect((await me(later.access_token)).status).toBe(401);
    const { body } = await redeem("portal", await codeOf());
    expect((await me((body as Tokens).access_token)).status).toBe(200);
    expect((await service.send("DELETE", path)).status).toBe(204);
    expect((await me((body as Tokens).access_token)).status).toBe(401);
    expect((await form("/auth/device/code", { client_id: "portal" })).status).toBe(401);
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
    const asked = await browser.get(String(started.headers.location));
    expect(asked.headers.location).toMatch(/^\/auth\/sign-in\?/);
    expect((await browser.signIn("second-user", password)).status).toBe(303);
    expect(await userOfCode()).toMatchObject({ id: second.id });
    // Another user may sign in without a sign-out.
    expect((await browser.signIn("first-user", password)).status).toBe(303);
    expect(await userOfCode()).toMatchObject({ id: user.id });
    await service.send("DELETE", path);
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
      expect((await service.send(method, path, sent)).status).toBeLessThan(300);
      const answer = await browser.post(approval, { decision: "approve" });
      expect(answer).toMatchObject({ status: 404, text: expect.stringContaining("expired") });
      await service.send("PATCH", path, { body: { redirectUris: [redirect_uri] } });
    }
  });

  it("gets no scopes from a credential that lacks them", async () => {
    const permissions = ["TenantSettingsManage", "DeploymentRead"];
    const made = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "narrow", permissions },
    });
    const { token: key } = made.body as { token: string };
    const sent = { clientId: "narrow", name: "Narrow", redirectUris: [redirect_uri] };
    for (const scopes of [undefined, null, ["DeploymentRead", "SchemaRead"]]) {
      const refused = await service.send("POST", clients, { key, body: { ...sent, scopes } });
      expect(refused).toMatchObject({ status: 403, text: expect.stringContaining("lacks") });
    }
    const body = { ...sent, scopes: ["DeploymentRead"] };
    const { status, body: client } = await service.send("POST", clients, { key, body });
    expect(status).toBe(200);
    const path = `${clients}/${(client as { id: number }).id}`;
    const change = async (members: object) =>
      (await service.send("PATCH", path, { key, body: members })).status;
    expect(await change({ scopes: permissions })).toBe(200);
    expect(await change({ scopes: null })).toBe(403);
    // Who moves a client to another address gets the codes of its users.
    await service.send("PATCH", path, { body: { scopes: null } });
    expect(await change({ redirectUris: ["https://portal.example.com/mine"] })).toBe(403);
    await service.send("DELETE", path);
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
      const answer = await service.send("POST", clients, { body });
      expect(answer).toMatchObject({ status: 400, text: expect.stringContaining(member) });
    }
    const path = await create({ clientId: "odd", redirectUris: [redirect_uri] });
    const started = await browser.get(authorization("odd"));
    // The name proves nothing: the page says which client it is, and where the code goes.
    const approval = await browser.get(String(started.headers.location));
    expect(approval.text).toMatch(/Client ID<\/dt>\s*<dd>odd</);
    expect(approval.text).toMatch(/Continues at<\/dt>\s*<dd>https:\/\/portal.example.com</);
    const stored = { redirect_uris: '["http://127.0.0.1/a","https://localhost/a"]' };
    await inTransaction(service.db, (tx) =>
      tx.updateTable("oauth_clients").set(stored).where("client_id", "=", "odd").execute(),
    );
    const page = await browser.get(String(started.headers.location));
    expect(page).toMatchObject({ status: 400, text: expect.stringContaining("localhost") });
    expect(page.headers["content-type"]).toContain("text/html");
    await service.send("DELETE", path);
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
    const useless = await service.send("PATCH", path, { body: { allowsDevices: false } });
    expect(useless).toMatchObject({ status: 400, text: expect.stringContaining("redirect URI") });
    await service.send("DELETE", path);
    for (const clientId of ["svc-cli", "twice"]) {
      const again = { body: { clientId, name: "x", allowsDevices: true } };
      await service.send("POST", clients, again);
      expect((await service.send("POST", clients, again)).status).toBe(409);
    }
    for (const uri of ["http://portal.example.com/callback", "https://x.example/#a", "app:/x"]) {
      const other = { body: { clientId: "other", name: "x", redirectUris: [uri] } };
      expect((await service.send("POST", clients, other)).status).toBe(400);
    }
  });
});

it("delays guesses of a password, and accepts links once", async () => {
  const { url } = await invite(service, { username: "guessed", isAdmin: false });
  const browser = new Browser(service.url);
  expect((await browser.submitPassword(url, "short")).text).toContain("12 to 256");
  await browser.setPassword(url, password);
  expect((await browser.get(new URL(url).pathname + new URL(url).search)).status).toBe(404);
  const guess = new Browser(service.url);
  const statuses = [];
  for (let tries = 0; tries < 6; tries++) {
    statuses.push((await guess.signIn("guessed", `wrong ${tries} password`)).status);
  }
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
  expect((await guess.signIn("guessed", password)).status).toBe(429);
  await inTransaction(service.db, (tx) =>
    tx.updateTable("user_passwords").set({ retry_at: null }).execute(),
  );
  expect((await guess.signIn("GUESSED@example.com", password)).status).toBe(303);
});

it("records a password that the operator sets in the audit log, without the password", async () => {
  await setPassword(service.db, { username: "admin", password });
  const { body } = await service.send("GET", "/api/v1/audit-logs?eventName=setPassword");
  const { items } = body as { items: readonly object[] };
  expect(items).toMatchObject([
    { objectType: "users", objectIds: ["1"], after: { username: "admin" } },
  ]);
  expect(JSON.stringify(items)).not.toContain(password);
  await expect(setPassword(service.db, { username: "unknown", password })).rejects.toMatchObject({
    code: "not_found",
  });
});

it("refuses forms of other sites and continues at its own pages only", async () => {
  const { status } = await postForm(
    `${service.url}/auth/sign-in`,
    { name: "admin", password },
    { origin: "https://evil.example" },
  );
  expect(status).toBe(403);
  const page = await new Browser(service.url).get("/auth/sign-in?next=//evil.example/auth/device");
  expect(page.text).toContain('name="next" value="/auth"');
  expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
  expect(page.text).not.toContain("<script");
});

describe("an identity provider", () => {
  const providers = "/api/v1/identity-providers";
  const verified = { sub: "4711", email: "EVA@example.com", email_verified: true };
  let providerId = 0;
  let byPassword: Browser;

  beforeAll(async () => {
    const { url } = await invite(service, { username: "eva", isAdmin: true });
    byPassword = new Browser(service.url);
    await byPassword.setPassword(url, password);
    const body = {
      name: "acme",
      displayName: "Acme <SSO>",
      issuer: issuer.url,
      ...issuerClient,
      emailDomains: ["example.com"],
    };
    const made = await service.send("POST", providers, { body });
    const redirectUri = `${service.url}/auth/providers/acme/callback`;
    expect(made).toMatchObject({ status: 200, body: { redirectUri } });
    expect(made.text).not.toContain(issuerClient.clientSecret);
    providerId = (made.body as { id: number }).id;
  });
  beforeEach(() => says({}));

  /** Sets what the provider says in its next answers. */
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

  async function refused(text: string, path?: string, browser = new Browser(service.url)) {
    const page = await browser.get(path ?? (await callback(browser)));
    expect(page).toMatchObject({ status: 400, text: expect.stringContaining(text) });
    expect(await isSignedIn(browser)).toBe(false);
  }

  it("is offered on the sign-in page, signs in a user by a verified email, and continues", async () => {
    const browser = new Browser(service.url);
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
    // The settings say who signs in: a change of them ends the session and its tokens.
    const { clientId, clientSecret } = issuerClient;
    const same = { issuer: issuer.url, clientId, clientSecret, emailDomains: ["example.com"] };
    const rename = { body: { displayName: "Acme", ...same, claims: [] } };
    expect((await service.send("PATCH", `${providers}/${providerId}`, rename)).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(true);
    expect((await me(tokens.access_token)).status).toBe(200);
    const narrow = { body: { claims: [{ name: "department", value: "analy*" }] } };
    await service.send("PATCH", `${providers}/${providerId}`, narrow);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await me(tokens.access_token)).status).toBe(401);
    expect((await refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await me(own.access_token)).status).toBe(200);
    await refused("lack a claim");
    says({ department: ["sales", "analytics"] });
    expect((await browser.get(await callback(browser))).status).toBe(303);
    await service.send("PATCH", `${providers}/${providerId}`, { body: { claims: null } });
  });

  it("takes the tokens along when it is deleted, and is named by the audit log", async () => {
    const second = { ...issuerClient, name: "second", issuer: issuer.url };
    const made = await service.send("POST", providers, { body: second });
    const browser = new Browser(service.url);
    expect((await browser.get(await callback(browser, "/auth", "second"))).status).toBe(303);
    const { access_token: key } = await deviceTokens(browser);
    expect((await byPassword.signIn("eva", `not ${password}`)).status).toBe(400);
    expect((await byPassword.signIn("eva", password)).status).toBe(303);
    const path = "/api/v1/audit-logs?eventName=signIn&userEmail=eva@example.com&first=2";
    const { items } = (await service.send("GET", path)).body as { items: unknown[] };
    const user = { username: "eva", objectType: "sign-ins" };
    expect(items).toMatchObject([
      { ...user, after: { method: "password" } },
      { ...user, after: { identityProvider: "second" } },
    ]);
    await service.send("DELETE", `${providers}/${(made.body as { id: number }).id}`);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await me(key)).status).toBe(401);
  });

  it("may say the email in the user information alone", async () => {
    const { email, email_verified } = verified;
    const information = { email, email_verified };
    says({ email: undefined, email_verified: undefined }, { information });
    const browser = new Browser(service.url);
    expect((await browser.get(await callback(browser))).status).toBe(303);
    // What the ID token says comes first, and the user information adds claims that the account requires.
    says({}, { information: { email: "other@example.com", department: "sales" } });
    const path = `${providers}/${providerId}`;
    const claims = [{ name: "department", value: "sales" }];
    await service.send("PATCH", path, { body: { claims } });
    const second = new Browser(service.url);
    expect((await second.get(await callback(second))).status).toBe(303);
    expect((await second.get("/auth")).text).toContain("eva");
    says({ department: "support" }, { information: { department: "sales" } });
    await refused("lack a claim");
    await service.send("PATCH", path, { body: { claims: null } });
    // One source does not verify the email of the other.
    says({ email_verified: undefined }, { information: { email: "x@y.z", email_verified: true } });
    await refused("not verified");
    says({ email: undefined }, { information: { email, email_verified: undefined } });
    await refused("not verified");
    says({ email_verified: undefined }, { information });
    expect((await browser.get(await callback(browser))).status).toBe(303);
    // What it says there about another subject is refused.
    says({ email: undefined }, { information: { ...information, sub: "other" } });
    await refused("not valid");
  });

  it.each<readonly [string, object, string]>([
    ["an email that is not verified", { email_verified: false }, "not verified"],
    [
      "an email that the provider says nothing about",
      { email_verified: undefined },
      "not verified",
    ],
    ["no email", { email: undefined }, "which email"],
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
    const browser = new Browser(service.url);
    const path = await callback(browser);
    // The browser of the victim that an attacker sends there with the attacker's answer.
    await refused("another browser", path);
    expect((await browser.get(path)).status).toBe(303);
    await browser.post("/auth/sign-out", {});
    await refused("was used", path, browser);
    await refused("was used", "/auth/providers/acme/callback?code=x&state=unknown");
    // Of two answers at the same time, one counts.
    const twice = await callback(browser);
    const answers = await Promise.all([browser.get(twice), browser.get(twice)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400]);
    await browser.post("/auth/sign-out", {});
    for (const iss of ["https://evil.example", undefined]) {
      says({}, { iss });
      await refused("not valid", await callback(browser), browser);
    }
    says({});
    const stolen = new URLSearchParams((await callback(new Browser(service.url))).split("?")[1]);
    const own = await callback(browser);
    const injected = own.replace(/code=[^&]*/, `code=${stolen.get("code") ?? ""}`);
    await refused("invalid_grant", injected, browser);
    const denied = (await callback(browser)).replace(/code=[^&]*/, "error=access_denied");
    await refused("access_denied", denied, browser);
    // Another provider of the account is sent the answer of the first.
    const other = { ...issuerClient, name: "other", issuer: `${issuer.url}/other` };
    const { body } = await service.send("POST", providers, { body: other });
    const mixed = (await callback(browser)).replace("/acme/", "/other/");
    await refused("was started in another browser", mixed, browser);
    const unmatched = await browser.get("/auth/providers/other");
    expect(unmatched).toMatchObject({ status: 503, text: expect.stringContaining("not valid") });
    await service.send("DELETE", `${providers}/${(body as { id: number }).id}`);
    const late = await callback(browser);
    await inTransaction(service.db, (tx) =>
      tx
        .updateTable("oauth_records")
        .set({ expires_at: new Date().toISOString() })
        .where("model", "=", "ExternalSignIn")
        .execute(),
    );
    await refused("expired", late, browser);
  });

  it("signs in neither deactivated nor embed users", async () => {
    const { id } = await invite(service, { username: "gone", isAdmin: false });
    await service.send("PUT", `/api/v1/users/${id}`, { body: { isDeactivated: true } });
    const session = { deploymentId: 1, externalId: "ext", email: "ext@example.com" };
    await service.send("POST", "/api/v1/embed/generate-session", { body: session });
    for (const email of ["gone@example.com", "ext@example.com"]) {
      says({ email });
      await refused("no active user");
    }
  });

  it("is reached where the operator's rules allow it, and gets its own secret alone", async () => {
    const path = `${providers}/${providerId}`;
    const moved = await service.send("PATCH", path, { body: { issuer: "https://10.0.0.1" } });
    expect(moved).toMatchObject({ status: 400, text: expect.stringContaining("clientSecret") });
    const issuers = [
      ["https://10.0.0.1", "private address"],
      ["http://10.0.0.1", "plain HTTP"],
      [`${issuer.url}/nothing`, "not valid"],
    ] as const;
    for (const [at, text] of issuers) {
      await service.send("PATCH", path, { body: { issuer: at, clientSecret: "x" } });
      const page = await new Browser(service.url).get("/auth/providers/acme");
      expect(page.text).toContain(text);
    }
    const limited = { body: { name: "limited", permissions: ["TenantSettingsManage"] } };
    const made = await service.send("POST", "/api/v1/api-keys", limited);
    const { token: key } = made.body as { token: string };
    const body = { clientId: "mine" };
    expect((await service.send("PATCH", path, { key, body })).status).toBe(403);
    expect((await service.send("DELETE", path, { key })).status).toBe(403);
    expect((await service.send("DELETE", path)).status).toBe(204);
    const page = await new Browser(service.url).get("/auth/providers/acme");
    expect(page.status).toBe(404);
  });
});
