// Tests stacks that set no inventory backend: the server keeps the inventory if it keeps states, and nothing else does if it
// does not answer.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isObject, type JsonValue } from "../../../core/json.ts";
import { Secret } from "../../../core/secret.ts";
import { moveInventory } from "../../../reconciler/verbs/inventory-admin.ts";
import { history } from "../../../reconciler/verbs/history.ts";
import { drift } from "../../../reconciler/drift.ts";
import { plan } from "../../../reconciler/plan.ts";
import { type ProxiedRequest, type Proxy, startProxy } from "../../support/fault-proxy.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../../support/test-stack.ts";

const group = (name: string): Doc => ({ kind: "UserGroup", name, spec: { name } });
const state = "/api/v1/state";

let service: TestService;
let proxy: Proxy;
let says: "all" | "no states" | "nothing";
let stacks: TestStack[];

/** Changes the server's description into one without states, or removes it. */
function alterDiscovery({ path }: ProxiedRequest, body: JsonValue): JsonValue {
  const paths = isObject(body) ? body["paths"] : undefined;
  if (says === "nothing" && path === "/api/v1/spec") return {};
  if (says !== "no states" || path !== "/api/v1/spec" || !isObject(body) || !isObject(paths))
    return body;
  const others = Object.entries(paths).filter(([at]) => !at.startsWith(state));
  return { ...body, paths: Object.fromEntries(others) };
}

async function make(inventory = "unspecified"): Promise<TestStack> {
  const to = { url: proxy.url, key: service.adminKey, name: "shop", inventory };
  const stack = await makeStack(to);
  stacks.push(stack);
  return stack;
}

/** Removes the location of the inventory from the Stack. */
async function unpin({ folder }: TestStack): Promise<void> {
  const document = { apiVersion: "svc/v1", kind: "Stack", metadata: { name: "shop" }, spec: {} };
  writeFileSync(join(folder, "stack.yaml"), JSON.stringify(document));
}

const fileOf = ({ folder }: TestStack): string => join(folder, ".svc/shop.inventory.json");
const stateRequests = (): readonly string[] =>
  proxy.requests
    .map(({ method, path }) => `${method} ${path}`)
    .filter((one) => one.includes(state));

beforeEach(async () => {
  [says, stacks] = ["all", []];
  service = await startService();
  proxy = await startProxy(service.url, alterDiscovery);
});
afterEach(async () => {
  await Promise.all(stacks.map((stack) => stack.dispose()));
  await proxy.close();
  await service.close();
});

describe("a stack that names no place for its inventory", () => {
  it("is known in every folder, and planning it writes nothing there either", async () => {
    const [one, other] = [await make(), await make()];
    for (const stack of [one, other]) await stack.write([group("sellers")]);
    expect((await one.plan()).changes).toHaveLength(1);
    expect(proxy.writes()).toEqual([]);
    expect(stateRequests()).toHaveLength(2);
    await one.apply();
    expect(await other.plan()).toMatchObject({ changes: [], unchanged: 1 });
    expect(stacks.filter(({ folder }) => existsSync(join(folder, ".svc")))).toEqual([]);
    const reported = await history(other.options);
    expect(reported.ok && reported.runs).toMatchObject([{ verb: "apply" }]);
  });

  it("has no place where the server offers no states, until the Stack names one", async () => {
    says = "no states";
    const stack = await make();
    await stack.write([group("sellers")]);
    const remedy = expect.stringMatching(/`inventory: file`/u);
    await expect(plan(stack.options)).rejects.toMatchObject({ code: "refused", remedy });
    expect(existsSync(join(stack.folder, ".svc"))).toBe(false);
    expect(proxy.writes()).toEqual([]);
  });

  it("is never sent to an empty file by a server that stops offering states", async () => {
    const stack = await make();
    await stack.write([group("sellers")]);
    await stack.apply();
    says = "no states";
    for (const verb of [plan, drift, history, moveInventory]) {
      await expect(verb(stack.options)).rejects.toMatchObject({ code: "refused" });
    }
    await expect(stack.apply()).rejects.toMatchObject({ code: "refused" });
    expect(existsSync(join(stack.folder, ".svc"))).toBe(false);
    says = "all";
    expect(await stack.plan()).toMatchObject({ changes: [], unchanged: 1 });
  });

  it("is read from its existing file while the server offers no states, and refused once it does", async () => {
    says = "no states";
    const stack = await make("file");
    await stack.write([group("sellers")]);
    await stack.apply();
    await unpin(stack);
    expect(await stack.plan()).toMatchObject({ changes: [], unchanged: 1 });
    expect(stateRequests()).toEqual([]);
    says = "all";
    const remedy = expect.stringMatching(/svc inventory move.*`inventory: file`/u);
    await expect(plan(stack.options)).rejects.toMatchObject({ code: "refused", remedy });
    expect(await moveInventory(stack.options)).toMatchObject({ objectCount: 1, to: "service" });
    expect(await stack.plan()).toMatchObject({ changes: [], unchanged: 1 });
  });

  it("is refused what a pull request has put into its folder in place of it", async () => {
    const stack = await make();
    await stack.write([group("sellers")]);
    await stack.apply();
    const forger = await make("file");
    await forger.write([group("sellers")]);
    await forger.adopt();
    mkdirSync(join(stack.folder, ".svc"));
    copyFileSync(fileOf(forger), fileOf(stack));
    await expect(plan(stack.options)).rejects.toMatchObject({ code: "refused" });
  });

  it.each<[string, () => Promise<string>, string, RegExp]>([
    [
      "that is no administrator's",
      () => service.key({ admin: false }),
      "forbidden",
      /inventory: file/u,
    ],
    ["that is unknown", async () => "sk-none", "unauthenticated", /./u],
  ])("is planned with no key %s, from a file neither", async (_, key, code, remedy) => {
    const stack = await make();
    await stack.write([group("sellers")]);
    const connection = { ...stack.options.connection, credential: new Secret(await key()) };
    const failing = expect(plan({ ...stack.options, connection })).rejects;
    await failing.toMatchObject({ code, remedy: expect.stringMatching(remedy) });
    expect(existsSync(join(stack.folder, ".svc"))).toBe(false);
  });

  it("is looked for nowhere else while the server does not say what it offers", async () => {
    says = "nothing";
    const stack = await make();
    for (const verb of [plan, history]) {
      await expect(verb(stack.options)).rejects.toMatchObject({ code: "unexpected_answer" });
    }
  });

  it("is another one at another server than the stack's", async () => {
    const stack = await make();
    const spec = { target: { url: "https://acme.example.com" } };
    const document = { apiVersion: "svc/v1", kind: "Stack", metadata: { name: "shop" }, spec };
    writeFileSync(join(stack.folder, "stack.yaml"), JSON.stringify(document));
    const reported = history(stack.options);
    await expect(reported).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("acme"),
    });
    expect(proxy.requests).toEqual([]);
  });
});
