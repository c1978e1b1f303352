// Groups as SCIM resources.
import { parseId } from "../../../api/schemas.ts";
import type { JsonObject } from "../../../core/json.ts";
import { groupType } from "../../scim/attributes.ts";
import { scimError } from "../../scim/scim-error.ts";
import type { Db, Row } from "../../store/schema.ts";
import { membersDigest } from "../../store/sql-conditions.ts";
import { accountScope } from "../user-groups/groups.ts";
import type { ReadWindow, ResourceStore, StoredResource } from "./resource-store.ts";
import { versionOf } from "./scim-call.ts";

/** Members of all groups of one response. A single group is always returned whole. */
const membersMax = 100_000;

/** Groups whose members one query reads. */
const groupsOfBatch = 100;

/** Selects the account-wide groups with the columns that SCIM stores for them. */
export function selectScimGroups(db: Db) {
  return db
    .selectFrom("user_groups")
    .leftJoin("scim_groups", "scim_groups.group_id", "user_groups.id")
    .select(["user_groups.id as id", "user_groups.name", "user_groups.created_at"])
    .select(["scim_groups.external_id", "scim_groups.updated_at", "scim_groups.integration_id"])
    .where("user_groups.tenant_scope", "=", accountScope);
}

/** A row of {@link selectScimGroups}. */
export interface ScimGroup {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
  readonly external_id: string | null;
  /** When an identity provider changed the group last; null if none manages it. */
  readonly updated_at: string | null;
  /** The integration that manages the group; null if none does. */
  readonly integration_id: number | null;
}

/** Reads groups. */
export const groupStore: ResourceStore = {
  type: groupType,
  costly: "members",
  nameAttribute: "displayName",
  read: async (db, base, window) => {
    const rows = await selectedBy(selectScimGroups(db), window).orderBy("user_groups.id").execute();
    return rows.map((row) => ({ id: row.id, resource: groupResource(row, base) }));
  },
  count: async (db) => {
    const counted = db.selectFrom("user_groups").select((eb) => eb.fn.countAll().as("total"));
    const { total } = await counted
      .where("tenant_scope", "=", accountScope)
      .executeTakeFirstOrThrow();
    return Number(total);
  },
  attach: async (db, found, { base, whole, only }) => {
    if (only !== undefined) {
      if (found.length === 0 || only.length === 0) return found;
      const rows = membersOfGroups(db, found).where("group_members.user_id", "in", only);
      return withMembers(found, await rows.execute(), base);
    }
    const complete: StoredResource[] = [];
    let left = membersMax;
    for (let at = 0; at < found.length; at += groupsOfBatch) {
      const batch = found.slice(at, at + groupsOfBatch);
      const rows = await membersOfGroups(db, batch)
        .orderBy("group_members.group_id")
        .orderBy("group_members.user_id")
        .limit(left + 1)
        .execute();
      if (rows.length > left) {
        const rest = await attachEach(db, batch, { base, whole, left, isFirst: at === 0 });
        return [...complete, ...rest];
      }
      left -= rows.length;
      complete.push(...withMembers(batch, rows, base));
    }
    return complete;
  },
};

/**
 * Returns the first groups with their members: as many groups as have `left` members in total. The first group is
 * always complete.
 */
async function attachEach(
  db: Db,
  groups: readonly StoredResource[],
  given: {
    readonly base: string;
    readonly whole: boolean;
    readonly left: number;
    readonly isFirst: boolean;
  },
): Promise<readonly StoredResource[]> {
  const complete: StoredResource[] = [];
  let { left, isFirst } = given;
  for (const group of groups) {
    const most = isFirst ? undefined : left;
    const members = await membersOf(db, { base: given.base, groupId: group.id, most });
    left -= members.length;
    if (left < 0 && !isFirst) {
      if (!given.whole) return complete;
      throw scimError(
        "tooMany",
        `the filter concerns groups with more than ${membersMax} members together; filter by other attributes too`,
      );
    }
    isFirst = false;
    const { id, resource } = group;
    complete.push(members.length === 0 ? group : { id, resource: { ...resource, members } });
  }
  return complete;
}

/** Selects the members of groups: the account's own users. */
function membersOfGroups(db: Db, groups: readonly StoredResource[]) {
  return db
    .selectFrom("group_members")
    .innerJoin("users", "users.id", "group_members.user_id")
    .select(["group_members.group_id", ...memberColumns])
    .where(
      "group_members.group_id",
      "in",
      groups.map(({ id }) => id),
    )
    .where("users.is_external", "=", 0);
}

type MemberRow = Pick<Row<"users">, "id" | "username" | "display_name"> & {
  readonly group_id: number;
};

/** Returns the groups with their members from the query. */
function withMembers(
  groups: readonly StoredResource[],
  rows: readonly MemberRow[],
  base: string,
): readonly StoredResource[] {
  const byGroup = Map.groupBy(rows, ({ group_id }) => group_id);
  return groups.map((group) => {
    const members = byGroup.get(group.id)?.map((row) => memberResource(row, base));
    return members === undefined ? group : { ...group, resource: { ...group.resource, members } };
  });
}

type GroupQuery = ReturnType<typeof selectScimGroups>;

function selectedBy(
  query: GroupQuery,
  { narrowing, ids, after, offset, count }: ReadWindow,
): GroupQuery {
  let selected = query.limit(count);
  if (ids !== undefined) selected = selected.where("user_groups.id", "in", [...ids]);
  if (after !== undefined) selected = selected.where("user_groups.id", ">", after);
  if (offset !== undefined && offset > 0) selected = selected.offset(offset);
  if (narrowing === undefined) return selected;
  const { by, value } = narrowing;
  // A condition on the joined table alone would make the database walk through all groups.
  if (by === "externalId")
    return selected.where("user_groups.id", "in", (eb) =>
      eb.selectFrom("scim_groups as named").select("group_id").where("external_id", "=", value),
    );
  if (by === "name") return selected.where("user_groups.name_key", "=", value.toLowerCase());
  if (by !== "member")
    return selected.where("user_groups.id", "=", by === "id" ? (parseId(value) ?? 0) : 0);
  return selected.where("user_groups.id", "in", (eb) =>
    eb
      .selectFrom("group_members")
      .select("group_id")
      .where("user_id", "=", parseId(value) ?? 0),
  );
}

/** Returns a group as a resource, without its members. */
export function groupResource(row: ScimGroup, base: string): JsonObject {
  return {
    schemas: [groupType.schema.id],
    id: String(row.id),
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    displayName: row.name,
    meta: {
      resourceType: "Group",
      created: row.created_at,
      lastModified: row.updated_at ?? row.created_at,
      location: `${base}/Groups/${row.id}`,
    },
  };
}

/** Selects the members of a group: the account's own users. */
export function selectMembers(db: Db, groupId: number) {
  return db
    .selectFrom("group_members")
    .innerJoin("users", "users.id", "group_members.user_id")
    .where("group_members.group_id", "=", groupId)
    .where("users.is_external", "=", 0);
}

/** The members to read. */
export interface GroupMembers {
  readonly base: string;
  readonly groupId: number;
  readonly most?: number | undefined;
}

/** Returns the members of a group in their SCIM form; one more than `most` if there are more. */
export async function membersOf(
  db: Db,
  { base, groupId, most }: GroupMembers,
): Promise<readonly JsonObject[]> {
  let members = selectMembers(db, groupId).select(memberColumns).orderBy("group_members.user_id");
  if (most !== undefined) members = members.limit(most + 1);
  return (await members.execute()).map((row) => memberResource(row, base));
}

const memberColumns = ["users.id", "users.username", "users.display_name"] as const;

function memberResource(
  {
    id,
    username,
    display_name: displayName,
  }: Pick<Row<"users">, "id" | "username" | "display_name">,
  base: string,
): JsonObject {
  return {
    value: String(id),
    $ref: `${base}/Users/${id}`,
    display: displayName ?? username,
    type: "User",
  };
}

/** Returns the version of a group. It depends on the members, and costs one query for all of them. */
export async function groupVersion(db: Db, row: ScimGroup): Promise<string> {
  const { digest } = await selectMembers(db, row.id)
    .select(membersDigest.as("digest"))
    .executeTakeFirstOrThrow();
  return versionOf({ id: row.id, name: row.name, externalId: row.external_id, members: digest });
}
