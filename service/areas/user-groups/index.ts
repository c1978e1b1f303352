// Area user-groups: account-wide groups.
import {
  addUserGroupUsers,
  createUserGroup,
  deleteGroup,
  deleteUserGroup,
  getUserGroup,
  listUserGroups,
  listUserGroupUsers,
  removeUserGroupUsers,
  updateUserGroup,
} from "../../../api/user-groups.ts";
import { Failure } from "../../../core/errors.ts";
import { behave, behaveList, type Behaviour } from "../../area.ts";
import { pageOf } from "../../paging.ts";
import { moment, orNone } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import type { Db } from "../../store/schema.ts";
import { contains } from "../../store/search.ts";
import {
  accountWide,
  createGroup,
  dropGroup,
  nameTaken,
  noGroup,
  readGroup,
  selectGroups,
  showGroup,
} from "./groups.ts";
import { joinGroup, leaveGroup, selectGroupUsers, showMember, usersNamed } from "./membership.ts";

/** What the operations of the area do. */
export const userGroups: readonly Behaviour[] = [
  behaveList(listUserGroups, async (call) => {
    const { search } = call.query;
    let groups = selectGroups(call.db, accountWide);
    if (search !== undefined) groups = groups.where(contains("user_groups.name", search));
    return pageOf(call, keyset(groups, "user_groups.id"), showGroup);
  }),
  behave(createUserGroup, async ({ db, body, now }) => {
    const { name, description = null } = body;
    const group = { tenantId: null, name, description, createdAt: moment(now()) };
    return readGroup(db, accountWide, await createGroup(db, group));
  }),
  behave(getUserGroup, async ({ db, params }) => readGroup(db, accountWide, params.id)),
  behave(updateUserGroup, async ({ db, params, body }) => {
    await updateGroup(db, params.id, body);
    return readGroup(db, accountWide, params.id);
  }),
  behave(deleteGroup, async ({ db, params }) => dropGroup(db, accountWide, params.id)),
  behave(deleteUserGroup, async ({ db, params }) => dropGroup(db, accountWide, params.id)),
  behaveList(listUserGroupUsers, async (call) => {
    await readGroup(call.db, accountWide, call.params.id);
    const found = selectGroupUsers(call.db, call.params.id);
    return pageOf(call, keyset(found, "group_members.user_id"), showMember);
  }),
  behave(addUserGroupUsers, async ({ db, params, body }) => {
    await readGroup(db, accountWide, params.id);
    const { users, missing } = await usersNamed(db, body.members);
    if (missing.length > 0) {
      throw new Failure("invalid", `the account has no users ${missing.join(", ")}`);
    }
    const { added, unchanged } = await joinGroup(db, params.id, users);
    return { addedMembers: added.map(showMember), unchangedMembers: unchanged.map(showMember) };
  }),
  behave(removeUserGroupUsers, async ({ db, params, body }) => {
    await readGroup(db, accountWide, params.id);
    await leaveGroup(db, params.id, (await usersNamed(db, body.members)).users);
  }),
];

async function updateGroup(
  db: Db,
  id: number,
  wish: { name?: string; description?: string | null },
): Promise<void> {
  const { name, description } = wish;
  if (name !== undefined) await refuseTaken(db, id, name);
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description: orNone(description) }),
  };
  if (Object.keys(changes).length === 0) return;
  const changed = await db
    .updateTable("user_groups")
    .set(changes)
    .where("id", "=", id)
    .where("tenant_scope", "=", accountWide)
    .returning("id")
    .executeTakeFirst();
  if (!changed) throw noGroup(id);
}

async function refuseTaken(db: Db, id: number, name: string): Promise<void> {
  const other = await db
    .selectFrom("user_groups")
    .select("id")
    .where("tenant_scope", "=", accountWide)
    .where("name", "=", name)
    .where("id", "!=", id)
    .executeTakeFirst();
  if (other) throw nameTaken(name);
}
