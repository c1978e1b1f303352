// Tests workload identity: OIDC tokens of a real issuer are exchanged for API tokens, and invalid ones are refused.
import { createPublicKey, type JsonWebKey, randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  type CryptoKey,
  decodeJwt,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { getCurrentUser } from "../../../api/users.ts";
import { resolveAccess } from "../../../client/access.ts";
import { createClient } from "../../../client/client.ts";
import { openBridge, resolveSettings } from "../../../provider/bridge/connect.ts";
import { makeFolder, runSvc } from "../../golden/run-cli.ts";
import { startIssuer, type TestIssuer } from "../../support/oidc-issuer.ts";
import { postForm } from "../../support/sign-in.ts";
import { startService, type TestService } from "../../support/test-service.ts";

let service: TestService;
let issuer: TestIssuer;
/** The offset between the clocks of the service and the issuer. */
let aheadMs = 0;
/** The time of the service's clock, if it is stopped. */
let frozenAt: number | undefined;

beforeAll(async () => {
  const now = () => frozenAt ?? Date.now() + aheadMs;
  [service, issuer] = await Promise.all([startService({ now }), startIssuer()]);
});
afterEach(() => {
  aheadMs = 0;
  frozenAt = undefined;
});
afterAll(async () => {
  await service.close();
  await issuer.close();
});

const trusts = "/api/v1/workload-trusts";
const jwt = "urn:ietf:params:oauth:token-type:jwt";
const repository = { name: "repository_id", value: "42" };
let count = 0;

/** Creates a trust with a separate audience. */
async function trust(members: object = {}) {
  const audience = `https://acme.example.com/${++count}`;
  const body = {
    name: `pipeline-${count}`,
    issuer: issuer.url,
    audience,
    claims: [repository, { name: "ref", value: "refs/heads/release-*" }],
    ...members,
  };
  const created = await service.send("POST", trusts, { body });
  expect(created).toMatchObject({ status: 200 });
  return {
    id: (created.body as { id: number }).id,
    audience,
    path: `${trusts}/${(created.body as { id: number }).id}`,
  };
}

const job = {
  sub: "repo:acme/shop:ref:refs/heads/release-1",
  repository_id: 42,
  ref: "refs/heads/release-1",
};

const exchange = (token: string, fields: Record<string, string> = {}) =>
  postForm(`${service.url}/auth/oauth2/token`, {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    client_id: "svc-cli",
    subject_token: token,
    subject_token_type: jwt,
    ...fields,
  });

const call = (key: string, path = "/api/v1/users/me") => service.send("GET", path, { key });

/** Exchanges a token of the job for a token of the API. */
async function apiToken(audience: string, claims: JWTPayload = {}): Promise<string> {
  const answer = await exchange(await issuer.sign({ ...job, aud: audience, ...claims }));
  expect(answer).toMatchObject({ status: 200 });
  return (answer.body as { access_token: string }).access_token;
}

it("gives a job a short-lived token with the limits of the trust, which the audit log names", async () => {
  const { audience } = await trust({
    permissions: ["DeploymentRead", "UsersManage"],
    deploymentIds: null,
    tokenSeconds: 120,
  });
  const answer = await exchange(await issuer.sign({ ...job, aud: ["other", audience] }));
  expect(answer).toMatchObject({
    status: 200,
    body: {
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: 120,
      scope: "DeploymentRead UsersManage",
    },
  });
  expect(answer.body).not.toHaveProperty("refresh_token");
  expect(answer.headers["cache-control"]).toContain("no-store");
  const { access_token: key } = answer.body as { access_token: string };
  expect((await call(key, "/api/v1/deployments")).status).toBe(200);
  expect((await call(key, "/api/v1/api-keys")).status).toBe(403);
  await service.send("POST", "/api/v1/user-groups", { key, body: { name: "made-by-ci" } });
  const { body } = await service.send(
    "GET",
    "/api/v1/audit-logs?first=1&eventName=createUserGroup",
  );
  expect(JSON.stringify(body)).toContain(`pipeline-${count} (${job.sub})`);
  aheadMs = 121_000;
  expect((await call(key)).status).toBe(401);
});

it("limits a token to deployments and states, and to the scopes that the job asks for", async () => {
  const scoped = await trust({ deploymentIds: [1], states: [{ name: "shop", access: "read" }] });
  const key = await apiToken(scoped.audience);
  expect((await call(key)).body).toMatchObject({
    permissions: { limits: { deployments: [1], states: [{ name: "shop", access: "read" }] } },
  });
  expect((await call(key, "/api/v1/api-keys")).status).toBe(403);
  const { audience } = await trust({ permissions: ["DeploymentRead", "SchemaRead"] });
  const sign = () => issuer.sign({ ...job, aud: audience });
  const cut = await exchange(await sign(), { scope: "SchemaRead" });
  expect(cut.body).toMatchObject({ scope: "SchemaRead" });
  for (const scope of ["api", "SchemaRead SchemaUpdate", "nothing"]) {
    expect((await exchange(await sign(), { scope })).body).toMatchObject({
      error: "invalid_scope",
    });
  }
});

describe("refuses", () => {
  let audience = "";
  beforeAll(async () => ({ audience } = await trust()));
  const seconds = () => Math.floor(Date.now() / 1000);
  const signed: readonly (readonly [string, () => JWTPayload])[] = [
    ["another audience", () => ({ aud: "https://other.example.com" })],
    ["no audience", () => ({ aud: undefined as never })],
    ["an audience that is no text", () => ({ aud: [7, {}] as never })],
    ["another issuer", () => ({ iss: "https://gitlab.example.com" })],
    ["another repository", () => ({ repository_id: 421 })],
    ["a reference that the pattern does not match", () => ({ ref: "refs/heads/main" })],
    ["a missing claim", () => ({ ref: undefined })],
    ["a claim of another type", () => ({ ref: { toString: "refs/heads/release-1" } })],
    ["an expired token", () => ({ iat: seconds() - 600, exp: seconds() - 61 })],
    ["a token of the future", () => ({ nbf: seconds() + 90 })],
    ["a token issued in the future", () => ({ iat: seconds() + 9000, exp: seconds() + 9300 })],
    ["a token without an end", () => ({ exp: undefined as never })],
    ["a token without a time of issue", () => ({ iat: undefined as never })],
    ["a token without a subject", () => ({ sub: undefined as never })],
    ["a token without an ID", () => ({ jti: undefined as never })],
    ["a token for more than a day", () => ({ exp: seconds() + 86_401 })],
  ];

  it.each(signed)("%s", async (_, change) => {
    const token = await issuer.sign({ ...job, aud: audience, ...change() });
    expect(await exchange(token)).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
  });

  it("forged signatures: none, a published key as a secret, and unknown keys", async () => {
    const claims = { ...decodeJwt(await issuer.sign({ ...job, aud: audience })) };
    const [key] = issuer.published;
    const pem = createPublicKey({ key: key as JsonWebKey, format: "jwk" }).export({
      type: "spki",
      format: "pem",
    });
    const own = await generateKeyPair("RS256");
    const sign = (alg: string, kid: string | undefined, by: CryptoKey | Uint8Array) =>
      new SignJWT(claims).setProtectedHeader({ alg, ...(kid && { kid }) }).sign(by);
    const forged = [
      new UnsecuredJWT(claims).encode(),
      await sign("HS256", key?.kid, Buffer.from(pem.toString())),
      await sign("RS256", key?.kid, own.privateKey),
      await sign("RS256", "unknown", own.privateKey),
      await sign("RS256", undefined, own.privateKey),
      "a.b.c",
      "x".repeat(20_000),
    ];
    for (const token of forged) {
      expect((await exchange(token)).body).toMatchObject({ error: "invalid_request" });
    }
  });

  it("requests for anything but a token of this account", async () => {
    const sign = () => issuer.sign({ ...job, aud: audience });
    const requests: readonly (readonly [Record<string, string>, string])[] = [
      [{ subject_token_type: "urn:ietf:params:oauth:token-type:saml2" }, "invalid_request"],
      [{ actor_token: "x", actor_token_type: jwt }, "invalid_request"],
      [{ requested_token_type: jwt }, "invalid_request"],
      [{ audience: "https://other.example.com" }, "invalid_target"],
      [{ client_id: "other" }, "invalid_client"],
    ];
    for (const [fields, error] of requests) {
      expect((await exchange(await sign(), fields)).body).toMatchObject({ error });
    }
    expect((await exchange(await sign(), { resource: service.url })).status).toBe(200);
  });
});

it("accepts clocks that differ by less than a minute", async () => {
  const { audience } = await trust();
  const now = Math.floor(Date.now() / 1000);
  const early = { iat: now + 40, nbf: now + 40, exp: now + 300 };
  await apiToken(audience, early);
  await apiToken(audience, { iat: now - 300, exp: now - 30 });
});

it("exchanges a token once, also for requests at the same time, unless the trust says otherwise", async () => {
  const single = await trust();
  const token = await issuer.sign({ ...job, aud: single.audience });
  const answers = await Promise.all([1, 2, 3].map(() => exchange(token)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await exchange(token)).text).toContain("exchanged before");
  const again = await trust({ isReusable: true });
  const kept = await issuer.sign({ ...job, aud: again.audience, jti: undefined as never });
  expect([(await exchange(kept)).status, (await exchange(kept)).status]).toEqual([200, 200]);
});

it("ends tokens with the trust, with a change of it, and with the access of its owner", async () => {
  const user = { username: "robot", email: "robot@example.com", isAdmin: true };
  const created = await service.send("POST", "/api/v1/users", { body: user });
  const { id: ownerUserId } = created.body as { id: number };
  const { audience, path } = await trust({ ownerUserId });
  const key = await apiToken(audience);
  expect((await call(key)).body).toMatchObject({ username: "robot" });
  await service.send("PATCH", path, { body: { claims: [repository] } });
  expect((await call(key)).status).toBe(401);
  const second = await apiToken(audience, { ref: "refs/heads/main" });
  const deactivate = { body: { isDeactivated: true } };
  await service.send("PUT", `/api/v1/users/${ownerUserId}`, deactivate);
  expect((await call(second)).status).toBe(401);
  const late = await issuer.sign({ ...job, aud: audience });
  expect((await exchange(late)).status).toBe(400);
  await service.send("PUT", `/api/v1/users/${ownerUserId}`, { body: { isDeactivated: false } });
  expect((await exchange(await issuer.sign({ ...job, aud: audience }))).status).toBe(400);
  await service.send("PATCH", path, { body: { isDisabled: false } });
  const third = await apiToken(audience);
  await service.send("DELETE", path);
  expect((await call(third)).status).toBe(401);
  expect((await exchange(await issuer.sign({ ...job, aud: audience }))).status).toBe(400);
});

it("issues no token for a trust that changes meanwhile, even in the same millisecond", async () => {
  frozenAt = Date.now();
  let path = "";
  const keys = createServer((_, response) => {
    void service.send("PATCH", path, { body: { permissions: ["SchemaRead"] } }).then(() => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ keys: issuer.published }));
    });
  });
  keys.listen(0, "127.0.0.1");
  await once(keys, "listening");
  try {
    const { port } = keys.address() as AddressInfo;
    const created = await trust({ jwksUri: `http://127.0.0.1:${port}/` });
    ({ path } = created);
    const answer = await exchange(await issuer.sign({ ...job, aud: created.audience }));
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining("changed") });
  } finally {
    keys.close();
  }
});

it("shows the claims that a trust requires only to a caller with a token of the issuer", async () => {
  const { audience } = await trust();
  const own = await generateKeyPair("RS256");
  const forged = (claims: JWTPayload) =>
    new SignJWT({ ...decodeJwt(token), ...claims })
      .setProtectedHeader({ alg: "RS256" })
      .sign(own.privateKey);
  const token = await issuer.sign({ ...job, aud: audience });
  const [right, wrong] = [await forged({}), await forged({ repository_id: 7 })];
  expect((await exchange(right)).text).toBe((await exchange(wrong)).text);
  const other = await issuer.sign({ ...job, aud: audience, repository_id: 7 });
  expect((await exchange(other)).text).toContain("compare its issuer, audience and claims");
});

it("forgets deployments that are deleted, and gives no others instead", async () => {
  const create = { body: { name: "short-lived", region: "aws-us-east-1" } };
  const deployment = (await service.send("POST", "/build/api/v1/deployments", create)).body;
  const { id } = deployment as { id: number };
  const [one, both] = [
    await trust({ deploymentIds: [id] }),
    await trust({ deploymentIds: [1, id] }),
  ];
  expect((await service.send("DELETE", `/api/v1/deployments/${id}`)).status).toBe(200);
  expect((await service.send("GET", both.path)).body).toMatchObject({ deploymentIds: [1] });
  expect((await service.send("GET", one.path)).body).toMatchObject({ deploymentIds: [] });
  expect((await call(await apiToken(one.audience), "/api/v1/deployments/1")).status).toBe(403);
});

it("follows keys that rotate, refuses those that were removed, and reads keys rarely", async () => {
  const own = await startIssuer();
  try {
    const { audience } = await trust({ issuer: own.url });
    const signed = () => own.sign({ ...job, aud: audience });
    expect((await exchange(await signed())).status).toBe(200);
    expect(own.reads).toEqual(["/.well-known/openid-configuration", "/keys"]);
    const hour = { ...job, aud: audience, exp: Math.floor(Date.now() / 1000) + 3600 };
    const [removed, late] = [await own.sign(hour), await own.sign(hour)];
    await own.rotate();
    // Unknown keys are looked up once in each pause, regardless of the caller.
    for (let tries = 0; tries < 5; tries++)
      expect((await exchange(await signed())).status).toBe(400);
    expect(own.reads.length).toBe(2);
    // The kept keys still have the removed one.
    expect((await exchange(removed)).status).toBe(200);
    aheadMs = 31_000;
    expect((await exchange(await signed())).status).toBe(200);
    expect(own.reads.length).toBe(4);
    expect((await exchange(late)).text).toContain("no applicable key");
    // Cached keys also expire without an unknown one.
    const last = await own.sign(hour);
    await own.rotate();
    aheadMs = 700_000;
    expect((await exchange(last)).text).toContain("no applicable key");
  } finally {
    await own.close();
  }
});

it("asks only issuers that the operator's rules allow, and believes only what they say of themselves", async () => {
  const closed = await startIssuer();
  await closed.close();
  const cases: readonly (readonly [object, string, string?])[] = [
    [{ issuer: "http://10.0.0.1" }, "plain HTTP"],
    [{ issuer: "https://10.0.0.1" }, "private address"],
    // A repeated request can succeed; the others are refused until someone acts.
    [{ issuer: closed.url }, "cannot be reached", "temporarily_unavailable"],
    [{ issuer: `${issuer.url}/other` }, "does not describe the issuer"],
    [{ issuer: `${issuer.url}/nothing` }, "answers 404"],
    [{ jwksUri: `${issuer.url}/moved` }, "answers 302"],
    [{ jwksUri: `${issuer.url}/.well-known/openid-configuration` }, "no keys"],
  ];
  for (const [members, text, error = "invalid_request"] of cases) {
    const { audience } = await trust(members);
    const { issuer: iss = issuer.url } = members as { issuer?: string };
    const answer = await exchange(await issuer.sign({ ...job, iss, aud: audience }));
    expect(answer.body).toMatchObject({ error });
    expect(answer.text).toContain(text);
  }
  const { audience } = await trust({ jwksUri: `${issuer.url}/keys`, issuer: "https://10.0.0.1" });
  await apiToken(audience, { iss: "https://10.0.0.1" });
});

it("refuses trusts that strangers could use, and ambiguous ones", async () => {
  const github = "https://token.actions.githubusercontent.com";
  const cases: readonly (readonly [object, string])[] = [
    [{ claims: [{ name: "sub", value: "repo:acme/*" }] }, "not have `*` in `sub`"],
    [{ claims: [{ name: "ref", value: "refs/heads/*" }] }, "without `*`"],
    [{ claims: [repository, { name: "ref", value: "**" }] }, "any value"],
    [{ claims: [repository, repository] }, "body.claims[1].name must differ from claims[0].name"],
    [{ claims: [{ name: "aud", value: "x" }] }, "every token is checked"],
    [{ claims: [] }, "1"],
    [{ issuer: github, claims: [{ name: "event_name", value: "push" }] }, "repository_id"],
    ...[
      "https://gitlab.com",
      "https://agent.buildkite.com",
      "https://app.terraform.io",
      "https://oidc.codefresh.io",
      "https://accounts.google.com",
    ].map((open) => [{ issuer: open }, "everyone can get tokens"] as const),
    [{ tokenSeconds: 3601 }, "3600"],
    [{ deploymentIds: [999] }, "no deployments"],
    [{ ownerUserId: 999 }, "no user 999"],
  ];
  for (const [members, text] of cases) {
    const name = randomUUID();
    const body = { name, issuer: issuer.url, audience: name, claims: [repository], ...members };
    const answer = await service.send("POST", trusts, { body });
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining(text) });
  }
  const limited = await service.send("POST", "/api/v1/api-keys", {
    body: { name: "limited", permissions: ["ApiKeysManage"] },
  });
  const { token: key } = limited.body as { token: string };
  const { path, audience } = await trust();
  const wider = { name: "wider", issuer: issuer.url, audience, claims: [repository] };
  expect((await service.send("POST", trusts, { key, body: wider })).status).toBe(403);
  // Not even the claims, because a caller who sets them decides who gets the permissions.
  const claims = { claims: [{ name: "repository_id", value: "7" }] };
  expect((await service.send("PATCH", path, { key, body: claims })).status).toBe(403);
  expect((await service.send("POST", trusts, { body: wider })).status).toBe(200);
  const both = await exchange(await issuer.sign({ ...job, aud: audience }));
  expect(both.text).toContain("several workload trusts");
  expect((await service.send("POST", trusts, { body: wider })).status).toBe(409);
});

describe("a client", () => {
  const folder = makeFolder({});
  afterAll(() => folder.remove());
  const environment = { SVC_CONFIG_FILE: "" };

  it("exchanges the token of a file once for its calls, and another one when the first expires", async () => {
    const { audience } = await trust({ tokenSeconds: 60 });
    const file = join(folder.path, "token");
    const write = async () =>
      writeFileSync(file, `${await issuer.sign({ ...job, aud: audience })}\n`);
    await write();
    const env = { ...environment, SVC_API_URL: service.url, SVC_OIDC_TOKEN_FILE: file };
    const found = resolveAccess({}, env);
    const clients = [1, 2].map(() =>
      createClient({ credential: undefined, ...found, url: service.url }),
    );
    const ask = () =>
      Promise.all(clients.flatMap((one) => [1, 2].map(() => one.call(getCurrentUser, {}))));
    expect((await ask()).map(({ username }) => username)).toEqual(Array(4).fill("admin"));
    // A token works once, so this fails unless all calls share the exchanged token.
    aheadMs = 61_000;
    await write();
    expect(await ask()).toHaveLength(4);
    aheadMs = 122_000;
    await expect(clients[0]?.call(getCurrentUser, {})).rejects.toMatchObject({
      code: "unauthenticated",
      message: expect.stringContaining("exchanged before"),
    });
    await Promise.all(clients.map((one) => one.close()));
  });

  it("shares the token of a file among clients, as in the runs of a controller, until shortly before its end", async () => {
    const file = join(folder.path, "shared");
    const env = { ...environment, SVC_API_URL: service.url, SVC_OIDC_TOKEN_FILE: file };
    const whoami = async () => {
      const access = { credential: undefined, ...resolveAccess({}, env), url: service.url };
      const client = createClient(access);
      try {
        return await client.call(getCurrentUser, {});
      } finally {
        await client.close();
      }
    };
    const { audience, path } = await trust();
    writeFileSync(file, await issuer.sign({ ...job, aud: audience }));
    const runs = await Promise.all([whoami(), whoami()]);
    expect([...runs, await whoami()].map(({ username }) => username)).toEqual(
      Array(3).fill("admin"),
    );
    // A refused token is not cached. A token that ends within a minute is used if it cannot be exchanged again.
    await service.send("PATCH", path, { body: { tokenSeconds: 60 } });
    await expect(whoami()).rejects.toThrow("exchanged before");
    writeFileSync(file, await issuer.sign({ ...job, aud: audience }));
    await whoami();
    await whoami();
    aheadMs = 61_000;
    await expect(whoami()).rejects.toThrow("exchanged before");
  });

  it("takes the token of the environment, and requests one from GitHub for each command", async () => {
    // A token that is not cached, as between processes.
    const { audience } = await trust({ tokenSeconds: 60 });
    const token = await issuer.sign({ ...job, aud: audience });
    const env = { ...environment, SVC_API_URL: service.url };
    const gitlab = { ...env, SVC_OIDC_TOKEN: token };
    expect(await runSvc(["whoami"], { env: gitlab })).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringMatching(/workload token ".+" exchanged for the OIDC token/u),
    });
    aheadMs = 61_000;
    const again = await runSvc(["whoami"], { env: gitlab });
    expect(again).toMatchObject({ code: 77, err: expect.stringContaining("exchanged before") });
    expect(again.err).not.toContain(token);
    aheadMs = 0;
    issuer.jobs.set("the-job", job);
    const github = {
      ...env,
      SVC_OIDC_AUDIENCE: audience,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/request?api-version=2`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "the-job",
    };
    for (let runs = 0; runs < 2; runs++) {
      const { code, out } = await runSvc(["whoami"], { env: github });
      expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("admin") });
    }
    const stranger = { ...github, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "another-job" };
    const refused = await runSvc(["whoami"], { env: stranger });
    expect(refused).toMatchObject({ code: 77, err: expect.stringContaining("status 401") });
    const missing = await runSvc(["whoami"], { env: { ...env, SVC_OIDC_AUDIENCE: audience } });
    expect(missing.err).toContain("id-token: write");
    const unknown = await runSvc(["whoami"], { env: { ...env, SVC_OIDC_TOKEN_FILE: "/nowhere" } });
    expect(unknown.err).toContain("cannot be read: no such file or folder");
    // A key takes priority.
    expect(resolveAccess({}, { ...gitlab, SVC_API_KEY: "sk-a" }).renewCredential).toBeUndefined();
  });

  it("plans and applies, and the providers connect, without a key", async () => {
    const { audience } = await trust({ isReusable: true });
    const token = await issuer.sign({ ...job, aud: audience });
    const group = { apiVersion: "svc/v1", kind: "UserGroup", metadata: { name: "ci-group" } };
    const stack = makeFolder({
      "stack.yaml": "{ apiVersion: svc/v1, kind: Stack, metadata: { name: ci } }",
      "group.yaml": JSON.stringify({ ...group, spec: { name: "ci-group" } }),
    });
    const env = { ...environment, SVC_API_URL: service.url, SVC_OIDC_TOKEN: token };
    const applied = await runSvc(["apply", "--yes"], { cwd: stack.path, env });
    expect(applied).toMatchObject({ code: 0, err: expect.any(String) });
    const groups = await service.send("GET", "/api/v1/user-groups?search=ci-group");
    expect(groups.text).toContain("ci-group");
    stack.remove();
    const settings = resolveSettings({}, env);
    if (!("url" in settings)) throw new Error("the settings of the provider are not valid");
    await (await openBridge(settings, { userAgent: "test" })).close();
  });
});
