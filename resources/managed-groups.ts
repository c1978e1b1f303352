// Checks that memberships do not change in groups whose members an identity provider manages.
import type { Static } from "typebox";
import type { ManagedBy } from "../api/schemas.ts";
import { listUserGroups } from "../api/user-groups.ts";
import { managerOf } from "../core/kind/external-manager.ts";
import type { JsonValue } from "../core/json.ts";
import type { Reader } from "../core/kind/kind.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import type { CheckResult, ValueCheck } from "../core/kind/server-checks.ts";

const managersByName = memoizePerObject(
  (groups: readonly AnswerOf<typeof listUserGroups>[]) =>
    new Map(
      groups.map(({ name, managedBy, scimIntegration }) => [
        name,
        managedBy && { managedBy, ...(scimIntegration !== undefined && { scimIntegration }) },
      ]),
    ),
);

/** The manager of a group, as its status names it. */
interface GroupManager {
  readonly managedBy: Static<typeof ManagedBy>;
  readonly scimIntegration?: string;
}

/** Returns the manager of each account-wide group, by name; undefined for a group that nothing else manages. */
export async function managersOfGroups(
  reader: Reader,
): Promise<ReadonlyMap<string, GroupManager | undefined>> {
  return managersByName(await reader.all(listUserGroups, {}));
}

/** Reports a new member of a group that an identity provider manages. */
export const membershipCheck: ValueCheck<Reader> = {
  what: "the group",
  needs: [listUserGroups],
  run: async (reader, { spec, changed }) =>
    changed === undefined
      ? refuseManaged(reader, "/group", namesIn([spec["group"] ?? null]))
      : nothingFound,
};

/** Reports groups that an identity provider manages and that the user would join or leave. */
export const groupsCheck: ValueCheck<Reader> = {
  what: "the groups",
  needs: [listUserGroups],
  run: async (reader, { spec, changed }) => {
    const change = changed?.find(({ path }) => path === "/groups");
    if (changed !== undefined && change === undefined) return nothingFound;
    const wanted = new Set(namesIn(spec["groups"]));
    const had = new Set(namesIn(change?.before));
    const moved = [...wanted, ...had].filter((name) => wanted.has(name) !== had.has(name));
    return refuseManaged(reader, "/groups", moved);
  },
};

const nothingFound: CheckResult = { errors: [], errorCount: 0 };

function namesIn(groups: JsonValue | undefined): readonly string[] {
  return Array.isArray(groups) ? groups.filter((name) => typeof name === "string") : [];
}

async function refuseManaged(
  reader: Reader,
  path: string,
  groups: readonly string[],
): Promise<CheckResult> {
  if (groups.length === 0) return nothingFound;
  const managers = await managersOfGroups(reader);
  const errors = groups.flatMap((name) => {
    const manager = managerOf({ ...managers.get(name) });
    if (manager === undefined) return [];
    const message = `${manager} manages the members of group ${JSON.stringify(name)}; change them there`;
    return [{ path, message }];
  });
  return { errors, errorCount: errors.length };
}
