// Tests that stacks of a server with a new address continue there after a command, and at no other server.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "../../../core/secret.ts";
import { history } from "../../../reconciler/verbs/history.ts";
import { moveInventory } from "../../../reconciler/verbs/inventory-admin.ts";
import {
  type AddressOptions,
  changeServerAddress,
} from "../../../reconciler/verbs/server-address.ts";
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

let service: TestService;
/** The other address of the service. */
let proxy: Proxy;
let database: TestDatabase;
let stacks: TestStack[];

beforeEach(async () => {
  stacks = [];
  database = await createTestDatabase();
  service = await startService();
  proxy = await startProxy(service.url);
});
afterEach(async () => {
  await Promise.all(stacks.map((stack) => stack.dispose()));
  await proxy.close();
  await service.close();
  await database.drop();
});

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
    const change = { formerUrl: service.url, url: proxy.url, objectCount: 2 };
    const declined = await move(stack, { approve: async () => false });
    expect(declined).toMatchObject({ outcome: "declined", change });
    expect(await stack.plan()).toMatchObject({ unchanged: 2 });
    expect(await move(stack)).toMatchObject({ ok: true, outcome: "changed", change });
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

  it("writes nothing where the stack was applied elsewhere", async () => {
    const stack = await make(service, place);
    await stack.write([group("sellers")]);
    await stack.apply();
    await expect(move(stack, { formerUrl: "https://other.example" })).rejects.toMatchObject({
      ...refusedAs(/was applied to http.*, not to https:\/\/other\.example/u),
      remedy: expect.stringContaining(`--former-url ${service.url}`),
    });
    expect(await stack.plan()).toMatchObject({ changes: [], unchanged: 1 });
  });
});

/** Replaces the Stack document, so that another stack, or the same with another inventory, is in the folder. */
function writeStack(stack: TestStack, name: string, inventory: string): void {
  const document = { apiVersion: "svc/v1", kind: "Stack", metadata: { name }, spec: { inventory } };
  writeFileSync(join(stack.folder, "stack.yaml"), JSON.stringify(document));
}

it("a stack kept by the service takes nothing from one that still has the former address", async () => {
  const stack = await make(service, "service");
  await stack.write([group("sellers")]);
  await stack.apply();
  writeStack(stack, "bakery", "service");
  await stack.write([group("bakers")]);
  await stack.apply();
  await move(stack);
  await stack.write([group("bakers"), group("sellers")]);
  const { diagnostics } = await stack.plan({ ...target(), adopt: () => true });
  expect(diagnostics).toMatchObject([
    { code: "owned-by-other-stack", summary: expect.stringContaining("shop") },
  ]);
  writeStack(stack, "shop", "service");
  expect(await move(stack)).toMatchObject({ outcome: "changed" });
  await stack.write([group("sellers")]);
  expect(await stack.plan(target())).toMatchObject({ changes: [], unchanged: 1 });
});

it("a stack is refused at an address where another stack of its folder owns one of its objects", async () => {
  const stack = await make();
  await stack.write([group("sellers")]);
  await stack.apply();
  writeStack(stack, "bakery", "file");
  expect((await stack.plan({ ...target(), adopt: () => true })).diagnostics).toEqual([]);
  await stack.apply({ ...target(), adopt: () => true });
  writeStack(stack, "shop", "file");
  await expect(move(stack)).rejects.toMatchObject(
    refusedAs(/^UserGroup\/sellers belongs to stack bakery; nothing was written$/u),
  );
});

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

describe("a change that is interrupted while it claims the objects", () => {
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
    expect(proxy.requests.some(({ path }) => path.includes("/svc-ownership"))).toBe(true);
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

it("another server does not get the inventory, since all of its inventories are about its own objects", async () => {
  const stack = await make();
  await stack.write([group("sellers")]);
  await stack.apply();
  const other = await startService();
  try {
    writeStack(stack, "shop", "service");
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
