// The rules of embed tenants: lists, deletion, groups, members, and provisioning users one by one and in bulk.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { generateSession } from "../../api/embed.ts";
import {
  addEmbedTenantGroupUsers,
  createEmbedTenantGroup,
  deleteEmbedTenant,
  deleteEmbedTenantGroup,
  deleteEmbedUser,
  getEmbedTenantGroup,
  listEmbedTenantGroups,
  listEmbedTenantGroupUsers,
  listEmbedTenants,
  listEmbedUsers,
  provisionEmbedUser,
  provisionEmbedUsers,
  removeEmbedTenantGroupUsers,
  updateEmbedTenantGroup,
} from "../../api/embed-tenants.ts";
import { createUserGroup, listUserGroups } from "../../api/user-groups.ts";
import type { RequestOf } from "../../core/operation/operation.ts";
import { openAccount, type TestAccount } from "./test-account.ts";

type EmbedUserInput = RequestOf<typeof provisionEmbedUser>["body"];

let account: TestAccount;
const params = { embedTenantName: "tenant" };
const notFound = { code: "not_found" };
const invalid = { code: "invalid" };
beforeEach(async () => {
  account = await openAccount();
});
afterEach(() => account.close());

const provision = (body: EmbedUserInput) => account.run(provisionEmbedUser, { params, body });
const provisionMany = (users: EmbedUserInput[]) =>
  account.run(provisionEmbedUsers, { params, body: { users } });
const group = (name: string, description?: string | null) =>
  account.run(createEmbedTenantGroup, { params, body: { name, description: description ?? null } });
const users = () => account.list(listEmbedUsers, { params });
const names = async (search?: string) => {
  const query = search === undefined ? {} : { search };
  return (await account.list(listEmbedTenants, { query })).map(({ name }) => name);
};

describe("embed tenants", () => {
  it("are listed newest first with their numbers of users, and searched in any case", async () => {
    await provision({ externalId: "a" });
    await provision({ externalId: "b" });
    await account.run(generateSession, {
      body: {
        deploymentId: 1,
        externalId: "a",
        embedTenantName: "second",
        embedTenantProfile: { displayName: "Zweite GmbH" },
      },
    });
    expect(await account.list(listEmbedTenants, {})).toMatchObject([
      { name: "second", displayName: "Zweite GmbH", userCount: 1 },
      { name: "tenant", userCount: 2 },
    ]);
    expect(await names("ZWEITE")).toEqual(["second"]);
    expect(await names("EN")).toEqual(["tenant"]);
    expect(await names("%")).toEqual([]);
  });

  it("client area Other, embed, tenants: are deleted with everything inside, and again without an error", async () => {
    const { id } = await provision({ externalId: "a" });
    const { id: inside } = await group("makers");
    const members = [{ embedUserId: id }];
    await account.run(addEmbedTenantGroupUsers, {
      params: { ...params, id: inside },
      body: { members },
    });
    const body = { deploymentId: 1, externalId: "a", embedTenantName: "tenant" };
    await account.run(generateSession, { body });
    await account.run(deleteEmbedTenant, { params });
    for (const table of [
      "embed_tenants",
      "user_groups",
      "group_members",
      "embed_sessions",
    ] as const) {
      expect(await account.db.selectFrom(table).selectAll().execute()).toEqual([]);
    }
    expect(await account.db.selectFrom("users").select("username").execute()).toEqual([
      { username: "ann" },
    ]);
    await account.run(deleteEmbedTenant, { params });
  });

  it("are not deleted by a name that differs in case", async () => {
    await provision({ externalId: "a" });
    const slip = { params: { embedTenantName: "Tenant" } };
    await expect(account.run(deleteEmbedTenant, slip)).rejects.toMatchObject(invalid);
    expect(await names()).toEqual(["tenant"]);
    await account.run(deleteEmbedTenant, { params: { embedTenantName: "Nowhere" } });
  });
});

describe("groups of an embed tenant", () => {
  beforeEach(() => provision({ externalId: "a" }));

  it("need the tenant, and a name of their own in it", async () => {
    const nowhere = { params: { embedTenantName: "nowhere" }, body: { name: "g" } };
    await expect(account.run(createEmbedTenantGroup, nowhere)).rejects.toMatchObject(notFound);
    await group("g");
    await expect(group("g")).rejects.toMatchObject({ code: "conflict" });
    await account.run(createUserGroup, { body: { name: "g" } });
  });

  it("have a description, which is kept if omitted, and cleared by null or an empty text", async () => {
    const { id } = await group("g", "first");
    const patch = async (description?: string | null) => {
      const body = description === undefined ? {} : { description };
      return (await account.run(updateEmbedTenantGroup, { params: { ...params, id }, body }))
        .description;
    };
    expect(await patch("second")).toBe("second");
    expect(await patch()).toBe("second");
    expect(await patch("")).toBeUndefined();
    expect(await patch("third")).toBe("third");
    expect(await patch(null)).toBeUndefined();
  });

  it("are reached through their own tenant only", async () => {
    const { id } = await group("g", "kept");
    await account.run(provisionEmbedUser, {
      params: { embedTenantName: "other" },
      body: { externalId: "a" },
    });
    const target = { params: { embedTenantName: "other", id } };
    const body = { description: "taken" };
    await expect(account.run(getEmbedTenantGroup, target)).rejects.toMatchObject(notFound);
    await expect(account.run(updateEmbedTenantGroup, { ...target, body })).rejects.toMatchObject(
      notFound,
    );
    await expect(account.run(deleteEmbedTenantGroup, target)).rejects.toMatchObject(notFound);
    await expect(account.list(listEmbedTenantGroupUsers, target)).rejects.toMatchObject(notFound);
    expect(await account.list(listEmbedTenantGroups, { params })).toMatchObject([
      { id, description: "kept" },
    ]);
  });

  it("are deleted whether or not they have members", async () => {
    const { id } = await group("g");
    await provision({ externalId: "a", tenantGroups: ["g"] });
    await account.run(deleteEmbedTenantGroup, { params: { ...params, id } });
    expect(await account.list(listEmbedTenantGroups, { params })).toEqual([]);
    expect(await users()).toHaveLength(1);
  });
});

describe("members of a group", () => {
  let id: number;
  beforeEach(async () => {
    for (const externalId of ["a", "b", "c"]) await provision({ externalId });
    id = (await group("g")).id;
  });
  const add = (members: object[]) =>
    account.run(addEmbedTenantGroupUsers, { params: { ...params, id }, body: { members } });
  const remove = (members: object[]) =>
    account.run(removeEmbedTenantGroupUsers, { params: { ...params, id }, body: { members } });
  const inside = async () =>
    (await account.list(listEmbedTenantGroupUsers, { params: { ...params, id } })).map(
      ({ externalId }) => externalId,
    );

  it("are added by either id, and distinguished from those who were there", async () => {
    const a = (await users()).find(({ externalId }) => externalId === "a");
    expect(await add([{ externalId: "b" }])).toMatchObject({
      addedMembers: [{ externalId: "b" }],
      unchangedMembers: [],
    });
    const both = [{ embedUserId: a?.id }, { externalId: "b" }, { externalId: "a" }];
    expect(await add(both)).toMatchObject({
      addedMembers: [{ externalId: "a" }],
      unchangedMembers: [{ externalId: "b" }],
    });
    expect(await inside()).toEqual(["b", "a"]);
  });

  it("have to exist in the tenant, else none is added", async () => {
    const refused = { code: "invalid", message: expect.stringContaining('"ghost"') };
    await expect(add([{ externalId: "a" }, { externalId: "ghost" }])).rejects.toMatchObject(
      refused,
    );
    await expect(add([{ embedUserId: 1 }])).rejects.toMatchObject(invalid);
    expect(await inside()).toEqual([]);
  });

  it("are removed; others, and those who do not exist, are skipped", async () => {
    await add([{ externalId: "a" }, { externalId: "b" }]);
    await remove([{ externalId: "a" }, { externalId: "c" }, { externalId: "ghost" }]);
    expect(await inside()).toEqual(["b"]);
    await remove([{ externalId: "ghost" }]);
  });
});

describe("provisioning a user", () => {
  it("creates the tenant and the user, and keeps omitted members", async () => {
    const userProfile = { displayName: "A", picture: "https://example.com/a.png" };
    const first = await provision({ externalId: "a", email: "a@example.com", userProfile });
    expect(first).toMatchObject({ externalId: "a", email: "a@example.com", firstName: "A" });
    expect(await provision({ externalId: "a" })).toEqual(first);
    const changed = await provision({ externalId: "a", userProfile: { displayName: "B" } });
    expect(changed).toEqual({ ...first, firstName: "B" });
    expect(await users()).toEqual([{ ...changed, tenantGroups: [] }]);
  });

  it("sets memberships account-wide and in the tenant, each by itself", async () => {
    await account.run(createUserGroup, { body: { name: "wide" } });
    await provision({ externalId: "a", groups: ["wide"] });
    await group("inside");
    await provision({ externalId: "a", tenantGroups: ["inside"] });
    const size = async () => [
      (await account.list(listUserGroups, { query: {} }))[0]?.userCount,
      (await account.list(listEmbedTenantGroups, { params }))[0]?.userCount,
    ];
    expect(await size()).toEqual([1, 1]);
    expect(await users()).toMatchObject([{ externalId: "a", tenantGroups: ["inside"] }]);
    await provision({ externalId: "a", groups: [] });
    expect(await size()).toEqual([0, 1]);
    const missing = { code: "invalid", message: "Groups with names wide not found" };
    await expect(provision({ externalId: "a", tenantGroups: ["wide"] })).rejects.toMatchObject(
      missing,
    );
    expect(await size()).toEqual([0, 1]);
  });

  it("limits external users per account: apply here too, and nothing is created", async () => {
    await account.changeSettings({ external_user_limit: 0 });
    await expect(provision({ externalId: "a" })).rejects.toMatchObject({ code: "limit_reached" });
    expect(await names()).toEqual([]);
  });

  it("refuses external ids that are not lowercase and trimmed", async () => {
    for (const externalId of ["A", " a", "a "]) {
      await expect(provision({ externalId })).rejects.toMatchObject(invalid);
    }
    expect(await names()).toEqual([]);
  });

  it("ends with deleting it, through its own tenant only", async () => {
    const { id } = await provision({ externalId: "a" });
    await account.run(provisionEmbedUser, {
      params: { embedTenantName: "other" },
      body: { externalId: "a" },
    });
    const elsewhere = { params: { embedTenantName: "other", id } };
    await expect(account.run(deleteEmbedUser, elsewhere)).rejects.toMatchObject(notFound);
    await account.run(deleteEmbedUser, { params: { ...params, id } });
    await expect(account.run(deleteEmbedUser, { params: { ...params, id } })).rejects.toMatchObject(
      notFound,
    );
    expect(await users()).toEqual([]);
  });
});

describe("provisioning in bulk", () => {
  it("is not affected by the failure of one user", async () => {
    await provision({ externalId: "a", email: "kept@example.com" });
    const answer = await provisionMany([
      { externalId: "b" },
      { externalId: "BAD" },
      { externalId: "a", email: "never@example.com", groups: ["ghosts"] },
      { externalId: "c" },
      { externalId: "c", email: "twice@example.com" },
    ]);
    expect(answer.succeeded.map(({ externalId }) => externalId)).toEqual(["b", "c"]);
    expect(answer.failed).toMatchObject([
      { externalId: "BAD", error: { status: 400 } },
      { externalId: "a", error: { status: 400, message: "Groups with names ghosts not found" } },
      { externalId: "c", error: { status: 400 } },
    ]);
    expect(await users()).toMatchObject([
      { externalId: "c" },
      { externalId: "b" },
      { externalId: "a", email: "kept@example.com" },
    ]);
  });

  it("limits external users per account: are reported for each user", async () => {
    await account.changeSettings({ external_user_limit: 1 });
    const { succeeded, failed } = await provisionMany([{ externalId: "a" }, { externalId: "b" }]);
    expect(succeeded.map(({ externalId }) => externalId)).toEqual(["a"]);
    expect(failed).toMatchObject([{ externalId: "b", error: { status: 429 } }]);
  });

  it("creates no tenant when no user is added", async () => {
    const { failed } = await provisionMany([{ externalId: "BAD" }]);
    expect(failed).toHaveLength(1);
    expect(await names()).toEqual([]);
  });
});
