// Users as SCIM resources: the row of the user, and the attributes that only SCIM knows.
import { parseId } from "../../../api/schemas.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { userType } from "../../scim/attributes.ts";
import { scimError } from "../../scim/scim-error.ts";
import { fromJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import { isInGroup, isInternalUser } from "../../store/sql-conditions.ts";
import { profileOf } from "../shared/managed.ts";
import { accountScope } from "../user-groups/groups.ts";
import type { AttachOptions, ReadWindow, ResourceStore, StoredResource } from "./resource-store.ts";
import { versionOf } from "./scim-call.ts";

/** A user with the attributes that SCIM keeps; null if no identity provider manages the user. */
export type ScimUser = Row<"users"> & {
  readonly scim_attributes: string | null;
  /** The integration that manages the user; null if none does. */
  readonly integration_id: number | null;
  readonly is_in_group: number;
};

/** Selects the account's own users with their SCIM attributes. */
function selectScimUsers(db: Db) {
  return db
    .selectFrom("users")
    .leftJoin("scim_users", "scim_users.user_id", "users.id")
    .selectAll("users")
    .select(["scim_users.attributes as scim_attributes", "scim_users.integration_id"])
    .select(isInGroup.as("is_in_group"))
    .where(isInternalUser);
}

/** Reads users. */
export const userStore: ResourceStore = {
  type: userType,
  costly: "groups",
  nameAttribute: "userName",
  read: async (db, base, window) => {
    const rows = await readRows(db, window);
    return rows.map((row) => ({
      id: row.id,
      resource: userResource(row, base),
      isComplete: row.is_in_group === 0,
    }));
  },
  count: async (db) => {
    const counted = db.selectFrom("users").select((eb) => eb.fn.countAll().as("total"));
    return Number((await counted.where(isInternalUser).executeTakeFirstOrThrow()).total);
  },
  attach: async (db, found, { base, only }) => withGroups(db, found, { base, only }),
};

/** Reads users by name, as identity providers do before most changes. */
const usersByName = preparedQuery((db, value: { name: string; after: number; count: number }) =>
  selectScimUsers(db)
    .where("users.name_key", "=", value.name)
    .where("users.id", ">", value.after)
    .orderBy("users.id")
    .limit(value.count),
);

/** Reads one user, for every read, change and response of a single user. */
export const userById = preparedQuery((db, value: { id: number }) =>
  selectScimUsers(db).where("users.id", "=", value.id),
);

async function readRows(db: Db, window: ReadWindow): Promise<readonly ScimUser[]> {
  const { narrowing, ids, after = 0, offset = 0, count } = window;
  const [id] = ids ?? [];
  if (id !== undefined && ids?.length === 1 && narrowing === undefined && after + offset === 0) {
    return userById(db, { id });
  }
  if (narrowing?.by === "name" && ids === undefined && offset === 0) {
    return usersByName(db, { name: narrowing.value.toLowerCase(), after, count });
  }
  return selectedBy(selectScimUsers(db), window).orderBy("users.id").execute();
}

type UserQuery = ReturnType<typeof selectScimUsers>;

function selectedBy(
  query: UserQuery,
  { narrowing, ids, after, offset, count }: ReadWindow,
): UserQuery {
  let selected = query.limit(count);
  if (ids !== undefined) selected = selected.where("users.id", "in", [...ids]);
  if (after !== undefined) selected = selected.where("users.id", ">", after);
  if (offset !== undefined && offset > 0) selected = selected.offset(offset);
  if (narrowing === undefined) return selected;
  const { by, value } = narrowing;
  if (by === "id") return selected.where("users.id", "=", parseId(value) ?? 0);
  if (by === "externalId") return selected.where("users.external_id", "=", value);
  if (by === "name") return selected.where("users.name_key", "=", value.toLowerCase());
  if (by === "member")
    return selected.where("users.id", "in", (eb) =>
      eb
        .selectFrom("group_members")
        .select("user_id")
        .where("group_id", "=", parseId(value) ?? 0),
    );
  const key = emailKey(value) ?? "";
  // Both in one subquery: with `or`, the database would walk through all users.
  return selected.where("users.id", "in", (eb) =>
    eb
      .selectFrom("users as named")
      .select("named.id as user_id")
      .where(isInternalUser)
      .where("named.email_key", "=", key)
      .unionAll(
        eb.selectFrom("scim_emails").select("scim_emails.user_id").where("email_key", "=", key),
      ),
  );
}

/** Returns the form in which emails are looked up; undefined for a text that is too long for an email, or empty. */
export function emailKey(email: string): string | undefined {
  return email === "" || email.length > 254 ? undefined : email.toLowerCase();
}

/** Returns a user as a resource, without its groups. */
export function userResource(row: ScimUser, base: string): JsonObject {
  const content = contentOf(row);
  return {
    ...content,
    meta: {
      resourceType: "User",
      created: row.created_at,
      lastModified: row.updated_at ?? row.created_at,
      location: `${base}/Users/${row.id}`,
      version: versionOf(content),
    },
  };
}

/** Returns the version of a user. Its groups do not affect the version. */
export function userVersion(row: ScimUser): string {
  return versionOf(contentOf(row));
}

function contentOf(row: ScimUser): JsonObject {
  const kept = row.scim_attributes === null ? profileOf(row) : fromJson(row.scim_attributes);
  const attributes = isObject(kept) ? kept : {};
  const extensions = userType.extensions.map(({ id }) => id).filter((id) => id in attributes);
  return {
    schemas: [userType.schema.id, ...extensions],
    id: String(row.id),
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    userName: row.username,
    ...attributes,
    active: row.is_deactivated === 0,
  };
}

/** Groups of all users of one response. */
const groupsMax = 100_000;

function selectMemberships(db: Db) {
  return db
    .selectFrom("group_members")
    .innerJoin("user_groups", "user_groups.id", "group_members.group_id")
    .select([
      "group_members.user_id",
      "user_groups.id",
      "user_groups.name",
      "user_groups.tenant_scope as scope",
    ])
    .limit(groupsMax + 1);
}

const membershipsOfUser = preparedQuery((db, value: { user: number }) =>
  selectMemberships(db).where("group_members.user_id", "=", value.user),
);

async function readMemberships(
  db: Db,
  users: readonly number[],
  only: readonly number[] | undefined,
) {
  const [user] = users;
  if (user !== undefined && users.length === 1 && only === undefined)
    return membershipsOfUser(db, { user });
  const memberships = selectMemberships(db).where("group_members.user_id", "in", users);
  const some =
    only === undefined ? memberships : memberships.where("group_members.group_id", "in", only);
  return some.execute();
}

async function withGroups(
  db: Db,
  found: readonly StoredResource[],
  { base, only }: Pick<AttachOptions, "base" | "only">,
): Promise<readonly StoredResource[]> {
  const members = found.filter(({ isComplete }) => isComplete !== true).map(({ id }) => id);
  if (members.length === 0 || only?.length === 0) return found;
  const rows = await readMemberships(db, members, only);
  if (rows.length > groupsMax) {
    throw scimError(
      "tooMany",
      `these users are in more than ${groupsMax} groups; ask for fewer, or exclude groups`,
    );
  }
  const inAccount = rows
    .filter(({ scope }) => scope === accountScope)
    .toSorted((a, b) => a.id - b.id);
  const byUser = Map.groupBy(inAccount, ({ user_id }) => user_id);
  return found.map(({ id, resource }) => {
    const groups = (byUser.get(id) ?? []).map(({ id: group, name }): JsonValue => ({
      value: String(group),
      $ref: `${base}/Groups/${group}`,
      display: name,
      type: "direct",
    }));
    return { id, resource: groups.length === 0 ? resource : { ...resource, groups } };
  });
}
