// External users: identified by embed tenant and external id, and updated from each request.
import { Failure, invariant } from "../../../core/errors.ts";
import { externalIdPattern } from "../../../core/text/text-patterns.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { emptyToNull, toFlag } from "../../store/codec.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db } from "../../store/schema.ts";

/** The profile members of a request. Absent members and `null` keep the stored value. */
export interface ExternalUserInput {
  readonly email?: string | null;
  readonly userProfile?: {
    readonly displayName?: string | null;
    readonly picture?: string | null;
  } | null;
  /** True for a user that is deleted with its last session. A request without it makes the user permanent. */
  readonly isEphemeral?: boolean | null;
}

/** The stored profile. */
export interface ExternalUserRecord {
  readonly id: number;
  readonly email: string | null;
  readonly display_name: string | null;
  readonly picture: string | null;
  readonly is_ephemeral: number | null;
}

/** An external user to create. */
export interface NewExternalUser {
  readonly tenantId: number;
  readonly externalId: string;
  readonly input: ExternalUserInput;
  /** Maximum number of external users in the account. */
  readonly limit: number;
  readonly createdAt: string;
}

/** Throws `invalid` for an external id that is not lowercase and trimmed. */
export function checkExternalId(externalId: string): void {
  if (new RegExp(externalIdPattern, "u").test(externalId)) return;
  throw new Failure(
    "invalid",
    "externalId must be lowercase, without leading or trailing white space",
  );
}

const externalUserQuery = preparedQuery((db: Db, value: { tenantId: number; externalId: string }) =>
  db
    .selectFrom("users")
    .select(["id", "email", "display_name", "picture", "is_ephemeral"])
    .where("embed_tenant_id", "=", value.tenantId)
    .where("external_id", "=", value.externalId),
);

/** Returns the external user, or undefined. */
export async function findExternalUser(
  db: Db,
  tenantId: number,
  externalId: string,
): Promise<ExternalUserRecord | undefined> {
  return (await externalUserQuery(db, { tenantId, externalId }))[0];
}

const highestUserId = preparedQuery((db: Db, _: object) =>
  db.selectFrom("users").select((eb) => eb.fn.max<number | null>("id").as("id")),
);

// Only external users have an embed tenant, so this index is sufficient.
const countExternalUsers = preparedQuery((db: Db, _: object) =>
  db
    .selectFrom("users")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("embed_tenant_id", "is not", null),
);

/** Throws `limit_reached` if `count` more external users would exceed the account's limit. */
export async function requireExternalUserCapacity(
  db: Db,
  more: number,
  limit: number,
): Promise<void> {
  // Ids are never reused, so the highest id is an upper bound. Count only if that bound exceeds the limit.
  const [highest] = await highestUserId(db, {});
  if ((highest?.id ?? 0) + more <= limit) return;
  const [counted] = await countExternalUsers(db, {});
  if (Number(counted?.count ?? 0) + more <= limit) return;
  throw new Failure("limit_reached", `the account is limited to ${limit} external users`, {
    remedy:
      "Delete external users that are no longer used, or ask the operator to raise the limit.",
  });
}

interface NewUserRow {
  readonly externalId: string;
  readonly email: string | null;
  readonly displayName: string | null;
  readonly picture: string | null;
  readonly tenantId: number;
  readonly createdAt: string;
  readonly isEphemeral: number;
}

const insertExternalUser = preparedQuery((db: Db, value: NewUserRow) =>
  db
    .insertInto("users")
    .values({
      username: value.externalId,
      email: value.email,
      email_key: null,
      display_name: value.displayName,
      picture: value.picture,
      is_admin: 0,
      is_external: 1,
      embed_tenant_id: value.tenantId,
      external_id: value.externalId,
      created_at: value.createdAt,
      last_login: null,
      is_ephemeral: value.isEphemeral,
    })
    // Another server may be creating the same user concurrently.
    .onConflict((on) => on.doNothing())
    .returning("id"),
);

/** Creates an external user and returns its id. Throws `limit_reached` at the account's limit. */
export async function createExternalUser(db: Db, newUser: NewExternalUser): Promise<number> {
  const { tenantId, externalId, input, limit, createdAt } = newUser;
  await requireExternalUserCapacity(db, 1, limit);
  const [created] = await insertExternalUser(db, {
    externalId,
    email: input.email ?? null,
    displayName: emptyToNull(input.userProfile?.displayName),
    picture: input.userProfile?.picture ?? null,
    tenantId,
    createdAt,
    isEphemeral: toFlag(input.isEphemeral === true),
  });
  if (created) return created.id;
  const user = await findExternalUser(db, tenantId, externalId);
  invariant(user, "an existing external user was not found");
  await updateExternalUser(db, user, input);
  return user.id;
}

/** Writes the members that are set and differ from the stored profile. */
export async function updateExternalUser(
  db: Db,
  user: ExternalUserRecord,
  input: ExternalUserInput,
): Promise<void> {
  const email = input.email ?? user.email;
  const displayName = emptyToNull(input.userProfile?.displayName ?? user.display_name);
  const picture = input.userProfile?.picture ?? user.picture;
  // Only the session that creates a user can make it ephemeral.
  const isEphemeral = input.isEphemeral === true ? (user.is_ephemeral ?? 0) : 0;
  const same =
    email === user.email &&
    displayName === user.display_name &&
    picture === user.picture &&
    isEphemeral === user.is_ephemeral;
  if (same) return;
  await db
    .updateTable("users")
    .set({ email, display_name: displayName, picture, is_ephemeral: isEphemeral })
    .where("id", "=", user.id)
    .execute();
}

/** The columns of an external user in the API; one row is an {@link ExternalUserRow}. */
export const externalUserColumns = [
  "users.id as id",
  "users.username",
  "users.external_id",
  "users.email",
  "users.display_name",
  "users.created_at",
  "users.last_login",
] as const;

/** Selects the external users of an embed tenant. */
export function selectExternalUsers(db: Db, tenant: number) {
  return db
    .selectFrom("users")
    .select(externalUserColumns)
    .where("users.embed_tenant_id", "=", tenant);
}

/** A row of {@link externalUserColumns}. */
export interface ExternalUserRow {
  readonly id: number;
  readonly username: string;
  readonly external_id: string | null;
  readonly email: string | null;
  readonly display_name: string | null;
  readonly created_at: string;
  readonly last_login: string | null;
}

/** Converts an external user to the API form. */
export function showExternalUser(row: ExternalUserRow) {
  return {
    id: row.id,
    username: row.username,
    ...omitNullish({
      externalId: row.external_id,
      email: row.email,
      firstName: row.display_name,
      createdAt: row.created_at,
      lastLogin: row.last_login,
    }),
  };
}

/**
 * Deletes an external user with its memberships, values and sessions. Throws `not_found` if the tenant has no such
 * user.
 */
export async function dropExternalUser(db: Db, tenant: number, id: number): Promise<void> {
  const deleted = await db
    .deleteFrom("users")
    .where("id", "=", id)
    .where("embed_tenant_id", "=", tenant)
    .returning("id")
    .executeTakeFirst();
  if (!deleted)
    throw new Failure("not_found", `there is no external user ${id} in the embed tenant`);
}
