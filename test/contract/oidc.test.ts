// OIDC: tokens of deployments that anyone can verify through the published keys, and the rules of their configurations.
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runSvc } from "../golden/run-cli.ts";
import { limits } from "../../core/limits/limits.ts";
import { startService, type TestService } from "../support/test-service.ts";

const configs = "/api/v1/oidc-token-configs";
let service: TestService;
let now = Date.parse("2026-11-01T00:00:00Z");

beforeEach(async () => {
  now = Date.parse("2026-11-01T00:00:00Z");
  service = await startService({ now: () => now });
});
afterEach(() => service.close());

async function create(body: object): Promise<number> {
  const { status, body: created, text } = await service.send("POST", configs, { body });
  expect([status, text]).toEqual([200, text]);
  return (created as { id: number }).id;
}

async function issue(id: number, component?: string): Promise<string> {
  const body = { deploymentId: 1, component };
  const { body: answer } = await service.send("POST", `${configs}/${id}/token`, { body });
  return (answer as { token: string }).token;
}

it("configurations without a name get one that is free", async () => {
  const custom = { audienceType: "Custom", customAudience: "https://vault.example.com" };
  await create({ ...custom, name: "aws" });
  for (const body of [custom, custom, { audienceType: "AWS" }]) await create(body);
  const { body } = await service.send("GET", configs);
  expect((body as { name: string }[]).map(({ name }) => name)).toEqual([
    "aws",
    "custom",
    "custom-2",
    "aws-2",
  ]);
});

it("tokens verify with the published keys, and those of a retired key until they expire", async () => {
  const id = await create({
    audienceType: "AWS",
    subFormat: "svc:{component}:{region}:{deployment_id}",
    customClaims: { team: "data" },
  });
  const token = await issue(id);
  const found = await service.send("GET", "/.well-known/openid-configuration", { key: null });
  const { issuer, jwks_uri } = found.body as { issuer: string; jwks_uri: string };
  expect(issuer).toBe(service.url);
  const verify = async (text: string) =>
    jwtVerify(text, createRemoteJWKSet(new URL(jwks_uri)), {
      issuer,
      audience: "sts.amazonaws.com",
      algorithms: ["RS256"],
      currentDate: new Date(now),
    });
  const { payload } = await verify(token);
  expect(payload).toMatchObject({ sub: "svc:svc_api:aws-us-east-1:1", team: "data" });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(limits.oidcTokenSeconds);
  expect(decodeJwt(await issue(id, "global")).sub).toBe("svc:global:control-plane:1");
  now += limits.signingKeyMs - 60_000;
  const last = await issue(id);
  now += 120_000;
  const next = await issue(id);
  const kids = [token, last, next].map((one) => decodeProtectedHeader(one).kid);
  expect([kids[0] === kids[1], kids[1] === kids[2]]).toEqual([true, false]);
  await verify(last);
  await verify(next);
  now += limits.retiredKeyMs;
  const { body } = await service.send("GET", "/.well-known/jwks.json", { key: null });
  const { keys } = body as { keys: { kid: string }[] };
  expect(keys.map(({ kid }) => kid)).toEqual([kids[2]]);
  expect(JSON.stringify(keys)).not.toContain('"d"');
  const [stored] = await service.db.selectFrom("signing_keys").selectAll().execute();
  expect(stored?.sealed_private_key).toMatch(/^s1\./);
});

it("there is one configuration of each cloud, and reserved claims are refused", async () => {
  const id = await create({ audienceType: "AWS" });
  const status = async (body: object) => (await service.send("POST", configs, { body })).status;
  expect(await status({ audienceType: "AWS", name: "other" })).toBe(409);
  expect(await status({ audienceType: "Custom" })).toBe(400);
  expect(await status({ audienceType: "GCP", customClaims: { iss: "me" } })).toBe(400);
  expect(await status({ audienceType: "GCP", subFormat: "{user}" })).toBe(400);
  const request = { body: { deploymentId: 1 }, headers: { "idempotency-key": "one" } };
  expect((await service.send("POST", `${configs}/${id}/token`, request)).status).toBe(200);
  const disabled = { body: { isEnabled: false } };
  expect((await service.send("PUT", `${configs}/${id}`, disabled)).status).toBe(200);
  expect((await service.send("POST", `${configs}/${id}/token`, request)).status).toBe(409);
});

it("tokens of the whole account are for who may read all its secrets", async () => {
  const own = await create({ audienceType: "AWS" });
  const shared = await create({ audienceType: "GCP", subFormat: "svc:{region}" });
  const body = { name: "one", permissions: ["SecretsManage"], deploymentIds: [1] };
  const created = await service.send("POST", "/api/v1/api-keys", { body });
  const { token: key } = created.body as { token: string };
  const status = async (id: number, component?: string, as?: string) => {
    const request = { body: { deploymentId: 1, component }, ...(as !== undefined && { key: as }) };
    return (await service.send("POST", `${configs}/${id}/token`, request)).status;
  };
  expect(await status(own, undefined, key)).toBe(200);
  expect([await status(own, "global", key), await status(shared, undefined, key)]).toEqual([
    403, 403,
  ]);
  expect([await status(own, "global"), await status(shared)]).toEqual([200, 200]);
});

it("a token is written to a file of its reader, with the variable that names it", async () => {
  await create({ audienceType: "AWS", targetEnvVar: "AWS_WEB_IDENTITY_TOKEN_FILE" });
  const folder = mkdtempSync(join(tmpdir(), "svc-oidc-"));
  const file = join(folder, "tokens", "aws");
  const args = ["oidc", "token", "aws", "main", "--file", file];
  const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
  const { code, out } = await runSvc(args, { env, input: "" });
  expect([code, out]).toEqual([0, `export AWS_WEB_IDENTITY_TOKEN_FILE=${file}\n`]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(decodeJwt(readFileSync(file, "utf8")).sub).toBe("svc:deployment:1");
  rmSync(folder, { recursive: true });
});

it("is not found while the account disables it", async () => {
  const id = await create({ audienceType: "Azure" });
  await service.send("PUT", "/api/v1/tenant/settings", { body: { oidcEnabled: false } });
  const paths = [configs, `${configs}/${id}`, "/.well-known/jwks.json"];
  for (const path of paths) expect((await service.send("GET", path)).status).toBe(404);
});
