// SCIM groups and their members.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { scimClient } from "../support/scim-client.ts";
import { startService, type TestService } from "../support/test-service.ts";

const base = "/api/scim/v2";

let service: TestService;
let count = 0;

beforeAll(async () => {
  service = await startService();
  await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
});
afterAll(async () => service.close());
beforeEach(() => (count += 1));

const { send, createUser, createUsers, createGroup, patch, get, members, find, detail } =
  scimClient(() => service);

describe("groups", () => {
  it("gain and lose members by every form of patch, and a form that names some never empties the group", async () => {
    const ids = await createUsers(4);
    const [a, b, c, d] = ids;
    const group = await createGroup([a, b]);
    const path = `/Groups/${group}`;
    expect(
      await patch(path, { op: "Add", path: "members", value: [{ value: c, $ref: null }] }),
    ).toMatchObject({ status: 204 });
    expect(await members(group)).toEqual([a, b, c]);
    await patch(path, { op: "Remove", path: "members", value: [{ value: a }] });
    expect(await members(group)).toEqual([b, c]);
    await patch(path, { op: "remove", path: `members[value eq "${b}"]` });
    expect(await members(group)).toEqual([c]);
    await patch(path, { op: "replace", value: { id: group, displayName: `renamed${count}` } });
    expect(await members(group)).toEqual([c]);
    await patch(path, { op: "replace", path: "members", value: [{ value: a }, { value: d }] });
    expect(await members(group)).toEqual([a, d]);
    expect(await send("PUT", path, { displayName: `renamed${count}` })).toMatchObject({
      status: 200,
    });
    expect(await members(group)).toEqual([a, d]);
    expect(
      await patch(path, { op: "add", path: "members", value: [{ value: "999999" }] }),
    ).toMatchObject(detail(400, "invalidValue"));
    await patch(path, { op: "remove", path: "members" });
    expect(await members(group)).toEqual([]);
  });

  it("show the names of members to requests that ask for members", async () => {
    const { id } = await createUser({ displayName: "Ann" });
    const group = await createGroup([id]);
    const shown = async (query: string) =>
      ((await get(`/Groups/${group}${query}`))["members"] as readonly object[] | undefined)?.[0];
    const member = { value: id, $ref: expect.any(String), type: "User" };
    expect(await shown("")).toEqual(member);
    expect(await shown("?excludedAttributes=displayName")).toEqual(member);
    expect(await shown("?attributes=members")).toEqual({ ...member, display: "Ann" });
    expect(await shown("?attributes=members.display")).toEqual({ display: "Ann" });
  });

  it("keep their members when a change names none that exist, or groups", async () => {
    const [a, b] = await createUsers(2);
    const group = await createGroup([a, b]);
    const path = `/Groups/${group}`;
    const nameless = [{ $ref: `https://x.io${base}/Users/${a}` }];
    const refused: readonly object[] = [
      { op: "remove", path: "members", value: nameless },
      { op: "replace", path: "members", value: nameless },
      { op: "replace", value: { members: [{ display: "Ann" }] } },
      { op: "add", path: "members", value: [{ value: a, type: "Group" }] },
    ];
    for (const operation of refused) {
      expect(await patch(path, operation)).toMatchObject(detail(400, "invalidValue"));
    }
    const displayName = `kept${count}-${group}`;
    expect(await send("PUT", path, { displayName, members: nameless })).toMatchObject(
      detail(400, "invalidValue"),
    );
    expect(await patch(path, { op: "remove", path: "members", value: [] })).toMatchObject({
      status: 204,
    });
    expect(await members(group)).toEqual([a, b]);
  });

  it("are found by members that the filter names, whatever the other members are", async () => {
    const users = await createUsers(3);
    const [a, b, c] = users;
    const group = await createGroup([a, b]);
    const total = async (filter: string) => (await find(filter, "Groups"))["totalResults"];
    const id = `id eq "${group}"`;
    expect(await total(`${id} and members eq "${a}"`)).toBe(1);
    expect(await total(`${id} and members eq "${a}" and members.value eq "${b}"`)).toBe(1);
    expect(await total(`${id} and members eq "${c}"`)).toBe(0);
    expect(await total(`${id} and not (members.value eq "${c}")`)).toBe(1);
    expect(await total(`${id} and members ne "${a}"`)).toBe(0);
    expect(await total(`${id} and members[value eq "${a}" and display eq "none"]`)).toBe(0);
    expect(await total(`${id} and members[value eq "${a}" and type eq "User"]`)).toBe(1);
    expect(await total(`${id} and members[not (value eq "${a}")]`)).toBe(1);
    expect(await total(`${id} and members pr`)).toBe(1);
    expect(await total(`${id} and members eq "x"`)).toBe(0);
  });

  it("are found without their members by name, and by a member", async () => {
    const { id } = await createUser();
    const group = await createGroup([id]);
    const { displayName } = await get(`/Groups/${group}`);
    const found = await get(
      `/Groups?excludedAttributes=members&filter=${encodeURIComponent(`displayName eq "${displayName}"`)}`,
    );
    expect(found).toMatchObject({ totalResults: 1, Resources: [{ id: group }] });
    expect(found.Resources).not.toEqual([expect.objectContaining({ members: expect.anything() })]);
    expect(await find(`members[value eq "${id}"]`, "Groups")).toMatchObject({ totalResults: 1 });
    expect(await find(`groups.value eq "${group}"`)).toMatchObject({
      totalResults: 1,
      Resources: [{ id, groups: [{ value: group, display: displayName, type: "direct" }] }],
    });
  });

  it("have names that are unique in any case, and versions that depend on their members", async () => {
    const { id } = await createUser();
    const group = await createGroup();
    const { displayName, meta } = await get(`/Groups/${group}`);
    expect(await send("POST", "/Groups", { displayName: displayName.toUpperCase() })).toMatchObject(
      detail(409, "uniqueness"),
    );
    await patch(`/Groups/${group}`, { op: "add", path: "members", value: [{ value: id }] });
    const stale = { "if-match": meta.version };
    expect(await send("DELETE", `/Groups/${group}`, undefined, stale)).toMatchObject(detail(412));
  });
});

it("what an identity provider manages is read-only for others, until SCIM is disabled", async () => {
  const { id } = await createUser({ title: "Sales" });
  const group = await createGroup([id]);
  const user = `/api/v1/users/${id}`;
  const status = async (method: string, path: string, body?: object) =>
    (await service.send(method, path, body ? { body } : {})).status;
  const refused = async () => [
    await status("PUT", user, { title: "Other" }),
    await status("PUT", user, { isDeactivated: true }),
    await status("PUT", `${user}/groups`, { groups: [] }),
    await status("PATCH", `/api/v1/user-groups/${group}`, { name: `other${count}` }),
    await status("DELETE", `/api/v1/user-groups/${group}/users`, {
      members: [{ userId: Number(id) }],
    }),
    await status("DELETE", `/api/v1/groups/${group}`),
    await status("DELETE", user),
  ];
  expect(await refused()).toEqual(Array.from({ length: 7 }, () => 409));
  expect(await status("PUT", user, { title: "Sales", isAdmin: false })).toBe(200);
  expect(await status("PATCH", `/api/v1/user-groups/${group}`, { description: "x" })).toBe(200);
  await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: false } });
  expect(await status("DELETE", user)).toBe(204);
  await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
});
