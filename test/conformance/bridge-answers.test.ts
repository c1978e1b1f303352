// Tests what the bridge keeps of the response to a create: IDs of objects with equal keys, and objects that cannot be read
// back.
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClient } from "../../client/client.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { Secret } from "../../core/secret.ts";
import { type Bridge, createBridge } from "../../provider/bridge/bridge.ts";
import { readTargetFor, readTargetForImport } from "../../provider/bridge/read-target.ts";
import { type Proxy, startProxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { kindNamed } from "./registry-cases.ts";
import { kinds } from "../../resources/index.ts";

let service: TestService;
let proxy: Proxy;
let bridge: Bridge;

const folder = kindNamed("Folder");
const spec: JsonObject = { deployment: "main", name: "shared" };

beforeEach(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
  const client = createClient({ url: proxy.url, credential: new Secret(service.adminKey) });
  bridge = createBridge(client, await client.discoverApi());
});
afterEach(async () => {
  await bridge.close();
  await proxy.close();
  await service.close();
});

/** Creates the folder again, as another client does between the lookup and the request. */
async function createAnother(): Promise<void> {
  const path = "/api/v1/deployments/1/folders";
  await service.send("POST", path, { body: { name: "shared" } });
}

it("a create of an object whose key the server does not enforce keeps its own id", async () => {
  proxy.arm(1, async () => {
    await createAnother();
    return "pass";
  });
  const { observed, failure } = await bridge.create(folder, spec);
  expect(failure).toBeUndefined();
  expect(observed.status["id"]).toBe(Number(observed.id));
  const target = readTargetFor(folder, spec, { id: observed.id });
  expect((await bridge.read(target))?.id).toBe(observed.id);
  await bridge.delete(folder, observed, kinds);
  expect(await bridge.readFresh({ ...target, key: undefined })).toBeUndefined();
  expect((await bridge.readFresh(readTargetFor(folder, spec)))?.id).not.toBe(observed.id);
});

it("a delete without an id looks it up, and names the ids of objects with one key", async () => {
  const { observed } = await bridge.create(folder, spec);
  await createAnother();
  const withoutId = { ...observed, id: undefined, status: {} };
  await expect(bridge.delete(folder, withoutId, kinds)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("2 live objects have the key"),
  });
  await bridge.delete(folder, observed, kinds);
  // The folder of the other client has another position.
  await expect(bridge.delete(folder, withoutId, kinds)).rejects.toMatchObject({ code: "conflict" });
  await bridge.delete(folder, { ...withoutId, spec }, kinds);
  expect(await bridge.readFresh(readTargetFor(folder, spec))).toBeUndefined();
});

it("a delete without an id leaves an object alone that differs from the state", async () => {
  const group = kindNamed("UserGroup");
  const { observed } = await bridge.create(group, { name: "shared", description: "Ours" });
  const withoutId = { ...observed, id: undefined, status: {} };
  await service.send("DELETE", `/api/v1/groups/${observed.id}`);
  const body = { name: "shared", description: "Theirs" };
  await service.send("POST", "/api/v1/user-groups", { body });
  await expect(bridge.delete(group, withoutId, kinds)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("differs from the state"),
    remedy: expect.stringContaining("Refresh"),
  });
  const theirs = await bridge.readFresh(readTargetFor(group, body));
  expect(theirs?.spec).toEqual(body);
  await bridge.delete(group, { ...withoutId, spec: body }, kinds);
  expect(await bridge.readFresh(readTargetFor(group, body))).toBeUndefined();
});

it("a create that cannot be read back succeeds, and says why", async () => {
  proxy.arm(1, async () => {
    proxy.armAnyCall(1, "fail-before", limits.restartAttempts * 10);
    return "pass";
  });
  const { observed, failure, unverified } = await bridge.create(folder, spec);
  expect(failure).toBeUndefined();
  expect(unverified?.message).toContain("500");
  expect(observed).toMatchObject({ id: expect.stringMatching(/^\d+$/), spec });
});

it("an empty text is no import id", () => {
  expect(() => readTargetForImport(kindNamed("UserGroup"), "")).toThrow("is not an import id");
});
