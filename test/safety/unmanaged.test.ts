// Tests that all live objects that no manifest declares are reported, and how a document adopts such an object.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { address } from "../../core/kind/identity.ts";
import { drift } from "../../reconciler/drift.ts";
import { kinds } from "../../resources/index.ts";
import { everyKind, prepareAccount } from "../support/every-kind.ts";
import { startProxy } from "../support/fault-proxy.ts";
import { liveState } from "../support/live-state.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { changeSummaries, makeStack, type TestStack } from "../support/test-stack.ts";

let service: TestService;
let stack: TestStack;

beforeEach(async () => {
  service = await startService();
  await prepareAccount(service);
  stack = await makeStack({ url: service.url, key: service.adminKey });
});

afterEach(async () => {
  await stack.dispose();
  await service.close();
});

async function unmanagedObjects({ options }: TestStack): Promise<readonly string[]> {
  const verdict = await drift({ ...options, unmanaged: true });
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.diagnostics));
  return (verdict.unmanaged ?? []).map(({ kind, key }) => address(kind, key)).toSorted();
}

describe("drift with what is unmanaged", () => {
  it("lists every live object before anything is declared, and afterwards only the undeclared ones", async () => {
    const atFirst = Object.keys(await liveState(service, kinds));
    await stack.write([]);
    expect(await unmanagedObjects(stack)).toEqual(atFirst);
    await stack.write(everyKind);
    expect(await unmanagedObjects(stack)).toEqual(atFirst);
    await stack.apply({ adopt: () => true });
    // The files of the connected repository, and a user that a recipient creates.
    const created = ["DataModel/warehouse", "EmbedUser/acme-stores/tom-4713"];
    const after = [...atFirst, ...created].toSorted();
    expect(await unmanagedObjects(stack)).toEqual(after);
    const request = { body: { name: "by-hand" } };
    expect((await service.send("POST", "/api/v1/user-groups", request)).status).toBe(200);
    expect(await unmanagedObjects(stack)).toEqual([...after, "UserGroup/by-hand"].toSorted());
  });

  it("lists memberships of a user whose groups are not declared", async () => {
    const user = (groups?: readonly string[]) => ({
      kind: "User",
      name: "jane",
      spec: { email: "jane@corp.example", username: "jane", ...(groups && { groups }) },
    });
    const group = { kind: "UserGroup", name: "analysts", spec: { name: "analysts" } };
    const membership = "GroupMembership/analysts/jane@corp.example";
    await stack.write([group, user(["analysts"])]);
    await stack.apply();
    expect(await unmanagedObjects(stack)).not.toContain(membership);
    await stack.write([group, user()]);
    expect(await unmanagedObjects(stack)).toContain(membership);
    await stack.write([group]);
    expect(await unmanagedObjects(stack)).not.toContain(membership);
  });

  it("lists members with the users of the account, and those of each role that has any", async () => {
    const proxy = await startProxy(service.url);
    const other = await makeStack({ url: proxy.url, key: service.adminKey });
    try {
      const spec = { email: "jane@corp.example", username: "jane" };
      await other.write([{ kind: "User", name: "jane", spec }]);
      await other.apply();
      const { body } = await service.send("GET", "/api/v1/users");
      const users = (body as { items: readonly { id: number; username: string }[] }).items;
      const id = users.find(({ username }) => username === "jane")?.id;
      const grants = [{ resourceType: "Global", actions: ["ReportRead"], resources: "All" }];
      for (const name of ["one", "two", "three"]) {
        await service.send("POST", "/api/v1/user-groups", { body: { name } });
        const role = { body: { name: `role-${name}`, policies: grants } };
        expect((await service.send("POST", "/api/v1/roles", role)).status).toBe(200);
      }
      await service.send("PUT", `/api/v1/users/${id}/groups`, { body: { groups: ["one", "two"] } });
      await service.send("PUT", `/api/v1/roles/1/users/${id}`);
      proxy.arm();
      const found = await unmanagedObjects(other);
      expect(found.filter((one) => /^(?:GroupMembership|RoleAssignment)/u.test(one))).toEqual([
        "GroupMembership/one/jane@corp.example",
        "GroupMembership/two/jane@corp.example",
        "RoleAssignment/role-one/jane@corp.example",
      ]);
      const lists = proxy.requests.map(({ path }) => path.replace(/\?.*$/u, ""));
      expect(lists.filter((path) => /(?:groups|roles)\/\d+\/users$/u.test(path))).toEqual([
        "/api/v1/roles/1/users",
      ]);
    } finally {
      await other.dispose();
      await proxy.close();
    }
  });

  it("leaves out what another stack of the folder owns, and its own object that was renamed by hand", async () => {
    const other = await makeStack({ url: service.url, key: service.adminKey, name: "other" });
    const group = (name: string) => ({ kind: "UserGroup", name, spec: { name } });
    await stack.write([group("ours")]);
    await stack.apply();
    const before = await unmanagedObjects(stack);
    const document = await readFile(join(other.folder, "stack.yaml"), "utf8");
    const own = await readFile(join(stack.folder, "stack.yaml"), "utf8");
    await writeFile(join(stack.folder, "stack.yaml"), document);
    await stack.write([group("theirs")]);
    await stack.apply();
    await writeFile(join(stack.folder, "stack.yaml"), own);
    await stack.write([group("ours")]);
    expect(await unmanagedObjects(stack)).toEqual(before);
    const { body } = await service.send("GET", "/api/v1/user-groups");
    const { items } = body as { items: readonly { id: number; name: string }[] };
    const id = items.find(({ name }) => name === "ours")?.id;
    await service.send("PATCH", `/api/v1/user-groups/${id}`, { body: { name: "renamed" } });
    expect(await unmanagedObjects(stack)).toEqual(before);
    await other.dispose();
  });
});

describe("a document that adopts", () => {
  it("adopts its object in a plan, and is refused without that", async () => {
    await service.send("POST", "/api/v1/user-groups", { body: { name: "found" } });
    const spec = { name: "found", description: "declared" };
    const doc = { kind: "UserGroup", name: "found", spec };
    await stack.write([doc]);
    expect(changeSummaries((await stack.plan()).changes)).toEqual(["refuse UserGroup/found"]);
    await stack.write([{ ...doc, lifecycle: { adopt: true } }]);
    const saved = await stack.plan();
    expect(changeSummaries(saved.changes)).toEqual(["adopt UserGroup/found /description"]);
    await stack.apply({ savedPlan: saved });
    expect((await stack.plan()).changes).toEqual([]);
  });
});
