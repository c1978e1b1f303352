// The rules of bulk creates: each object is created or reported, and what exists is never changed.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createEmbedTenantGroups,
  createEmbedUsers,
  listEmbedTenantGroups,
  listEmbedUsers,
} from "../../api/embed-tenants.ts";
import { createUserAttributes, listUserAttributes } from "../../api/user-attributes.ts";
import { createUserGroups, listUserGroups } from "../../api/user-groups.ts";
import { openAccount, type TestAccount } from "./test-account.ts";

let account: TestAccount;
const params = { embedTenantName: "tenant" };
beforeEach(async () => {
  account = await openAccount();
});
afterEach(() => account.close());

const createUsers = (...users: { externalId: string; email?: string; groups?: string[] }[]) =>
  account.run(createEmbedUsers, { params, body: { users } });

describe("a bulk create", () => {
  it("reports by position the groups that it did not create, and changes none of them", async () => {
    const create = (...groups: { name: string; description?: string }[]) =>
      account.run(createUserGroups, { body: { groups } });
    await create({ name: "kept", description: "before" });
    const answer = await create({ name: "a" }, { name: "kept", description: "x" }, { name: "a" });
    expect(answer.succeeded).toMatchObject([{ name: "a", userCount: 0 }]);
    expect(answer.failed).toMatchObject([
      { index: 1, error: { status: 409 } },
      { index: 2, error: { status: 409 } },
    ]);
    expect(await account.list(listUserGroups, {})).toMatchObject([
      { name: "a" },
      { name: "kept", description: "before" },
    ]);
  });

  it("creates groups only in an embed tenant that exists", async () => {
    const groups = [{ name: "viewers", description: "May read." }];
    const create = () => account.run(createEmbedTenantGroups, { params, body: { groups } });
    await expect(create()).rejects.toMatchObject({ code: "not_found" });
    await createUsers({ externalId: "a" });
    expect(await create()).toMatchObject({ succeeded: groups, failed: [] });
    expect(await create()).toMatchObject({ succeeded: [], failed: [{ index: 0 }] });
    expect(await account.list(listEmbedTenantGroups, { params })).toMatchObject(groups);
  });

  it("checks each attribute", async () => {
    const attributes = [
      { name: "level", type: "number", defaultValue: "high" },
      { name: "region", type: "string", defaultValue: "EMEA" },
    ] as const;
    const answer = await account.run(createUserAttributes, {
      body: { attributes: [...attributes] },
    });
    expect(answer).toMatchObject({
      succeeded: [{ name: "region" }],
      failed: [{ index: 0, error: { status: 400 } }],
    });
    expect(await account.list(listUserAttributes, {})).toMatchObject([{ name: "region" }]);
  });

  it("creates users, and never updates one", async () => {
    await createUsers({ externalId: "a", email: "kept@example.com" });
    const answer = await createUsers(
      { externalId: "b", groups: ["ghosts"] },
      { externalId: "a", email: "never@example.com" },
      { externalId: "c" },
      { externalId: "BAD" },
    );
    expect(answer.succeeded).toMatchObject([{ externalId: "c" }]);
    expect(answer.failed.map(({ index, error }) => [index, error.status])).toEqual([
      [0, 400],
      [1, 409],
      [3, 400],
    ]);
    expect(await account.list(listEmbedUsers, { params })).toMatchObject([
      { externalId: "c" },
      { externalId: "a", email: "kept@example.com" },
    ]);
  });
});
