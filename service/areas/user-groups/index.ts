// Area user-groups: account-wide groups.
import {
  addUserGroupUsers,
  createUserGroup,
  createUserGroups,
  deleteGroup,
  deleteUserGroup,
  getUserGroup,
  listUserGroups,
  listUserGroupUsers,
  removeUserGroupUsers,
  updateUserGroup,
} from "../../../api/user-groups.ts";
import { Failure } from "../../../core/errors.ts";
import { handle, handleList, type OperationHandler } from "../shared/operation-handler.ts";
import { linkGroup, managedGroups, refuseManagedGroups, showManager } from "../shared/managed.ts";
import { pageOf, pageOfBatch } from "../shared/pagination.ts";
import { requirePermission } from "../../security/require-permission.ts";
import { toTimestamp, emptyToNull } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import type { Db } from "../../store/schema.ts";
import { contains } from "../../store/sql-conditions.ts";
import {
  accountScope,
  addGroup,
  addGroups,
  dropGroup,
  groupNameConflict,
  groupNotFound,
  readGroup,
  selectGroups,
  showGroup,
} from "./groups.ts";
import {
  joinGroup,
  leaveGroup,
  selectGroupUsers,
  showMember,
  findReferencedUsers,
} from "./membership.ts";

/** The handlers of this area. */
export const userGroups: readonly OperationHandler[] = [
  handleList(listUserGroups, async (call) => {
    const { search } = call.query;
    let groups = selectGroups(call.db, accountScope);
    if (search !== undefined) groups = groups.where(contains("user_groups.name", search));
    return pageOfBatch(call, keyset(groups, "user_groups.id"), async (rows) =>
      withManagers(call.db, rows.map(showGroup)),
    );
  }),
  handle(createUserGroup, async ({ db, body, now }) =>
    addGroup(db, { tenantId: null, createdAt: toTimestamp(now()) }, body),
  ),
  handle(createUserGroups, async ({ db, body, now }) =>
    addGroups(db, { tenantId: null, createdAt: toTimestamp(now()) }, body.groups),
  ),
  handle(getUserGroup, async ({ db, params }) => readAccountGroup(db, params.id)),
  handle(updateUserGroup, async ({ db, params, body, principal, now }) => {
    const { scimIntegration, ...changes } = body;
    if (scimIntegration !== undefined) {
      requirePermission(principal, "All", []);
      await readGroup(db, accountScope, params.id);
      await linkGroup(db, { id: params.id, at: toTimestamp(now()) }, scimIntegration);
    }
    await updateGroup(db, params.id, changes);
    return readAccountGroup(db, params.id);
  }),
  handle(deleteGroup, async ({ db, params }) => removeGroup(db, params.id)),
  handle(deleteUserGroup, async ({ db, params }) => removeGroup(db, params.id)),
  handleList(listUserGroupUsers, async (call) => {
    await readGroup(call.db, accountScope, call.params.id);
    const found = selectGroupUsers(call.db, call.params.id);
    return pageOf(call, keyset(found, "group_members.user_id"), showMember);
  }),
  handle(addUserGroupUsers, async ({ db, params, body, principal }) => {
    await readGroup(db, accountScope, params.id);
    await refuseManagedGroups(db, [params.id]);
    const { users, missing } = await findReferencedUsers(db, body.members);
    if (missing.length > 0) {
      throw new Failure("invalid", `the account has no users ${missing.join(", ")}`);
    }
    const { added, unchanged } = await joinGroup(db, {
      groupId: params.id,
      users,
      limits: principal.limits,
    });
    return { addedMembers: added.map(showMember), unchangedMembers: unchanged.map(showMember) };
  }),
  handle(removeUserGroupUsers, async ({ db, params, body }) => {
    await readGroup(db, accountScope, params.id);
    await refuseManagedGroups(db, [params.id]);
    await leaveGroup(db, params.id, (await findReferencedUsers(db, body.members)).users);
  }),
];

/** Returns one group, with its manager. Throws `not_found` if it does not exist. */
async function readAccountGroup(db: Db, id: number) {
  const group = await readGroup(db, accountScope, id);
  const [shown = group] = await withManagers(db, [group]);
  return shown;
}

/** Returns groups with their managers, in one query. */
async function withManagers<Group extends { readonly id: number }>(
  db: Db,
  groups: readonly Group[],
) {
  const managed = await managedGroups(
    db,
    groups.map(({ id }) => id),
  );
  return groups.map((group) => ({ ...group, ...showManager(managed.get(group.id)) }));
}

async function removeGroup(db: Db, id: number): Promise<void> {
  await refuseManagedGroups(db, [id]);
  await dropGroup(db, accountScope, id);
}

async function updateGroup(
  db: Db,
  id: number,
  input: { name?: string; description?: string | null },
): Promise<void> {
  const { name, description } = input;
  if (name !== undefined && name !== (await readGroup(db, accountScope, id)).name) {
    await refuseManagedGroups(db, [id]);
    await refuseTakenName(db, id, name);
  }
  const changes = {
    ...(name === undefined ? {} : { name, name_key: name.toLowerCase() }),
    ...(description === undefined ? {} : { description: emptyToNull(description) }),
  };
  if (Object.keys(changes).length === 0) return;
  const changed = await db
    .updateTable("user_groups")
    .set(changes)
    .where("id", "=", id)
    .where("tenant_scope", "=", accountScope)
    .returning("id")
    .executeTakeFirst();
  if (!changed) throw groupNotFound(id);
}

async function refuseTakenName(db: Db, id: number, name: string): Promise<void> {
  const other = await db
    .selectFrom("user_groups")
    .select("id")
    .where("tenant_scope", "=", accountScope)
    .where("name", "=", name)
    .where("id", "!=", id)
    .executeTakeFirst();
  if (other) throw groupNameConflict(name);
}
