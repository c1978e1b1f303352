// Tests OAuth integrations with a local provider: authorization with PKCE and state, refresh, revocation, and secrets.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type OAuthProvider, startOAuthProvider } from "../support/oauth-provider.ts";
import { startService, type TestService } from "../support/test-service.ts";

const base = "/api/v1/oauth-integrations";
const tokens = "/api/v1/user-oauth-tokens";
let service: TestService;
let provider: OAuthProvider;
let now = Date.parse("2026-11-01T00:00:00Z");
let id = 0;

beforeAll(async () => {
  provider = await startOAuthProvider();
  service = await startService({ now: () => now });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

const integration = (more: object = {}) => ({
  name: "Sheets",
  type: "sheets",
  authUrl: `${provider.url}/authorize`,
  tokenUrl: `${provider.url}/token`,
  clientId: provider.clientId,
  redirectUri: "https://app.example.com/callback",
  scopes: ["read", "write"],
  config: { revocationUrl: `${provider.url}/revoke` },
  ...more,
});

beforeEach(async () => {
  if (id > 0) await service.send("DELETE", `${base}/${id}`);
  const body = integration({ clientSecret: provider.clientSecret });
  const created = await service.send("POST", base, { body });
  expect([created.status, created.text]).toEqual([200, created.text]);
  expect(created.text).not.toContain(provider.clientSecret);
  id = (created.body as { id: number }).id;
});

async function initiate(key = service.adminKey): Promise<URL> {
  const { body } = await service.send("POST", `${tokens}/${id}/initiate`, { key });
  return new URL((body as { authorizationUrl: string }).authorizationUrl);
}

async function complete(answer: URLSearchParams, key = service.adminKey) {
  const body = { code: answer.get("code"), state: answer.get("state") };
  return service.send("POST", `${tokens}/${id}/complete`, { key, body });
}

const issue = async () => service.send("POST", `${tokens}/${id}/token`);
const accessToken = async () => ((await issue()).body as { accessToken: string }).accessToken;

it("a user authorizes with PKCE and state, and gets an access token, which is refreshed", async () => {
  const url = await initiate();
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: "code",
    code_challenge_method: "S256",
    scope: "read write",
  });
  const answer = await provider.approve(url.href);
  expect((await complete(answer)).body).toMatchObject({ status: "ACTIVE", integrationId: id });
  expect((await complete(answer)).status).toBe(409);
  const first = await accessToken();
  expect(await accessToken()).toBe(first);
  now += 3_600_000;
  const second = await accessToken();
  expect([second.startsWith("access-"), second === first]).toEqual([true, false]);
  const rows = await service.db.selectFrom("user_oauth_tokens").selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain(second);
  const log = await service.send("GET", "/api/v1/audit-logs");
  for (const secret of [second, provider.clientSecret, answer.get("state"), answer.get("code")]) {
    expect(log.text).not.toContain(secret);
  }
  expect((await service.send("DELETE", `${tokens}/${id}`)).status).toBe(204);
  expect(provider.revoked).toHaveLength(1);
  expect((await issue()).status).toBe(404);
});

it("only the user who started an authorization completes it, in time", async () => {
  const { body } = await service.send("POST", "/api/v1/users", {
    body: { username: `ann-${id}`, email: `ann-${id}@example.com`, isAdmin: true },
  });
  const created = await service.send("POST", "/api/v1/api-keys", {
    body: { name: "ann", ownerUserId: (body as { id: number }).id },
  });
  const { token: key } = created.body as { token: string };
  const answer = await provider.approve((await initiate()).href);
  expect((await complete(answer, key)).status).toBe(409);
  now += 3_600_000;
  expect((await complete(answer)).status).toBe(409);
});

it("a refused refresh is shown, and asks for a new authorization", async () => {
  await complete(await provider.approve((await initiate()).href));
  provider.forget();
  now += 3_600_000;
  expect(await issue()).toMatchObject({ status: 409 });
  const { body } = await service.send("GET", `${tokens}/${id}`);
  expect(body).toMatchObject({
    status: "REVOKED",
    lastError: expect.stringContaining("invalid_grant"),
  });
});

it("a token that its user deletes during a refresh stays deleted", async () => {
  await complete(await provider.approve((await initiate()).href));
  now += 3_600_000;
  provider.beforeTokens(() => service.send("DELETE", `${tokens}/${id}`));
  expect((await issue()).status).toBe(404);
  expect((await service.send("GET", tokens)).body).toEqual([]);
});

it("a call that loses a race for the refresh returns the token of the other call", async () => {
  await complete(await provider.approve((await initiate()).href));
  now += 3_600_000;
  let other = "";
  provider.beforeTokens(async () => {
    other = await accessToken();
  });
  expect(await accessToken()).toBe(other);
  expect(other).toMatch(/^access-/);
});

it("an integration that moves to another origin ends the tokens of its users", async () => {
  await complete(await provider.approve((await initiate()).href));
  const approved = await provider.approve((await initiate()).href);
  const moved = { tokenUrl: "https://other.example.com/token", clientSecret: "new" };
  const put = (more: object) =>
    service.send("PUT", `${base}/${id}`, { body: integration({ clientSecret: "new", ...more }) });
  expect((await put({ name: "Same origins" })).status).toBe(200);
  expect((await service.send("GET", tokens)).body).toHaveLength(1);
  expect((await put(moved)).status).toBe(200);
  expect((await service.send("GET", tokens)).body).toEqual([]);
  expect((await complete(approved)).status).toBe(409);
});

it("a stored secret is never sent to another origin, and private addresses are refused", async () => {
  const put = async (more: object) =>
    service.send("PUT", `${base}/${id}`, { body: integration(more) });
  expect((await put({ name: "Renamed" })).status).toBe(200);
  expect((await put({ tokenUrl: "https://other.example.com/token" })).status).toBe(400);
  const config = { revocationUrl: "https://other.example.com/revoke" };
  expect((await put({ config })).status).toBe(400);
  const moved = { tokenUrl: "https://10.0.0.1/token", clientSecret: "new" };
  expect((await put(moved)).status).toBe(200);
  const answer = await provider.approve((await initiate()).href);
  const refused = await complete(answer);
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("private address")]);
});
