// Which lists a survey reads.
import { expect, it } from "vitest";
import type { Reader } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { kinds } from "../../resources/index.ts";
import { survey } from "./survey.ts";

/** Surveys the members of `groupCount` groups, and the resource types `others`. Returns the operations, each once. */
async function operations(groupCount: number, ...others: readonly string[]) {
  const names = { username: "jane", email: "jane@corp.example" };
  const member = { id: 7, ...names, isExternal: false, isAdmin: false, isDeactivated: false };
  const groups = Array.from({ length: groupCount }, (_, id) => ({
    id,
    name: `group-${id}`,
    userCount: 1,
  }));
  const answers: Readonly<Record<string, readonly unknown[]>> = {
    listUsers: [{ ...member, groups: groups.map(({ name }) => name) }],
    listUserGroups: groups,
    listUserGroupUsers: [member],
  };
  const called = new Set<string>();
  const all = async ({ id }: { id: string }) => {
    called.add(id);
    return answers[id] ?? [];
  };
  const reader: Reader = {
    all,
    allWithin: async (pages: number, operation: { id: string }) =>
      pages === 0 ? undefined : all(operation),
    one: async () => undefined,
    knownText: () => undefined,
  } as never;
  const has = () => true;
  const apiDiscovery = { has, takesIdempotencyKey: has, takesQuery: has };
  const only = new Set(["GroupMembership", ...others]);
  const { live } = await survey({ kinds, only, allFields: true, apiDiscovery, reader });
  expect(live.get("GroupMembership")?.byKey.size).toBe(groupCount);
  return called;
}

it("lists all users for the members of groups only if they are asked for, or the groups are many", async () => {
  expect(await operations(2)).not.toContain("listUsers");
  expect(await operations(2, "User")).not.toContain("listUserGroupUsers");
  expect(await operations(limits.collectionsReadApart + 1)).not.toContain("listUserGroupUsers");
});
