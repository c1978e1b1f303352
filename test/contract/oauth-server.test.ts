// Tests the OAuth server of an account: devices, tokens, codes, scopes, and stolen tokens and codes.
import { createHash, createPublicKey, type JsonWebKey, randomBytes } from "node:crypto";
import { createRemoteJWKSet, jwtVerify, SignJWT, UnsecuredJWT } from "jose";
import { expect, it, vi } from "vitest";
import { patchBody } from "../support/scim-client.ts";
import { deviceGrant, type Tokens, useSignInSessions } from "../support/sign-in-sessions.ts";

const { service, form, startDevice, poll, refresh, signedIn, deviceTokens, me } =
  useSignInSessions();

it("describes the OAuth server of the account", async () => {
  const { body } = await service().send("GET", "/.well-known/oauth-authorization-server");
  expect(body).toMatchObject({
    issuer: service().url,
    device_authorization_endpoint: `${service().url}/auth/device/code`,
    token_endpoint: `${service().url}/auth/oauth2/token`,
    code_challenge_methods_supported: ["S256"],
    grant_types_supported: expect.arrayContaining(["authorization_code", deviceGrant]),
    response_types_supported: ["code"],
    response_modes_supported: ["query", "fragment"],
    scopes_supported: expect.arrayContaining(["api", "offline_access", "DeploymentRead"]),
  });
  const { body: keys } = await service().send("GET", "/auth/oauth2/jwks");
  expect(keys).toMatchObject({ keys: [{ kty: "RSA", alg: "RS256" }] });
  expect(JSON.stringify(keys)).not.toMatch(/"[dpq]":/);
});

it("signs in on a device: code, approval, token, refresh, revocation", async () => {
  const { browser, user } = await signedIn("dora");
  const { body } = await form("/auth/device/code", { client_id: "svc-cli" });
  expect(body).toMatchObject({
    verification_uri: `${service().url}/auth/device`,
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
  // A replayed device code ends the tokens of the first use.
  expect((await poll(device.device_code)).body).toMatchObject({ error: "invalid_grant" });
  expect((await me(tokens.access_token)).status).toBe(401);

  const stolen = await deviceTokens(browser);
  // Another client cannot use the token, and an attempt does not end the sign-in of its owner.
  expect((await refresh(stolen.refresh_token, "other")).body).toMatchObject({
    error: "invalid_client",
  });
  expect((await me(stolen.access_token)).status).toBe(200);
  // A token does not work as a token of another type.
  expect((await me(stolen.refresh_token)).status).toBe(401);
  expect((await refresh(stolen.access_token)).body).toMatchObject({ error: "invalid_grant" });
  const [mine, ...rest] = await Promise.all([1, 2, 3].map(() => refresh(stolen.refresh_token)));
  const statuses = [mine, ...rest].map((one) => String(one?.status)).join(" ");
  expect(["200 400 400", "400 200 400", "400 400 200"]).toContain(statuses);
  // A second use of a refresh token ends the whole chain.
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

it("refuses tokens without a signature, and those signed with a published key as a secret", async () => {
  const claims = { sub: "1", sid: 1, aud: "embed", iss: service().url, exp: 4_000_000_000 };
  expect((await me(new UnsecuredJWT(claims).encode())).status).toBe(401);
  const { body } = await service().send("GET", "/auth/oauth2/jwks");
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
  const rows = await service().db.selectFrom("oauth_records").selectAll().execute();
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
  expect((await service().send("GET", "/api/v1/deployments", { key })).status).toBe(200);
  expect((await service().send("GET", "/api/v1/api-keys", { key })).status).toBe(403);
  // Unknown scopes are ignored next to known ones. Without known ones they are refused, because they must not give all
  // rights.
  const device = await startDevice("DeploymentRead Nonsense");
  const page = await browser.get(`/auth/device?user_code=${device.user_code}`);
  expect(page.text).toMatch(/It may do<\/dt>\s*<dd>DeploymentRead<\/dd>/);
  expect(page.text).not.toContain("Account");
  const unknown = { client_id: "svc-cli", scope: "Nonsense openid" };
  expect(await form("/auth/device/code", unknown)).toMatchObject({
    status: 400,
    body: { error: "invalid_scope" },
  });
  const query = new URLSearchParams({
    ...unknown,
    response_type: "code",
    redirect_uri: "http://127.0.0.1:4321/callback",
    code_challenge: createHash("sha256").update("x").digest("base64url"),
    code_challenge_method: "S256",
  });
  const refused = await browser.authorize(`/auth/oauth2/authorize?${query.toString()}`);
  expect(new URL(refused).searchParams.get("error")).toBe("invalid_scope");
  const { browser: plain } = await signedIn("plain", false);
  const { access_token: weak } = await deviceTokens(plain);
  const created = await service().send("POST", "/api/v1/users/1/password-link", { key: weak });
  expect(created.status).toBe(403);
});

it("shows a page with the reason where it must not redirect a refused request", async () => {
  const query = new URLSearchParams({
    client_id: "svc-cli",
    response_type: "code",
    redirect_uri: "https://evil.example/<callback>",
    code_challenge: createHash("sha256").update("x").digest("base64url"),
    code_challenge_method: "S256",
  });
  const authorize = (accept: string) =>
    fetch(`${service().url}/auth/oauth2/authorize?${query.toString()}`, {
      headers: { accept },
      redirect: "manual",
    });
  const page = await authorize("text/html,application/xhtml+xml,*/*;q=0.8");
  const text = await page.text();
  expect([page.status, page.headers.get("location")]).toEqual([400, null]);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(text).toMatch(/<html lang="en">.*<h1>Not possible<\/h1>.*<p role="status">redirect_uri/su);
  expect(text).not.toContain("evil.example");
  const answer = await authorize("*/*");
  expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  expect(await answer.json()).toMatchObject({ error: "invalid_redirect_uri" });
});

it.each(["the API", "SCIM"])(
  "ends the tokens and sessions of a user whom %s deactivates",
  async (by) => {
    const { browser, user } = await signedIn(`leaver-${by.length}`);
    const tokens = await deviceTokens(browser);
    const session = (path: string, sent: object) =>
      service().send("POST", `/api/v1/embed${path}`, { body: sent });
    const newSession = async (): Promise<{ sessionId: string }> => {
      const request = { deploymentId: 1, internalId: `leaver-${by.length}` };
      return (await session("/generate-session", request)).body as { sessionId: string };
    };
    const shown = (await session("/session/token", await newSession())).body as { token: string };
    expect((await me(shown.token)).status).toBe(200);
    const unused = await newSession();
    const [method, path, body] =
      by === "SCIM"
        ? ([
            "PATCH",
            "/api/scim/v2/Users",
            patchBody({ op: "replace", value: { active: false } }),
          ] as const)
        : (["PUT", "/api/v1/users", { isDeactivated: true }] as const);
    await service().send("PUT", "/api/v1/tenant/settings", {
      body: { scimEnabled: by === "SCIM" },
    });
    const integration = await service().send("POST", "/api/v1/scim-integrations", {
      body: { name: by },
    });
    const { token } = integration.body as { token: string };
    const link = { body: { scimIntegration: by } };
    if (by === "SCIM") await service().send("PUT", `/api/v1/users/${user.id}`, link);
    const ended = await service().send(method, `${path}/${user.id}`, {
      body,
      ...(by === "SCIM" && { key: token }),
    });
    expect(ended.status).toBe(200);
    await service().send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: false } });
    expect((await me(tokens.access_token)).status).toBe(401);
    expect((await refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await browser.get("/auth/device")).status).toBe(303);
    expect((await me(shown.token)).status).toBe(401);
    await service().send("PUT", `/api/v1/users/${user.id}`, { body: { isDeactivated: false } });
    expect((await me(tokens.access_token)).status).toBe(401);
    // Reactivating the user does not restore an embed session either.
    expect((await me(shown.token)).status).toBe(401);
    expect((await session("/session/token", unused)).status).toBe(401);
  },
);

/** Returns the parameters of an authorization, and the verifier of its code. */
function authorization(more: Readonly<Record<string, string>> = {}) {
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    client_id: "svc-cli",
    response_type: "code",
    redirect_uri: "http://127.0.0.1:4321/callback",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    state: "s",
    ...more,
  });
  return { query, verifier, path: `/auth/oauth2/authorize?${query.toString()}` };
}

it("grants access to this account alone", async () => {
  const { browser } = await signedIn("elsewhere");
  const resource = "https://other.example.com";
  const { path } = authorization({ resource });
  const callback = new URL(await browser.authorize(path));
  expect(callback.searchParams.get("error")).toBe("invalid_target");
  expect(await form("/auth/device/code", { client_id: "svc-cli", resource })).toMatchObject({
    status: 400,
    body: { error: "invalid_target" },
  });
  const own = authorization({ resource: service().url });
  expect(new URL(await browser.authorize(own.path)).searchParams.get("code")).not.toBeNull();
});

it("answers no authorization with a page that runs a script", async () => {
  const { browser } = await signedIn("poster");
  const errorOf = async (more: Readonly<Record<string, string>>) => {
    const { path } = authorization({ response_mode: "form_post", ...more });
    const { hash, search } = new URL(await browser.authorize(path));
    return new URLSearchParams(search || hash.slice(1)).get("error");
  };
  expect(await errorOf({})).toBe("unsupported_response_mode");
  // Other errors are not sent in that mode either.
  expect(await errorOf({ response_type: "token" })).toBe("unsupported_response_type");
  expect(await errorOf({ code_challenge_method: "plain" })).toBe("invalid_request");
});

it("issues codes to clients with PKCE, once", async () => {
  const { browser, user } = await signedIn("coder");
  const { query, verifier, path } = authorization({ scope: "openid api offline_access" });
  const callback = new URL(await browser.authorize(path));
  expect(callback.origin).toBe("http://127.0.0.1:4321");
  expect(callback.searchParams.get("iss")).toBe(service().url);
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
  const keys = createRemoteJWKSet(new URL(`${service().url}/auth/oauth2/jwks`));
  const expected = { issuer: service().url, audience: "svc-cli" };
  expect((await jwtVerify(idToken, keys, expected)).payload.sub).toBe(String(user.id));
  // An ID token is not an access token, and a replayed code ends the tokens of its first use.
  expect((await me(idToken)).status).toBe(401);
  expect((await me(key)).status).toBe(200);
  expect((await redeem(verifier)).body).toMatchObject({ error: "invalid_grant" });
  expect((await me(key)).status).toBe(401);
  const other = new URL(await browser.authorize(path));
  callback.searchParams.set("code", other.searchParams.get("code") ?? "");
  expect((await redeem(randomBytes(32).toString("base64url"))).status).toBe(400);
  query.delete("code_challenge");
  query.delete("code_challenge_method");
  const plain = new URL(await browser.authorize(`/auth/oauth2/authorize?${query.toString()}`));
  expect(plain.searchParams.get("error")).toBe("invalid_request");
});
