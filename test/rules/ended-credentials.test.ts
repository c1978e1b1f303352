// Tests that credentials of before a deactivation stay ended, and that a data token ends with the credential that created it.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;
let userId: number;

beforeEach(async () => {
  service = await startService();
  const user = { username: "ann", email: "ann@example.com", isAdmin: true };
  userId = (await create("/users", user)).id;
});
afterEach(async () => service.close());

type Created = Record<"id", number> &
  Readonly<Record<"token" | "svcApiToken" | "sessionId", string>>;

async function create(path: string, body: object, key = service.adminKey): Promise<Created> {
  const answer = await service.send("POST", `/api/v1${path}`, { body, key });
  expect(answer.status).toBe(200);
  return answer.body as Created;
}

const put = (path: string, body: object, method: "PUT" | "PATCH" = "PUT", key = service.adminKey) =>
  service.send(method, `/api/v1${path}`, { body, key });
const keyOf = (more: object = {}) =>
  create("/api-keys", { name: "ann", ownerUserId: userId, ...more });
const dataToken = async (key: string) =>
  (await create("/deployments/1/token", {}, key)).svcApiToken;
const useKey = async (key: string) =>
  (await service.send("GET", "/api/v1/users/me", { key })).status;

/** Returns the status of a request to the data API. */
async function useToken(authorization: string): Promise<number> {
  const options = { key: null, headers: { authorization } };
  return (await service.send("GET", "/deployments/main/api/v1/spec", options)).status;
}

/** Returns the token of a session of the user. */
async function embedToken(): Promise<string> {
  const session = await create("/embed/generate-session", { deploymentId: 1, internalId: "ann" });
  return (await create("/embed/session/token", { sessionId: session.sessionId })).token;
}

async function deactivateAndReactivate(): Promise<void> {
  await put(`/users/${userId}`, { isDeactivated: true });
  await put(`/users/${userId}`, { isDeactivated: false });
}

describe("credentials of before a deactivation", () => {
  it("stay ended after a reactivation: sessions and data tokens for good, keys until they are enabled", async () => {
    const { id, token: key } = await keyOf();
    const session = await embedToken();
    const fromKey = await dataToken(key);
    const fromSession = await dataToken(session);
    const use = async () => [
      await useKey(key),
      await useKey(session),
      await useToken(fromKey),
      await useToken(fromSession),
    ];
    expect(await use()).toEqual([200, 200, 200, 200]);
    await deactivateAndReactivate();
    expect(await use()).toEqual([403, 401, 401, 401]);
    expect((await service.send("GET", `/api/v1/api-keys/${id}`)).body).toMatchObject({
      isDisabled: true,
    });
    expect((await put(`/api-keys/${id}`, { isDisabled: false }, "PATCH")).status).toBe(200);
    expect(await use()).toEqual([200, 401, 401, 401]);
    expect(await useToken(await dataToken(key))).toBe(200);
  });

  it("are enabled by an administrator only: keys", async () => {
    await put("/tenant/settings", { personalKeysEnabled: true });
    await put(`/users/${userId}`, { isAdmin: false });
    const { id } = await keyOf();
    await deactivateAndReactivate();
    const { token: later } = await keyOf();
    const enable = (key: string) => put(`/api-keys/${id}`, { isDisabled: false }, "PATCH", key);
    expect((await enable(later)).status).toBe(403);
    expect((await put(`/api-keys/${id}`, { name: "old" }, "PATCH", later)).status).toBe(200);
    const limited = await create("/api-keys", { name: "limited", permissions: ["ApiKeysManage"] });
    expect((await enable(limited.token)).status).toBe(403);
    expect((await enable(service.adminKey)).status).toBe(200);
  });

  it("cannot create again what they created: listed tokens of environments", async () => {
    const { id, token: key } = await keyOf();
    const environments = "/deployments/1/environments";
    const { body } = await service.send("GET", `/api/v1${environments}`);
    const [environment] = (body as { items: { id: number }[] }).items;
    const path = `${environments}/${environment?.id}/tokens`;
    await create(path, { security_context: {} }, key);
    const listed = async () =>
      (await service.send("GET", `/api/v1${path}`, { key })).body as { items: object[] };
    expect((await listed()).items).toHaveLength(1);
    await deactivateAndReactivate();
    await put(`/api-keys/${id}`, { isDisabled: false }, "PATCH");
    expect((await listed()).items).toEqual([]);
  });
});

describe("a data token", () => {
  it("ends with the key that created it: deleted, disabled, or limited to other deployments", async () => {
    const other = { name: "other", region: "aws-us-east-1" };
    const { body } = await service.send("POST", "/build/api/v1/deployments", { body: other });
    const { id: deployment } = body as { id: number };
    const { id, token: key } = await keyOf();
    const token = await dataToken(key);
    const change = (members: object) => put(`/api-keys/${id}`, members, "PATCH");
    const kept = await dataToken((await keyOf()).token);
    await change({ deploymentIds: [deployment] });
    expect(await useToken(token)).toBe(403);
    await change({ deploymentIds: null, isDisabled: true });
    expect(await useToken(token)).toBe(403);
    await change({ isDisabled: false });
    expect(await useToken(token)).toBe(200);
    await service.send("DELETE", `/api/v1/api-keys/${id}`);
    expect([await useToken(token), await useToken(kept)]).toEqual([401, 200]);
  });

  it("has the rights of the key that created it: no SQL for a key that may not read the data model", async () => {
    const answerOf = async (key: string) => {
      const authorization = await dataToken(key);
      const path = "/deployments/main/svcjs-api/v1/sql?query=%7B%7D";
      return (await service.send("GET", path, { key: null, headers: { authorization } })).text;
    };
    const refusal = "only who has the permission SchemaRead";
    const limited = await keyOf({ permissions: ["DeploymentTokenCreate"] });
    expect(await answerOf(limited.token)).toContain(refusal);
    expect(await answerOf((await keyOf()).token)).not.toContain(refusal);
  });

  it("ends with the session that created it", async () => {
    const token = await dataToken(await embedToken());
    expect(await useToken(token)).toBe(200);
    const { body } = await service.send("GET", "/api/v1/embed/sessions");
    const [session] = (body as { items: { id: number }[] }).items;
    await service.send("DELETE", `/api/v1/embed/sessions/${session?.id}`);
    expect(await useToken(token)).toBe(401);
  });

  it("ends with the user", async () => {
    const token = await dataToken((await keyOf()).token);
    await service.send("DELETE", `/api/v1/users/${userId}`);
    expect(await useToken(token)).toBe(401);
  });
});
