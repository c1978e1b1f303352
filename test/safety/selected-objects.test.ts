// Tests that a plan of a small stack selects its objects from a list, and reads the whole list where that could show more.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { type Proxy, startProxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

const list = "/api/v1/user-groups";

let service: TestService;
let proxy: Proxy;
let stack: TestStack;
beforeEach(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
  stack = await makeStack({ url: proxy.url, key: service.adminKey });
});
afterEach(async () => {
  await stack.dispose();
  await proxy.close();
  await service.close();
});

const group = (name: string): Doc => ({ kind: "UserGroup", name, spec: { name } });
const three = ["a", "b", "c"].map(group);

/** Creates the groups of the stack, after one that it does not declare. Returns their IDs. */
async function applyGroups(): Promise<readonly number[]> {
  await service.send("POST", list, { body: { name: "other" } });
  await stack.write(three);
  await stack.apply();
  const { body } = await service.send("GET", list);
  const { items } = body as { readonly items: readonly { id: number; name: string }[] };
  return three.map(({ name }) => items.find((one) => one.name === name)?.id ?? 0);
}

/** Plans, and returns the changes with the IDs that each read of the list selected: none for the whole list. */
async function planned() {
  proxy.arm();
  const { changes, cost } = await stack.plan();
  const reads = proxy.requests
    .filter(({ path }) => path.startsWith(`${list}?`))
    .map(({ path }) => new URLSearchParams(path.split("?")[1]).getAll("id").map(Number));
  expect(cost.readCalls).toBe(proxy.requests.length);
  return { changes: changes.map(({ address, action }) => `${action} ${address}`), reads };
}

it("selects the objects that the inventory records", async () => {
  const ids = await applyGroups();
  expect(await planned()).toEqual({ changes: [], reads: [ids] });
  await service.send("PATCH", `${list}/${ids[1]}`, { body: { description: "by hand" } });
  await stack.write(three.map((doc) => ({ ...doc, spec: { ...doc.spec, description: "new" } })));
  const changes = three.map(({ name }) => `update UserGroup/${name}`);
  expect(await planned()).toEqual({ changes, reads: [ids] });
});

it.each<[string, (ids: readonly number[]) => Promise<unknown>, string[], boolean]>([
  ["renamed", ([id]) => rename(id, "z"), ["update UserGroup/a"], true],
  ["deleted", ([id]) => remove(id), ["create UserGroup/a"], true],
  [
    "replaced by another of its name",
    async ([id]) => {
      await remove(id);
      await service.send("POST", list, { body: { name: "a" } });
    },
    ["none UserGroup/a"],
    true,
  ],
  ["declared anew", () => stack.write([...three, group("d")]), ["create UserGroup/d"], false],
  ["declared by a name of others", () => stack.write([...three, group("other")]), [], false],
])("reads the whole list if an object was %s", async (_, change, changes, isSelectedBefore) => {
  const ids = await applyGroups();
  await change(ids);
  const { changes: shown, reads } = await planned();
  expect(reads).toEqual(isSelectedBefore ? [ids, []] : [[]]);
  if (changes.length > 0) expect(shown).toEqual(changes);
  else expect(shown).toEqual([expect.stringMatching(/UserGroup\/other$/u)]);
});

function rename(id: number | undefined, name: string) {
  return service.send("PATCH", `${list}/${id}`, { body: { name } });
}

function remove(id: number | undefined) {
  return service.send("DELETE", `/api/v1/groups/${id}`);
}

it("reads the list that another type needs only once", async () => {
  await service.send("POST", "/api/v1/users", { body: { username: "jane", email: "j@x.example" } });
  const spec = { group: "a", user: { external: "j@x.example" } };
  await stack.write([...three, { kind: "GroupMembership", name: "jane", spec }]);
  await stack.apply();
  expect(await planned()).toEqual({ changes: [], reads: [[]] });
});

it("reads the list of a server that does not select", async () => {
  await applyGroups();
  proxy.alterResponses(({ path }, body) => {
    if (path !== "/api/v1/spec") return body;
    const { paths } = body as { paths: JsonObject };
    return { ...(body as JsonObject), paths: { ...paths, [list]: { get: {}, post: {} } } };
  });
  expect(await planned()).toEqual({ changes: [], reads: [[]] });
});
