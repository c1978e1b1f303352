// External users: identified by embed tenant and external id, kept up to date with what a request says of them.
import { Failure, invariant } from "../../../core/errors.ts";
import { omitNullish } from "../operation-handler.ts";
import { emptyToNull } from "../../store/codec.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db } from "../../store/schema.ts";

/** What a request may say of an external user; what it leaves out, or gives as null, is kept. */
export interface ExternalUserInput {
  readonly email?: string | null;
  readonly userProfile?: {
    readonly displayName?: string | null;
    readonly picture?: string | null;
  } | null;
}

/** What is stored of it. */
export interface ExternalUserRecord {
  readonly id: number;
  readonly email: string | null;
  readonly display_name: string | null;
  readonly picture: string | null;
}

/** An external user to be made. */
export interface NewExternalUser {
  readonly tenantId: number;
  readonly externalId: string;
  readonly input: ExternalUserInput;
  /** External users the account may have. */
  readonly limit: number;
  readonly createdAt: string;
}

/** Refuses an external id that is not lowercase and trimmed. */
export function checkExternalId(externalId: string): void {
  if (externalId === externalId.toLowerCase() && externalId === externalId.trim()) return;
  throw new Failure("invalid", "externalId has to be lowercase and without white space around it");
}

const externalUserQuery = preparedQuery((db: Db, value: { tenantId: number; externalId: string }) =>
  db
    .selectFrom("users")
    .select(["id", "email", "display_name", "picture"])
    .where("embed_tenant_id", "=", value.tenantId)
    .where("external_id", "=", value.externalId),
);

/** The external user, or undefined. */
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

// Only external users have an embed tenant, and its index alone answers this.
const countExternalUsers = preparedQuery((db: Db, _: object) =>
  db
    .selectFrom("users")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("embed_tenant_id", "is not", null),
);

/** Fails with `limit_reached` where the account may not have so many more external users. */
export async function requireExternalUserCapacity(
  db: Db,
  more: number,
  limit: number,
): Promise<void> {
  // Ids are not used again, so there are no more users than the highest id says, and mostly there is no need to count.
  const [highest] = await highestUserId(db, {});
  if ((highest?.id ?? 0) + more <= limit) return;
  const [counted] = await countExternalUsers(db, {});
  if (Number(counted?.count ?? 0) + more <= limit) return;
  throw new Failure("limit_reached", `the account may have ${limit} external users`, {
    remedy: "Delete external users that are gone, or ask the operator to raise the limit.",
  });
}

interface NewUserRow {
  readonly externalId: string;
  readonly email: string | null;
  readonly displayName: string | null;
  readonly picture: string | null;
  readonly tenantId: number;
  readonly createdAt: string;
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
    })
    // Another server may be making the same one just now.
    .onConflict((on) => on.doNothing())
    .returning("id"),
);

/** Makes an external user and returns its id; `limit_reached` where the account may have no more. */
export async function createExternalUser(db: Db, newcomer: NewExternalUser): Promise<number> {
  const { tenantId, externalId, input: said, limit, createdAt } = newcomer;
  await requireExternalUserCapacity(db, 1, limit);
  const [made] = await insertExternalUser(db, {
    externalId,
    email: said.email ?? null,
    displayName: emptyToNull(said.userProfile?.displayName),
    picture: said.userProfile?.picture ?? null,
    tenantId,
    createdAt,
  });
  if (made) return made.id;
  const user = await findExternalUser(db, tenantId, externalId);
  invariant(user, "an external user that exists cannot be found");
  await updateExternalUser(db, user, said);
  return user.id;
}

/** Writes what is said and differs from what is known. */
export async function updateExternalUser(
  db: Db,
  user: ExternalUserRecord,
  said: ExternalUserInput,
): Promise<void> {
  const email = said.email ?? user.email;
  const displayName = emptyToNull(said.userProfile?.displayName ?? user.display_name);
  const picture = said.userProfile?.picture ?? user.picture;
  const same =
    email === user.email && displayName === user.display_name && picture === user.picture;
  if (same) return;
  await db
    .updateTable("users")
    .set({ email, display_name: displayName, picture })
    .where("id", "=", user.id)
    .execute();
}

/** What of an external user the API shows; a row of it is an {@link ExternalUserRow}. */
export const externalUserColumns = [
  "users.id as id",
  "users.username",
  "users.external_id",
  "users.email",
  "users.display_name",
  "users.created_at",
  "users.last_login",
] as const;

/** The external users of an embed tenant. */
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

/** An external user as the API shows it. */
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

/** Deletes an external user with memberships, values and sessions; `not_found` where the tenant has none of this id. */
export async function dropExternalUser(db: Db, tenant: number, id: number): Promise<void> {
  const gone = await db
    .deleteFrom("users")
    .where("id", "=", id)
    .where("embed_tenant_id", "=", tenant)
    .returning("id")
    .executeTakeFirst();
  if (!gone) throw new Failure("not_found", `there is no external user ${id} in the embed tenant`);
}
