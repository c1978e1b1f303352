// Tests that stacks of a server with a new address continue there after a command, and at no other server.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { Secret } from "../../../core/secret.ts";
import { history } from "../../../reconciler/verbs/history.ts";
import { moveInventory } from "../../../reconciler/verbs/inventory-admin.ts";
import { protect } from "../../../reconciler/verbs/protect.ts";
import {
  type AddressOptions,
  changeServerAddress,
} from "../../../reconciler/verbs/server-address.ts";
import { adopt } from "../../../reconciler/verbs/verbs.ts";
import { startSvc } from "../../golden/run-cli.ts";
import { type ProxiedRequest, type Proxy, startProxy } from "../../support/fault-proxy.ts";
import {
  createTestDatabase,
  inventoryPlaces,
  type TestDatabase,
} from "../../support/test-database.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../../support/test-stack.ts";

const group = (name: string, description = "one"): Doc => ({
  kind: "UserGroup",
  name,
  spec: { name, description },
});
const unproven = /no record of the inventory/u;

let service: TestService;
/** The other address of the service. */
let proxy: Proxy;
let keepsStates: boolean;
let database: TestDatabase;
let stacks: TestStack[];

beforeEach(async () => {
  [stacks, keepsStates] = [[], true];
  database = await createTestDatabase();
  service = await startService();
  proxy = await startProxy(service.url, withoutStates);
});
afterEach(async () => {
  await Promise.all(stacks.map((stack) => stack.dispose()));
  await proxy.close();
  await service.close();
  await database.drop();
});

function withoutStates({ path }: ProxiedRequest, body: JsonValue): JsonValue {
  const paths = isObject(body) ? body["paths"] : undefined;
  if (keepsStates || path !== "/api/v1/spec" || !isObject(body) || !isObject(paths)) return body;
  const others = Object.entries(paths).filter(([at]) => !at.startsWith("/api/v1/state"));
  return { ...body, paths: Object.fromEntries(others) };
}

async function make(
  { url, adminKey: key }: Pick<TestService, "url" | "adminKey"> = service,
  inventory = "file",
): Promise<TestStack> {
  const env = { SVC_INVENTORY_URL: database.data };
  const stack = await makeStack({ url, key, name: "shop", inventory, env });
  stacks.push(stack);
  return stack;
}

const connectionTo = (url: string, { adminKey }: Pick<TestService, "adminKey"> = service) => ({
  url,
  credential: new Secret(adminKey),
});

/** Continues at an address; by default at the proxy. */
function move({ options }: TestStack, more: Partial<AddressOptions> = {}) {
  const connection = connectionTo(proxy.url);
  const formerUrl = service.url;
  return changeServerAddress({
    ...options,
    connection,
    formerUrl,
    approve: async () => true,
    ...more,
  });
}

async function send(...request: Parameters<TestService["send"]>): Promise<void> {
  expect((await service.send(...request)).status).toBeLessThan(300);
}

async function pathOf(name: string): Promise<string> {
  const { body } = await service.send("GET", "/api/v1/user-groups");
  const { items } = body as { readonly items: readonly { id: number; name: string }[] };
  return `/api/v1/user-groups/${items.find((one) => one.name === name)?.id}`;
}

const target = () => ({ connection: connectionTo(proxy.url) });
const refusedAs = (message: RegExp) => ({
  code: "refused",
  message: expect.stringMatching(message) as string,
});

describe.each(["file", ...inventoryPlaces])("a stack whose inventory is kept by %s", (place) => {
  it("is refused at the new address, and continues there after the command", async () => {
    const stack = await make(service, place);
    await stack.write([group("sellers"), group("buyers")]);
    await stack.apply();
    await expect(stack.plan(target())).rejects.toMatchObject({
      code: "refused",
      remedy: expect.stringContaining(`svc inventory move --former-url ${service.url}`),
    });
    const seen = { foundCount: 2, objectCount: 2, missing: [], notCompared: [] };
    expect(await move(stack, { approve: async () => false })).toMatchObject({
      outcome: "declined",
      change: { ...seen, formerUrl: service.url, url: proxy.url },
    });
    expect(await stack.plan()).toMatchObject({ unchanged: 2 });
    expect(await move(stack)).toMatchObject({ ok: true, outcome: "changed", change: seen });
    expect(await stack.plan(target())).toMatchObject({ changes: [], unchanged: 2 });
    expect(await move(stack)).toMatchObject({ outcome: "unchanged" });
    await expect(stack.plan()).rejects.toMatchObject({ code: "refused" });
    const { options } = stack;
    const reported = await history({ ...options, ...target() });
    expect(reported.ok && reported.runs).toMatchObject([
      {
        verb: "move",
        message: `the server ${service.url} is now ${proxy.url}`,
        move: { type: "server", from: service.url, to: proxy.url },
      },
      { verb: "apply" },
    ]);
    await stack.write([group("sellers", "two")]);
    expect((await stack.apply(target())).outcomes).toHaveLength(2);
  });

  it("does not continue where an object is another one, or none is there", async () => {
    const stack = await make(service, place);
    await stack.write([group("sellers"), group("buyers"), group("lenders")]);
    await stack.apply();
    const renamed = await pathOf("sellers");
    await send("PATCH", renamed, { body: { name: "resellers" } });
    await expect(move(stack)).rejects.toMatchObject(
      refusedAs(/^UserGroup\/sellers differs: its ID belongs to UserGroup\/resellers there; /u),
    );
    await send("PATCH", renamed, { body: { name: "sellers" } });
    await send("DELETE", await pathOf("buyers"));
    await send("POST", "/api/v1/user-groups", { body: { name: "buyers" } });
    await expect(move(stack)).rejects.toMatchObject(
      refusedAs(/^UserGroup\/buyers differs: UserGroup\/buyers has another ID there/u),
    );
    await send("DELETE", await pathOf("buyers"));
    await send("DELETE", await pathOf("sellers"));
    const declined = await move(stack, { approve: async () => false });
    expect(declined).toMatchObject({
      change: { foundCount: 1, missing: ["UserGroup/buyers", "UserGroup/sellers"] },
    });
    await send("DELETE", await pathOf("lenders"));
    await expect(move(stack)).rejects.toMatchObject(refusedAs(/ has 0 of the 3 objects /u));
    expect((await stack.plan()).changes).toHaveLength(3);
  });

  it("writes nothing where the stack changed since, or was applied elsewhere", async () => {
    const stack = await make(service, place);
    await stack.write([group("sellers")]);
    await stack.apply();
    const approve = async (): Promise<boolean> => {
      await protect({ ...stack.options, addresses: ["UserGroup/sellers"], protect: true });
      return true;
    };
    await expect(move(stack, { approve })).rejects.toMatchObject({ code: "stale" });
    await expect(move(stack, { formerUrl: "https://other.example" })).rejects.toMatchObject({
      ...refusedAs(/was applied to http.*, not to https:\/\/other\.example/u),
      remedy: expect.stringContaining(`--former-url ${service.url}`),
    });
    expect(await stack.plan()).toMatchObject({ changes: [], unchanged: 1 });
  });
});

/** Creates another stack in the same folder, so that both share an inventory store. */
function renameStack(stack: TestStack, name: string, inventory: string | JsonObject): void {
  const document = { apiVersion: "svc/v1", kind: "Stack", metadata: { name }, spec: { inventory } };
  writeFileSync(join(stack.folder, "stack.yaml"), JSON.stringify(document));
}

it.each(["file", ...inventoryPlaces])(
  "a stack kept by %s takes nothing from one that still has the former address",
  async (place) => {
    const stack = await make(service, place);
    await stack.write([group("sellers")]);
    await stack.apply();
    renameStack(stack, "bakery", place);
    await stack.write([group("bakers")]);
    await stack.apply();
    await move(stack);
    await stack.write([group("bakers"), group("sellers")]);
    const { diagnostics } = await stack.plan({ ...target(), adopt: () => true });
    expect(diagnostics).toMatchObject([
      { code: "owned-by-other-stack", summary: expect.stringContaining("shop") },
    ]);
    renameStack(stack, "shop", place);
    expect(await move(stack)).toMatchObject({ outcome: "changed" });
    await stack.write([group("sellers")]);
    expect(await stack.plan(target())).toMatchObject({ changes: [], unchanged: 1 });
  },
);

it("a stack that owns nothing is free to continue anywhere", async () => {
  const stack = await make();
  await stack.write([group("sellers")]);
  await stack.apply();
  await stack.write([]);
  await stack.apply({ allowEmpty: true });
  const other = await startService();
  try {
    const connection = connectionTo(other.url, other);
    expect(await move(stack, { connection })).toMatchObject({ outcome: "changed" });
    expect(await move(stack, { connection })).toMatchObject({ outcome: "unchanged" });
  } finally {
    await other.close();
  }
});

it("with the key of a planner, names the permission that it needs", async () => {
  const stack = await make();
  await stack.write([group("sellers")]);
  await stack.apply();
  const keyWith = async (more: JsonObject) => {
    const body = { name: "planner", ownerUserId: null, permissions: ["ReadAll"], ...more };
    const { token } = (await service.send("POST", "/api/v1/api-keys", { body })).body as {
      readonly token: string;
    };
    return { connection: connectionTo(proxy.url, { adminKey: token }) };
  };
  await expect(move(stack, await keyWith({}))).rejects.toMatchObject({
    code: "forbidden",
    remedy: expect.stringContaining("the permission StateRead"),
  });
  const states = [{ name: "svc-claims.*", access: "read" }];
  const moved = await move(stack, await keyWith({ name: "reader", states }));
  expect(moved).toMatchObject({ outcome: "changed" });
});

describe("a change that is interrupted after it claimed the objects", () => {
  const isWrite = ({ method, path }: ProxiedRequest) =>
    method === "POST" && path.startsWith("/api/v1/state/svc-inventory.shop?");
  let stack: TestStack;
  beforeEach(async () => {
    stack = await make(service, "service");
    await stack.write([group("sellers")]);
    await stack.apply();
  });

  it("by a kill is made by the next run", async () => {
    const env = { SVC_API_URL: proxy.url, SVC_API_KEY: service.adminKey };
    const words = ["inventory", "move", "--former-url", service.url, "--yes"];
    const isKilled = async (one: ProxiedRequest) => {
      if (!isWrite(one)) return "pass";
      (await running).child.kill("SIGKILL");
      return "drop";
    };
    proxy.armAnyCall(1, isKilled, Infinity);
    const running = startSvc(words, { cwd: stack.folder, env });
    expect(await (await running).ended).toMatchObject({ code: null });
    expect(proxy.requests.some(({ path }) => path.includes("/journal?ID="))).toBe(true);
    proxy.arm();
    expect(await stack.plan()).toMatchObject({ changes: [], unchanged: 1 });
    expect(await move(stack)).toMatchObject({ outcome: "changed" });
    expect(await stack.plan(target())).toMatchObject({ changes: [], unchanged: 1 });
  });

  it("by a lost answer is made once", async () => {
    let lost = 0;
    const losesFirst = async (one: ProxiedRequest) =>
      isWrite(one) && lost++ === 0 ? "lose-answer" : "pass";
    proxy.armAnyCall(1, losesFirst, Infinity);
    expect(await move(stack)).toMatchObject({ outcome: "changed" });
    expect(lost).toBe(2);
    expect(await stack.plan(target())).toMatchObject({ changes: [], unchanged: 1 });
    const reported = await history({ ...stack.options, ...target() });
    expect(reported.ok && reported.runs).toMatchObject([{ verb: "move" }, { verb: "apply" }]);
  });
});

describe("another server with equal objects, which have equal IDs", () => {
  it("is refused, because it has no record of the inventory", async () => {
    const data = mkdtempSync(join(tmpdir(), "svc-address-"));
    const first = await startService({ data: join(data, "one") });
    const stack = await make(first);
    await stack.write([group("sellers")]);
    await stack.apply();
    const same = await startService({ data: join(data, "two") });
    const twin = await make(same);
    await twin.write([group("sellers")]);
    await twin.apply();
    await first.close();
    const formerUrl = first.url;
    const to = (server: TestService) => connectionTo(server.url, server);
    const again = await startService({ data: join(data, "one") });
    try {
      expect(again.url).not.toBe(first.url);
      await expect(move(stack, { formerUrl, connection: to(same) })).rejects.toMatchObject(
        refusedAs(unproven),
      );
      const moved = await move(stack, { formerUrl, connection: to(again) });
      expect(moved).toMatchObject({ outcome: "changed" });
      const planned = await stack.plan({ connection: to(again) });
      expect(planned).toMatchObject({ changes: [], unchanged: 1 });
    } finally {
      await again.close();
      await same.close();
      rmSync(data, { recursive: true, force: true });
    }
  });

  it("does not get the inventory either, which would be such a record", async () => {
    const stack = await make();
    await stack.write([group("sellers")]);
    await stack.apply();
    const other = await startService();
    try {
      const twin = await make(other);
      await twin.write([group("sellers")]);
      await twin.apply();
      renameStack(stack, "shop", "service");
      const connection = connectionTo(other.url, other);
      await expect(moveInventory({ ...stack.options, connection })).rejects.toMatchObject({
        ...refusedAs(/ was applied to /u),
        remedy: expect.stringContaining(`svc inventory move --former-url ${service.url}`),
      });
      expect(await moveInventory(stack.options)).toMatchObject({ ok: true, to: "service" });
    } finally {
      await other.close();
    }
  });

  it("is refused without records of servers, which then need a new inventory", async () => {
    keepsStates = false;
    const original = await make({ url: proxy.url, adminKey: service.adminKey });
    const other = await startService();
    const twin = await startProxy(other.url, withoutStates);
    const alias = await startProxy(service.url, withoutStates);
    try {
      const twins = await make({ url: twin.url, adminKey: other.adminKey });
      for (const stack of [original, twins]) {
        await stack.write([group("sellers"), group("buyers")]);
        await stack.apply();
      }
      const formerUrl = proxy.url;
      const toTwin = { formerUrl, connection: connectionTo(twin.url, other) };
      await expect(move(original, toTwin)).rejects.toMatchObject(refusedAs(unproven));
      const connection = connectionTo(alias.url);
      const refusal = await move(original, { formerUrl, connection }).catch(
        (error: unknown) => error,
      );
      const { remedy = "" } = refusal as { readonly remedy?: string };
      expect(remedy).toMatch(/ and run `svc adopt`\.$/u);
      const [, file = ""] = /`inventory: \{ file: (.+?) \}`/u.exec(remedy) ?? [];
      expect(await original.plan()).toMatchObject({ changes: [], unchanged: 2 });
      renameStack(original, "shop", { file });
      expect(await adopt({ ...original.options, connection })).toMatchObject({
        adopted: ["UserGroup/sellers", "UserGroup/buyers"],
      });
      expect(await original.plan({ connection })).toMatchObject({ changes: [], unchanged: 2 });
      expect(await twins.plan()).toMatchObject({ changes: [], unchanged: 2 });
    } finally {
      await alias.close();
      await twin.close();
      await other.close();
    }
  });
});
