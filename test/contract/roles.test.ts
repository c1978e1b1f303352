// Roles that administrators define: names, what they grant, and the users who have them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { personalKeyGrants } from "../../core/operation/permission-actions.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const send = (method: string, path: string, body?: object, key?: string) =>
  service.send(method, `/api/v1${path}`, {
    ...(body && { body }),
    ...(key !== undefined && { key }),
  });
const idOf = ({ body }: { body: unknown }) => (body as { id: number }).id;
const reads = { resourceType: "Deployment", actions: ["SchemaRead"], resources: ["1"] };
const createRole = (input: object) => send("POST", "/roles", { policies: [], ...input });

let users = 0;
async function createUser(): Promise<{ id: number; key: string }> {
  const username = `user-${++users}`;
  const id = idOf(
    await send("POST", "/users", {
      username,
      email: `${username}@example.com`,
      defaultRoles: ["Guest"],
    }),
  );
  const { body } = await send("POST", "/api-keys", { name: username, ownerUserId: id });
  return { id, key: (body as { token: string }).token };
}

describe("a role", () => {
  it("has a name that no other role has, in any case, and no built-in role", async () => {
    const id = idOf(await createRole({ name: "Modelers" }));
    expect((await createRole({ name: "modelers" })).status).toBe(409);
    expect((await createRole({ name: "admin" })).status).toBe(400);
    expect((await createRole({ name: "EmbedUser" })).status).toBe(400);
    const other = idOf(await createRole({ name: "Readers" }));
    expect((await send("PUT", `/roles/${other}`, { name: "MODELERS" })).status).toBe(409);
    expect((await send("PUT", `/roles/${id}`, { name: "MODELERS" })).status).toBe(200);
  });

  it("keeps what an update omits, and replaces its policies whole", async () => {
    const role = { name: "Keepers", description: "who keep", policies: [reads] };
    const id = idOf(await createRole(role));
    const policies = [{ resourceType: "Global", actions: ["DirectoryRead"], resources: "All" }];
    const changed = await send("PUT", `/roles/${id}`, { policies });
    expect(changed.body).toMatchObject({ ...role, policies });
    const cleared = await send("PUT", `/roles/${id}`, { description: null });
    expect(cleared.body).not.toHaveProperty("description");
    expect((await send("GET", `/roles/${id}`)).body).toMatchObject({ name: "Keepers", policies });
  });

  it("is for all objects of a type with a list that has All", async () => {
    const listed = (resources: readonly string[]) => [{ ...reads, resources }];
    const created = await createRole({ name: "Everywhere", policies: listed(["All"]) });
    const all = [{ ...reads, resources: "All" }];
    expect(created).toMatchObject({ status: 200, body: { policies: all } });
    const path = `/roles/${idOf(created)}`;
    const mixed = await send("PUT", path, { policies: listed(["1", "All"]) });
    expect(mixed.body).toMatchObject({ policies: all });
    const global = [{ resourceType: "Global", actions: ["DirectoryRead"], resources: ["All"] }];
    expect((await send("PUT", path, { policies: global })).body).toMatchObject({
      policies: [{ resourceType: "Global", resources: "All" }],
    });
    expect((await send("PUT", path, { policies: listed(["all"]) })).status).toBe(400);
  });

  it.each(["Agent", "AgentSpace", "ChatThread"])(
    "grants nothing on the type %s, of which there are no objects",
    async (resourceType) => {
      const policies = [reads, { resourceType, actions: ["AgentRead"], resources: "All" }];
      expect(await createRole({ name: "Agents", policies })).toMatchObject({
        status: 400,
        body: { details: { errors: [{ path: "body.policies[1].resourceType" }] } },
      });
    },
  );

  it("keeps a policy on a type without objects that was stored before", async () => {
    const id = idOf(await createRole({ name: "Old agents", policies: [reads] }));
    const old = { resourceType: "Agent", actions: ["AgentRead"], resources: "All" };
    const stored = JSON.stringify([reads, old]);
    await service.db.updateTable("roles").set({ policies: stored }).where("id", "=", id).execute();
    expect((await send("PUT", `/roles/${id}`, { description: "old" })).status).toBe(200);
    const listed = (await send("GET", "/roles")).body as { items: { id: number }[] };
    const shown = { description: "old", policies: [reads, old] };
    expect(listed.items.find((one) => one.id === id)).toMatchObject(shown);
    const { id: user, key } = await createUser();
    expect((await send("PUT", `/roles/${id}/users/${user}`)).status).toBe(204);
    expect((await send("GET", "/users/me", undefined, key)).status).toBe(200);
  });

  it("grants no action of administrators, and names a bounded number of objects", async () => {
    const reserved = { ...reads, actions: ["UsersManage"] };
    const answer = await createRole({ name: "Takers", policies: [reserved] });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("UsersManage")]);
    const resources = Array.from({ length: limits.roleResources }, (_, at) => String(at + 1));
    const many = [{ ...reads, resources }, reads];
    expect((await createRole({ name: "Many", policies: many })).status).toBe(400);
    const onePart = [{ ...reads, resourceType: "Global" }];
    expect((await createRole({ name: "Global", policies: onePart })).status).toBe(400);
  });

  it("grants until it is removed, changed or deleted", async () => {
    const { id: user, key } = await createUser();
    const branches = async () =>
      (await service.send("GET", "/build/api/v1/deployments/1/branches", { key })).status;
    const id = idOf(await createRole({ name: "Grantors", policies: [reads] }));
    expect(await branches()).toBe(403);
    expect((await send("PUT", `/roles/${id}/users/${user}`)).status).toBe(204);
    expect((await send("PUT", `/roles/${id}/users/${user}`)).status).toBe(204);
    expect(await branches()).toBe(200);
    const me = await send("GET", "/users/me", undefined, key);
    expect(me.body).toMatchObject({ permissions: { grants: [reads, ...personalKeyGrants] } });
    const members = await send("GET", `/roles/${id}/users`);
    expect(members.body).toMatchObject({ items: [{ id: user }] });
    await send("PUT", `/roles/${id}`, { policies: [] });
    expect(await branches()).toBe(403);
    await send("PUT", `/roles/${id}`, { policies: [reads] });
    await send("DELETE", `/roles/${id}/users/${user}`);
    expect(await branches()).toBe(403);
    await send("PUT", `/roles/${id}/users/${user}`);
    await send("DELETE", `/roles/${id}`);
    expect(await branches()).toBe(403);
  });

  it("is assigned to the account's own users only, and a bounded number to one", async () => {
    const { id: user } = await createUser();
    const id = idOf(await createRole({ name: "Assigned" }));
    expect((await send("PUT", `/roles/${id}/users/999`)).status).toBe(404);
    expect((await send("PUT", `/roles/999/users/${user}`)).status).toBe(404);
    for (let at = 0; at < limits.rolesOfUser; at++) {
      const role = idOf(await createRole({ name: `Assigned ${at}` }));
      await send("PUT", `/roles/${role}/users/${user}`);
    }
    expect((await send("PUT", `/roles/${id}/users/${user}`)).status).toBe(400);
  });

  it("opens every list to a user whose roles name as many objects as they can", async () => {
    const { id: user, key } = await createUser();
    const folder = await send("POST", "/deployments/1/folders", { name: "Named by a role" });
    const resources = Array.from({ length: limits.roleResources }, (_, at) => String(at + 1));
    const granted = ["Folder", "Workbook", "Report", "Deployment"];
    for (let at = 0; at < limits.rolesOfUser; at++) {
      const resourceType = granted[at % granted.length] ?? "";
      const policies = [{ resourceType, actions: [`${resourceType}Read`], resources }];
      const role = idOf(await createRole({ name: `Large ${at}`, policies }));
      await send("PUT", `/roles/${role}/users/${user}`);
    }
    const lists = ["folders", "workbooks", "reports"].map((list) => `/deployments/1/${list}`);
    for (const list of ["/deployments", ...lists]) {
      const answer = await send("GET", list, undefined, key);
      expect([list, answer.status]).toEqual([list, 200]);
    }
    const { body } = await send("GET", "/deployments/1/folders", undefined, key);
    expect(JSON.stringify(body)).toContain("Named by a role");
    expect(folder.status).toBe(200);
  });

  it("is not a way for a key to grant what it lacks", async () => {
    const limited = { name: "limited", permissions: ["RolesManage", "SchemaRead"] };
    const { token } = (await send("POST", "/api-keys", limited)).body as { token: string };
    const writes = [{ ...reads, actions: ["SchemaUpdate"] }];
    const role = { name: "Escape", policies: writes };
    expect((await send("POST", "/roles", role, token)).status).toBe(403);
    expect((await send("POST", "/roles", { ...role, policies: [reads] }, token)).status).toBe(200);
    const id = idOf(await createRole({ name: "Writers", policies: writes }));
    expect((await send("PUT", `/roles/${id}/users/1`, undefined, token)).status).toBe(403);
  });
});
