// Group membership: add and remove users of either kind, and list the members of account-wide groups.
import type { CredentialLimits } from "../../../core/operation/authorize.ts";
import { invariant } from "../../../core/errors.ts";
import type { PermissionAction } from "../../../core/operation/permission-actions.ts";
import { tenantGroupName } from "../../../core/text/tenant-groups.ts";
import { onlyUser } from "../../identity/shared-email.ts";
import { requireMayGrant } from "../../security/key-limits.ts";
import type { SessionLimits } from "../../security/principal.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import type { Db } from "../../store/schema.ts";
import { isInternalUser } from "../../store/sql-conditions.ts";

interface HasId {
  readonly id: number;
}

/** New members of a group, and the limits of the credential that adds them. */
interface NewMembers<User> {
  readonly groupId: number;
  readonly users: readonly User[];
  readonly limits: CredentialLimits;
}

/** Adds existing users. Returns the users who already were members. Throws `forbidden` as {@link requireMayJoin}. */
export async function joinGroup<User extends HasId>(
  db: Db,
  { groupId, users, limits }: NewMembers<User>,
): Promise<{ readonly added: readonly User[]; readonly unchanged: readonly User[] }> {
  const had = await existingMemberIds(db, groupId, users);
  const added = users.filter(({ id }) => !had.has(id));
  if (added.length > 0) {
    await requireMayJoin(db, [groupId], limits);
    const rows = added.map(({ id }) => ({ group_id: groupId, user_id: id }));
    // Another server may be adding the same users concurrently.
    await db
      .insertInto("group_members")
      .values(rows)
      .onConflict((on) => on.doNothing())
      .execute();
  }
  return { added, unchanged: users.filter(({ id }) => had.has(id)) };
}

/**
 * Throws `forbidden` if policies of the groups permit actions that a key with chosen permissions lacks, because members
 * gain these actions.
 */
export async function requireMayJoin(
  db: Db,
  groupIds: readonly number[],
  limits: CredentialLimits,
): Promise<void> {
  if (limits.actions === undefined || groupIds.length === 0) return;
  const rows = await db
    .selectFrom("resource_policies")
    .select("action")
    .distinct()
    .where("group_id", "in", groupIds)
    .execute();
  requireMayGrant(limits, [{ actions: rows.map(({ action }) => action as PermissionAction) }]);
}

/** Returns the users who are members. */
async function existingMemberIds(
  db: Db,
  groupId: number,
  users: readonly HasId[],
): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom("group_members")
    .select("user_id")
    .where("group_id", "=", groupId)
    .where("user_id", "in", idsOf(users))
    .execute();
  return new Set(rows.map((row) => row.user_id));
}

/** Removes users. Ignores users who are not members. */
export async function leaveGroup(db: Db, groupId: number, users: readonly HasId[]): Promise<void> {
  if (users.length === 0) return;
  await db
    .deleteFrom("group_members")
    .where("group_id", "=", groupId)
    .where("user_id", "in", idsOf(users))
    .execute();
}

function idsOf(users: readonly HasId[]): readonly number[] {
  return users.map(({ id }) => id);
}

/** A member in a request, identified by exactly one of the two members. */
export interface UserReference {
  readonly userId?: number | null;
  readonly email?: string | null;
}

const memberColumns = ["users.id", "users.username", "users.email", "users.is_external"] as const;

/** A row of a member of an account-wide group. */
export interface MemberRow {
  readonly id: number;
  readonly username: string;
  readonly email: string | null;
  readonly is_external: number;
}

/** Selects the members of a group. Order by `group_members.user_id`. */
export function selectGroupUsers(db: Db, groupId: number) {
  return db
    .selectFrom("group_members")
    .innerJoin("users", "users.id", "group_members.user_id")
    .select(memberColumns)
    .where("group_members.group_id", "=", groupId);
}

/** Converts a member to the API form. */
export function showMember({ id, username, email, is_external }: MemberRow) {
  return { id, username, ...omitNullish({ email }), isExternal: is_external === 1 };
}

function emailKeyOf({ email }: MemberRow): string {
  return email?.toLowerCase() ?? "";
}

/**
 * Resolves the account's own users, each once and in request order, and lists the names without a user. Throws
 * `invalid` for an email that users share.
 */
export async function findReferencedUsers(db: Db, named: readonly UserReference[]) {
  const { withId, withEmail } = await selectReferencedUsers(db, named);
  for (const [email, users] of Map.groupBy(withEmail, emailKeyOf)) onlyUser(email, users);
  return usersInOrder(named.map(referenceKey), [...withId, ...withEmail], emailKeyOf);
}

/** Returns the account's own users with the IDs, and those with the emails, which users may share. */
export async function selectReferencedUsers(db: Db, named: readonly UserReference[]) {
  const names = named.map(referenceKey);
  const ids = names.filter((name) => typeof name === "number");
  const emails = names.filter((name) => typeof name === "string");
  const of = db.selectFrom("users").select(memberColumns).where(isInternalUser).orderBy("id");
  return {
    withId: ids.length > 0 ? await of.where("id", "in", ids).execute() : [],
    withEmail: emails.length > 0 ? await of.where("email_key", "in", emails).execute() : [],
  };
}

/** Returns the users with the names or IDs, each once and in this order, and lists the names without a user. */
export function usersInOrder<User extends HasId>(
  names: readonly (string | number)[],
  found: readonly User[],
  nameOf: (user: User) => string,
): { readonly users: readonly User[]; readonly missing: readonly string[] } {
  const byName = new Map<string | number, User>();
  for (const user of found) byName.set(user.id, user).set(nameOf(user), user);
  const users = new Map<number, User>();
  for (const name of names) {
    const user = byName.get(name);
    if (user) users.set(user.id, user);
  }
  const missing = names.filter((name) => !byName.has(name)).map((name) => JSON.stringify(name));
  return { users: [...users.values()], missing };
}

function referenceKey({ userId, email }: UserReference): string | number {
  const name = userId ?? email;
  invariant(name != null, "a member without an id");
  return typeof name === "string" ? name.toLowerCase() : name;
}

/** Returns the names of the groups of users in one scope, sorted, by user ID. Users in no group are left out. */
export async function groupNamesOf(
  db: Db,
  users: readonly number[],
  scope: number,
): Promise<ReadonlyMap<number, string[]>> {
  if (users.length === 0) return new Map();
  const memberships = await db
    .selectFrom("group_members")
    .innerJoin("user_groups", "user_groups.id", "group_members.group_id")
    .select(["group_members.user_id", "user_groups.name", "user_groups.tenant_scope as scope"])
    .where("group_members.user_id", "in", users)
    .execute();
  // Filter by scope here: in SQL the database would scan all groups of the scope instead of these users' few.
  const inScope = memberships.filter((one) => one.scope === scope);
  const byUser = Map.groupBy(inScope, ({ user_id }) => user_id);
  return new Map(
    [...byUser].map(([user, groups]) => [user, groups.map(({ name }) => name).toSorted()]),
  );
}

/** Where names of groups and attributes are defined: in the account, or in the embed tenant of an external user. */
export type Catalogue = "account" | "tenant";

/** Returns the catalogue in which a caller's names are read: the embed tenant's in creator mode. */
export function catalogueOf(
  session: Pick<SessionLimits, "isExternal" | "isCreatorMode"> | undefined,
): Catalogue {
  return session?.isCreatorMode === true && session.isExternal ? "tenant" : "account";
}

/**
 * Returns the groups of users by the names that access policies know, sorted, by user ID: `system:tenant:...` for groups of an embed tenant, which
 * are the only ones in the catalogue of the tenant. Users in no group are left out.
 */
export async function policyGroupsOf(
  db: Db,
  users: readonly number[],
  catalogue: Catalogue = "account",
): Promise<ReadonlyMap<number, string[]>> {
  if (users.length === 0) return new Map();
  const memberships = await db
    .selectFrom("group_members")
    .innerJoin("user_groups", "user_groups.id", "group_members.group_id")
    .leftJoin("embed_tenants", "embed_tenants.id", "user_groups.embed_tenant_id")
    .select(["group_members.user_id", "user_groups.name", "embed_tenants.name as tenant"])
    .where("group_members.user_id", "in", users)
    .execute();
  const inCatalogue = memberships.filter(
    ({ tenant }) => catalogue === "account" || tenant !== null,
  );
  const byUser = Map.groupBy(inCatalogue, ({ user_id }) => user_id);
  return new Map([...byUser].map(([user, groups]) => [user, groups.map(policyName).toSorted()]));
}

/** Returns the name by which access policies know a group; `tenant` is null for an account-wide group. */
export function policyName({ name, tenant }: { name: string; tenant: string | null }): string {
  return tenant === null ? name : tenantGroupName(tenant, name);
}
