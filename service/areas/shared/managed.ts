// Users and groups that an identity provider manages through SCIM are read-only for everyone else. This holds while
// SCIM is enabled for the account, and the integration of the identity provider, if any, is enabled.
import { Failure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { preparedListQuery } from "../../store/prepared-query.ts";
import { toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { fieldError } from "./field-error.ts";

/** The manager of an object: the name of a SCIM integration, or null for an identity provider with an API key. */
export type Manager = string | null;

const managedUserRows = preparedListQuery((db, ids: readonly number[]) =>
  db
    .selectFrom("scim_users")
    .innerJoin("account", (join) => join.onTrue())
    .leftJoin("scim_integrations", "scim_integrations.id", "scim_users.integration_id")
    .select(["user_id as id", "scim_integrations.name", "scim_integrations.is_enabled"])
    .where("user_id", "in", ids)
    .where("account.scim_enabled", "=", 1),
);

const managedGroupRows = preparedListQuery((db, ids: readonly number[]) =>
  db
    .selectFrom("scim_groups")
    .innerJoin("account", (join) => join.onTrue())
    .leftJoin("scim_integrations", "scim_integrations.id", "scim_groups.integration_id")
    .select(["group_id as id", "scim_integrations.name", "scim_integrations.is_enabled"])
    .where("group_id", "in", ids)
    .where("account.scim_enabled", "=", 1),
);

/** Returns the users that an identity provider manages, with their managers. */
export async function managedUsers(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Manager>> {
  return ids.length === 0 ? new Map() : managersIn(await managedUserRows(db, ids));
}

/** Returns the groups that an identity provider manages, with their managers. */
export async function managedGroups(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Manager>> {
  return ids.length === 0 ? new Map() : managersIn(await managedGroupRows(db, ids));
}

interface ManagedRow {
  readonly id: number;
  readonly name: string | null;
  /** Null without an integration. */
  readonly is_enabled: number | null;
}

function managersIn(rows: readonly ManagedRow[]): ReadonlyMap<number, Manager> {
  const managed = rows.filter(({ is_enabled: enabled }) => enabled !== 0);
  return new Map(managed.map(({ id, name }) => [id, name]));
}

/** Returns the response members that name an object's manager; none if only the API manages it. */
export function showManager(manager: Manager | undefined): {
  managedBy?: "scim";
  scimIntegration?: string;
} {
  if (manager === undefined) return {};
  return { managedBy: "scim", ...(manager !== null && { scimIntegration: manager }) };
}

/** Throws `conflict` if an identity provider manages a user. */
export async function refuseManagedUser(db: Db, id: number): Promise<void> {
  for (const [managed, manager] of await managedUsers(db, [id]))
    throw new Failure("conflict", managedText(`user ${managed}`, manager));
}

/** Throws `conflict` if an identity provider manages one of the groups. */
export async function refuseManagedGroups(db: Db, ids: readonly number[]): Promise<void> {
  for (const [managed, manager] of await managedGroups(db, ids))
    throw new Failure("conflict", managedText(`group ${managed}`, manager));
}

/** Returns the reason why others cannot change an object that an identity provider manages. */
export function managedText(what: string, manager: Manager): string {
  return manager === null
    ? `the identity provider manages ${what} through SCIM; make the change there, or disable SCIM`
    : `the SCIM integration ${JSON.stringify(manager)} manages ${what}; make the change at its identity provider, or disable the integration`;
}

/**
 * Lets an integration manage a user, whoever managed the user before; null lets none. Throws `invalid` for an unknown
 * integration.
 */
export async function linkUser(db: Db, user: Row<"users">, name: string | null): Promise<void> {
  if (name === null) {
    for (const table of ["scim_users", "scim_emails"] as const)
      await db.deleteFrom(table).where("user_id", "=", user.id).execute();
    return;
  }
  const columns = { integration_id: await integrationNamed(db, name) };
  await db
    .insertInto("scim_users")
    .values({ user_id: user.id, attributes: toJson(profileOf(user)), ...columns })
    .onConflict((on) => on.column("user_id").doUpdateSet(columns))
    .execute();
}

/**
 * Lets an integration manage a group from a time on, whoever managed the group before; null lets none. Throws `invalid`
 * for an unknown integration.
 */
export async function linkGroup(
  db: Db,
  { id, at }: { readonly id: number; readonly at: string },
  name: string | null,
): Promise<void> {
  if (name === null) {
    await db.deleteFrom("scim_groups").where("group_id", "=", id).execute();
    return;
  }
  const columns = { integration_id: await integrationNamed(db, name), updated_at: at };
  await db
    .insertInto("scim_groups")
    .values({ group_id: id, external_id: null, ...columns })
    .onConflict((on) => on.column("group_id").doUpdateSet(columns))
    .execute();
}

async function integrationNamed(db: Db, name: string): Promise<number> {
  const integration = await db
    .selectFrom("scim_integrations")
    .select("id")
    .where("name", "=", name)
    .executeTakeFirst();
  if (integration === undefined) {
    const what = `there is no SCIM integration ${JSON.stringify(name)}`;
    throw fieldError("scimIntegration", ["invalid", what]);
  }
  return integration.id;
}

/** Returns a name whose last word is the family name. Identity providers expect both parts, so a single word is both. */
function nameOf(displayName: string): JsonObject {
  const words = displayName.trim().split(/\s+/u);
  const familyName = words.at(-1) ?? displayName;
  return { givenName: words.slice(0, -1).join(" ") || familyName, familyName };
}

/** Returns the attributes of SCIM of a user that no identity provider manages. */
export function profileOf({
  display_name: displayName,
  title,
  email,
  picture,
}: Row<"users">): JsonObject {
  return {
    ...(displayName === null ? {} : { displayName, name: nameOf(displayName) }),
    ...(title === null ? {} : { title }),
    ...(email === null ? {} : { emails: [{ value: email, type: "work", primary: true }] }),
    ...(picture === null ? {} : { photos: [{ value: picture, type: "photo", primary: true }] }),
  };
}
