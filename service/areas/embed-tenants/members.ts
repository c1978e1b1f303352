// Members of embed tenant groups.
import { Failure, invariant } from "../../../core/errors.ts";
import type { Db } from "../../store/schema.ts";
import type { Call } from "../shared/operation-handler.ts";
import { joinGroup, leaveGroup, usersInOrder } from "../user-groups/membership.ts";
import {
  type ExternalUserRow,
  externalUserColumns,
  selectExternalUsers,
  showExternalUser,
} from "./external-users.ts";

/** A member in a request, identified by exactly one of the two ids. */
export interface MemberReference {
  readonly externalId?: string | null;
  readonly embedUserId?: number | null;
}

/** An existing group of an embed tenant. */
export interface TenantGroup {
  readonly id: number;
  readonly tenantId: number;
}

/** Selects the members of a group; all are users of its tenant. Order by `group_members.user_id`. */
export function selectMembers(db: Db, { id }: TenantGroup) {
  return db
    .selectFrom("group_members")
    .innerJoin("users", "users.id", "group_members.user_id")
    .select(externalUserColumns)
    .where("group_members.group_id", "=", id);
}

/**
 * Adds members. Returns the new ones and those who already were members. Throws `invalid` with the names of users that
 * do not exist.
 */
export async function addMembers(
  { db, principal: { limits } }: Pick<Call, "db" | "principal">,
  group: TenantGroup,
  named: readonly MemberReference[],
) {
  const { users, missing } = await resolveMembers(db, group.tenantId, named);
  if (missing.length > 0) {
    throw new Failure("invalid", `the embed tenant has no users ${missing.join(", ")}`);
  }
  const { added, unchanged } = await joinGroup(db, { groupId: group.id, users, limits });
  return {
    addedMembers: added.map((user) => showExternalUser(user)),
    unchangedMembers: unchanged.map((user) => showExternalUser(user)),
  };
}

/** Removes members. Ignores users who are not members or do not exist. */
export async function removeMembers(
  db: Db,
  group: TenantGroup,
  named: readonly MemberReference[],
): Promise<void> {
  const { users } = await resolveMembers(db, group.tenantId, named);
  await leaveGroup(db, group.id, users);
}

/** Resolves the named users, each once and in request order, and lists the names without a user. */
async function resolveMembers(db: Db, tenantId: number, named: readonly MemberReference[]) {
  const names = named.map((member) => referenceKey(member));
  const texts = names.filter((name) => typeof name === "string");
  const numbers = names.filter((name) => typeof name === "number");
  const of = selectExternalUsers(db, tenantId);
  const rows: ExternalUserRow[] = [];
  if (texts.length > 0) rows.push(...(await of.where("users.external_id", "in", texts).execute()));
  if (numbers.length > 0) rows.push(...(await of.where("users.id", "in", numbers).execute()));
  return usersInOrder(names, rows, ({ external_id }) => String(external_id));
}

function referenceKey({ externalId, embedUserId }: MemberReference): string | number {
  const name = externalId ?? embedUserId;
  invariant(name != null, "a member without an id");
  return name;
}
