// The account's own users: select, create, update and delete.
import type { createUser, updateUser } from "../../../api/users.ts";
import { Failure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { mergePatch } from "../../../core/spec/patch.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { endDeactivated } from "../../identity/end-access.ts";
import { fieldError } from "../shared/field-error.ts";
import { managedUsers, showManager } from "../shared/managed.ts";
import { rolesOf } from "../../security/roles.ts";
import { fromJson, toFlag, emptyToNull, toJson, toShortJson } from "../../store/codec.ts";
import { keptQuery, preparedListQuery } from "../../store/prepared-query.ts";
import type { Db, Row } from "../../store/schema.ts";
import { isInternalUser } from "../../store/sql-conditions.ts";
import { accountScope } from "../user-groups/groups.ts";
import { groupNamesOf } from "../user-groups/membership.ts";

/** Selects the account's own users. External users belong to embed tenants. */
export function selectUsers(db: Db) {
  return db.selectFrom("users").selectAll().where(isInternalUser);
}

/** Returns one of the account's own users. Throws `not_found` if there is none. */
export async function findUser(db: Db, id: number): Promise<Row<"users">> {
  const row = await selectUsers(db).where("id", "=", id).executeTakeFirst();
  if (row) return row;
  throw new Failure(
    "not_found",
    `there is no user ${id}; external users are managed in their embed tenant`,
  );
}

/** Returns the public name and email of a user. */
export function showUserSummary({
  id,
  email,
  display_name: firstName,
  picture,
}: Pick<Row<"users">, "id" | "email" | "display_name" | "picture">) {
  return { id, email: email ?? "", ...omitNullish({ firstName, picture }) };
}

function selectSummaries(db: Db) {
  return db.selectFrom("users").select(["id", "email", "display_name", "picture"]);
}

/** Reads the author of one object. */
const summaryRow = keptQuery((db: Db, value: { id: number }) =>
  selectSummaries(db).where("id", "=", value.id),
);

/** Reads the authors of a list. */
const summaryRows = preparedListQuery((db, ids: readonly number[]) =>
  selectSummaries(db).where("id", "in", ids),
);

/** Returns the public names of users, own and external ones, by ID. Unknown users and null are left out. */
export async function userSummaries(db: Db, ids: readonly (number | null)[]) {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  const [id] = wanted;
  if (id === undefined) return new Map<number, never>();
  const rows = wanted.length === 1 ? await summaryRow(db, { id }) : await summaryRows(db, wanted);
  return new Map(rows.map((row) => [row.id, showUserSummary(row)]));
}

/** Converts users to their API form. Reads the groups of all users in one query, and their managers in another. */
export async function showUsers(db: Db, rows: readonly Row<"users">[]) {
  const ids = rows.map(({ id }) => id);
  const groups = await groupNamesOf(db, ids, accountScope);
  const managed = await managedUsers(db, ids);
  return rows.map((row) => ({
    ...showUserSummary(row),
    username: row.username,
    isAdmin: row.is_admin === 1,
    isDeactivated: row.is_deactivated === 1,
    defaultRoles: [...rolesOf(row)],
    groups: groups.get(row.id) ?? [],
    createdAt: row.created_at,
    ...showManager(managed.get(row.id)),
    ...omitNullish({
      title: row.title,
      externalId: row.external_id,
      settings: objectOf(row.settings),
      securityContext: objectOf(row.security_context),
      embedTheme: row.embed_theme,
      updatedAt: row.updated_at,
      lastLogin: row.last_login,
    }),
  }));
}

function objectOf(text: string | null): JsonObject | null {
  return text === null ? null : (fromJson(text) as JsonObject);
}

/**
 * Returns the column of a free-form object; null if there is none. An empty object is kept, so that it reads back as it
 * was sent.
 */
function objectColumn(
  name: string,
  value: Readonly<Record<string, unknown>> | null | undefined,
): string | null {
  if (value == null) return null;
  return toShortJson(value as JsonObject, { name, most: limits.userSettingsBytes });
}

/** Merges members into the settings of a user; `null` removes one. */
export async function mergeSettings(
  db: Db,
  id: number,
  { changes, at }: { changes: Readonly<Record<string, unknown>>; at: string },
): Promise<void> {
  const { settings } = await findUser(db, id);
  const merged = mergePatch(objectOf(settings) ?? {}, changes as JsonObject) as JsonObject;
  await db
    .updateTable("users")
    .set({ settings: objectColumn("settings", merged), updated_at: at })
    .where("id", "=", id)
    .execute();
}

/** Returns one user in its API form. Throws `not_found` if there is none. */
export async function showUser(db: Db, id: number) {
  const row = await findUser(db, id);
  const [shown] = await showUsers(db, [row]);
  if (shown) return shown;
  throw new Failure("not_found", `there is no user ${id}`);
}

/** Creates a user and returns its id. Throws `conflict` if the name or the email is taken. */
export async function insertUser(
  db: Db,
  input: RequestOf<typeof createUser>["body"],
  createdAt: string,
): Promise<number> {
  const { username, email, firstName, isAdmin, picture, defaultRoles, externalId } = input;
  await refuseTakenIdentity(db, username, email);
  if (externalId != null) await refuseTakenExternalId(db, externalId);
  const created = await db
    .insertInto("users")
    .values({
      username,
      name_key: username.toLowerCase(),
      email,
      email_key: email.toLowerCase(),
      display_name: emptyToNull(firstName),
      picture: picture ?? null,
      is_admin: toFlag(isAdmin ?? false),
      default_roles: rolesColumn(defaultRoles),
      is_external: toFlag(false),
      external_id: externalId ?? null,
      settings: objectColumn("settings", input.settings),
      created_at: createdAt,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return created.id;
}

/** Updates the given members of an existing user. The caller has checked the guards. */
export async function changeUser(
  db: Db,
  id: number,
  { input, at }: { input: RequestOf<typeof updateUser>["body"]; at: string },
): Promise<void> {
  const { firstName, title, picture, isAdmin, isDeactivated, defaultRoles } = input;
  const { securityContext: context, settings, embedTheme } = input;
  const changes = {
    ...(context === undefined
      ? {}
      : { security_context: objectColumn("securityContext", context) }),
    ...(settings === undefined ? {} : { settings: objectColumn("settings", settings) }),
    ...(embedTheme === undefined ? {} : { embed_theme: embedTheme }),
    ...(firstName === undefined ? {} : { display_name: emptyToNull(firstName) }),
    ...(title === undefined ? {} : { title: emptyToNull(title) }),
    ...(picture === undefined ? {} : { picture }),
    ...(defaultRoles === undefined ? {} : { default_roles: rolesColumn(defaultRoles) }),
    ...(isAdmin == null ? {} : { is_admin: toFlag(isAdmin) }),
    ...(isDeactivated == null ? {} : { is_deactivated: toFlag(isDeactivated) }),
  };
  if (Object.keys(changes).length === 0) return;
  await db
    .updateTable("users")
    .set({ ...changes, updated_at: at })
    .where("id", "=", id)
    .execute();
  if (isDeactivated === true) await endDeactivated(db, id, new Date(at));
}

function rolesColumn(roles: readonly string[] | null | undefined): string | null {
  return roles == null ? null : toJson([...new Set(roles)].toSorted());
}

/** Deletes the user with its keys, memberships, values, sessions and subscriptions. */
export async function dropUser(db: Db, id: number): Promise<void> {
  // The audit log has an entry of each credential that ends. The database would delete them without one.
  for (const table of ["api_keys", "workload_trusts"] as const) {
    await db.deleteFrom(table).where("owner_user_id", "=", id).execute();
  }
  await db.deleteFrom("users").where("id", "=", id).execute();
}

async function refuseTakenExternalId(db: Db, externalId: string): Promise<void> {
  const taken = db.selectFrom("users").select("id").where(isInternalUser);
  if (!(await taken.where("external_id", "=", externalId).executeTakeFirst())) return;
  const what = `a user with the external ID ${JSON.stringify(externalId)} already exists`;
  throw fieldError("externalId", ["conflict", what]);
}

/** Email addresses are compared without regard to case. */
async function refuseTakenIdentity(db: Db, username: string, email: string): Promise<void> {
  const among = db.selectFrom("users").select("id").where(isInternalUser);
  if (await among.where("username", "=", username).executeTakeFirst()) {
    throw fieldError("username", [
      "conflict",
      `a user named ${JSON.stringify(username)} already exists; choose another username`,
    ]);
  }
  if (await among.where("email_key", "=", email.toLowerCase()).executeTakeFirst()) {
    const what = `a user with the email ${JSON.stringify(email)} already exists; choose another email`;
    throw fieldError("email", ["conflict", what]);
  }
}
