// Who is in a group of an embed tenant.
import { Failure } from "../../../core/errors.ts";
import type { Db } from "../../store/schema.ts";
import { joinGroup, leaveGroup } from "../user-groups/membership.ts";
import {
  type ExternalUserRow,
  externalUserColumns,
  selectExternalUsers,
  showExternalUser,
} from "./external-users.ts";

/** A member as a request names it: by exactly one of the two. */
export interface MemberReference {
  readonly externalId?: string | null;
  readonly embedUserId?: number | null;
}

/** A group of an embed tenant that is known to exist. */
export interface TenantGroup {
  readonly id: number;
  readonly tenantId: number;
}

/** The members of a group: users of its tenant, as nobody else gets in. To be read in the order of `group_members.user_id`. */
export function selectMembers(db: Db, { id }: TenantGroup) {
  return db
    .selectFrom("group_members")
    .innerJoin("users", "users.id", "group_members.user_id")
    .select(externalUserColumns)
    .where("group_members.group_id", "=", id);
}

/** Adds members and tells who was one already; `invalid`, naming them, where users do not exist. */
export async function addMembers(db: Db, group: TenantGroup, named: readonly MemberReference[]) {
  const { users, missing } = await resolveMembers(db, group.tenantId, named);
  if (missing.length > 0) {
    throw new Failure("invalid", `the embed tenant has no users ${missing.join(", ")}`);
  }
  const { added, unchanged } = await joinGroup(db, group.id, users);
  return {
    addedMembers: added.map((user) => showExternalUser(user)),
    unchangedMembers: unchanged.map((user) => showExternalUser(user)),
  };
}

/** Removes members; users who are none, or do not exist, are passed over. */
export async function removeMembers(
  db: Db,
  group: TenantGroup,
  named: readonly MemberReference[],
): Promise<void> {
  const { users } = await resolveMembers(db, group.tenantId, named);
  await leaveGroup(db, group.id, users);
}

/** The users named, each once and in the order of their naming, and the names that no user has. */
async function resolveMembers(db: Db, tenantId: number, named: readonly MemberReference[]) {
  const names = named.map((member) => referenceKey(member));
  const texts = names.filter((name) => typeof name === "string");
  const numbers = names.filter((name) => typeof name === "number");
  const of = selectExternalUsers(db, tenantId);
  const rows: ExternalUserRow[] = [];
  if (texts.length > 0) rows.push(...(await of.where("users.external_id", "in", texts).execute()));
  if (numbers.length > 0) rows.push(...(await of.where("users.id", "in", numbers).execute()));
  const byName = new Map<string | number, ExternalUserRow>();
  for (const row of rows) byName.set(row.id, row).set(String(row.external_id), row);
  const users = new Map<number, ExternalUserRow>();
  for (const name of names) {
    const user = byName.get(name);
    if (user) users.set(user.id, user);
  }
  const missing = names.filter((name) => !byName.has(name)).map((name) => JSON.stringify(name));
  return { users: [...users.values()], missing };
}

function referenceKey({ externalId, embedUserId }: MemberReference): string | number {
  const [name, other] = [externalId, embedUserId].filter((given) => given != null);
  if (name === undefined || other !== undefined) {
    throw new Failure("invalid", "each member needs exactly one of externalId and embedUserId");
  }
  return name;
}
