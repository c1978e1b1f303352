// Area roles: the roles that administrators define, and the users who have them.
import {
  assignRole,
  createRole,
  deleteRole,
  getRole,
  listRoles,
  listRoleUsers,
  unassignRole,
  updateRole,
} from "../../../api/roles.ts";
import { requireMayGrant } from "../../security/key-limits.ts";
import { grantsOf } from "../../security/roles.ts";
import { emptyToNull, toTimestamp } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import { contains } from "../../store/sql-conditions.ts";
import {
  handle,
  handleList,
  omitNullish,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { pageOf } from "../shared/pagination.ts";
import { assign, requireOwnUser, unassign } from "./assignment.ts";
import {
  findRole,
  insertRole,
  policiesColumn,
  refuseName,
  roleNotFound,
  selectRoles,
  showRole,
} from "./roles.ts";

/** The handlers of this area. */
export const roles: readonly OperationHandler[] = [
  handleList(listRoles, async (call) => {
    const { search } = call.query;
    let found = selectRoles(call.db);
    if (search !== undefined) found = found.where(contains("roles.name", search));
    return pageOf(call, keyset(found, "roles.id"), showRole);
  }),
  handle(createRole, async ({ db, body, principal, now }) => {
    requireMayGrant(principal.limits, body.policies);
    const id = await insertRole(db, body, toTimestamp(now()));
    return showRole(await findRole(db, id));
  }),
  handle(getRole, async ({ db, params }) => showRole(await findRole(db, params.roleId))),
  handle(updateRole, async ({ db, params, body, principal, now }) => {
    const { id } = await findRole(db, params.roleId);
    const { name, description, policies } = body;
    requireMayGrant(principal.limits, policies ?? []);
    if (name !== undefined) await refuseName(db, name, id);
    const changes = {
      ...(name === undefined ? {} : { name, name_key: name.toLowerCase() }),
      ...(description === undefined ? {} : { description: emptyToNull(description) }),
      ...(policies === undefined ? {} : { policies: policiesColumn(policies) }),
    };
    const changed = { ...changes, updated_at: toTimestamp(now()) };
    if (Object.keys(changes).length > 0) {
      await db.updateTable("roles").set(changed).where("id", "=", id).execute();
    }
    return showRole(await findRole(db, id));
  }),
  handle(deleteRole, async ({ db, params }) => {
    const { roleId } = params;
    const deleted = await db
      .deleteFrom("roles")
      .where("id", "=", roleId)
      .returning("id")
      .executeTakeFirst();
    if (!deleted) throw roleNotFound(roleId);
  }),
  handle(assignRole, async ({ db, params, principal }) => {
    requireMayGrant(principal.limits, grantsOf(await findRole(db, params.roleId)));
    await requireOwnUser(db, params.userId);
    await assign(db, params);
  }),
  handle(unassignRole, async ({ db, params }) => {
    await findRole(db, params.roleId);
    await requireOwnUser(db, params.userId);
    await unassign(db, params);
  }),
  handleList(listRoleUsers, async (call) => {
    const { id } = await findRole(call.db, call.params.roleId);
    const users = call.db
      .selectFrom("role_users")
      .innerJoin("users", "users.id", "role_users.user_id")
      .select(["users.id", "users.username", "users.email"])
      .where("role_users.role_id", "=", id);
    return pageOf(call, keyset(users, "role_users.user_id"), ({ email, ...user }) => ({
      ...user,
      ...omitNullish({ email }),
    }));
  }),
];
