// Area embed-tenants: the tenants of signed embedding with their groups, attributes and external users.
import {
  addEmbedTenantGroupUsers,
  createEmbedTenantGroup,
  createEmbedTenantGroups,
  createEmbedUsers,
  deleteEmbedTenant,
  deleteEmbedTenantGroup,
  deleteEmbedTenantUserAttribute,
  deleteEmbedUser,
  getEmbedTenantGroup,
  listEmbedTenantGroups,
  listEmbedTenantGroupUsers,
  listEmbedTenants,
  listEmbedTenantUserAttributes,
  listEmbedUsers,
  provisionEmbedUser,
  provisionEmbedUsers,
  removeEmbedTenantGroupUsers,
  updateEmbedTenantGroup,
} from "../../../api/embed-tenants.ts";
import type { AnswerOf } from "../../../core/operation/operation.ts";
import {
  handle,
  handleList,
  type OperationHandler,
  type Call,
} from "../shared/operation-handler.ts";
import { pageOf, pageOfBatch } from "../shared/pagination.ts";
import { toTimestamp, emptyToNull } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import type { Db } from "../../store/schema.ts";
import { contains } from "../../store/sql-conditions.ts";
import {
  addGroup,
  addGroups,
  dropGroup,
  groupNotFound,
  readGroup,
  selectGroups,
  showGroup,
} from "../user-groups/groups.ts";
import { groupNamesOf } from "../user-groups/membership.ts";
import { dropTenantAttribute, selectTenantAttributes, showTenantAttribute } from "./attributes.ts";
import {
  dropExternalUser,
  type ExternalUserRow,
  selectExternalUsers,
  showExternalUser,
} from "./external-users.ts";
import { addMembers, type TenantGroup, removeMembers, selectMembers } from "./members.ts";
import { createMany, type ProvisionContext, provision, provisionMany } from "./provision.ts";
import { dropTenant, selectTenants, showTenant, tenantId } from "./tenants.ts";

const tenants: readonly OperationHandler[] = [
  handleList(listEmbedTenants, async (call) => {
    const { search } = call.query;
    let found = selectTenants(call.db);
    if (search !== undefined) {
      found = found.where((eb) =>
        eb.or([
          contains("embed_tenants.name", search),
          contains("embed_tenants.display_name", search),
        ]),
      );
    }
    return pageOf(call, keyset(found, "embed_tenants.id"), showTenant);
  }),
  handle(deleteEmbedTenant, async ({ db, params }) => dropTenant(db, params.embedTenantName)),
];

const groups: readonly OperationHandler[] = [
  handleList(listEmbedTenantGroups, async (call) => {
    const scope = await tenantScope(call);
    return pageOf(call, keyset(selectGroups(call.db, scope), "user_groups.id"), showGroup);
  }),
  handle(createEmbedTenantGroup, async (call) => {
    const { db, body, now } = call;
    return addGroup(db, { tenantId: await tenantScope(call), createdAt: toTimestamp(now()) }, body);
  }),
  handle(createEmbedTenantGroups, async (call) => {
    const { db, body, now } = call;
    const place = { tenantId: await tenantScope(call), createdAt: toTimestamp(now()) };
    return addGroups(db, place, body.groups);
  }),
  handle(getEmbedTenantGroup, async (call) =>
    readGroup(call.db, await tenantScope(call), call.params.id),
  ),
  handle(updateEmbedTenantGroup, async (call) => {
    const { db, params, body } = call;
    const scope = await tenantScope(call);
    await readGroup(db, scope, params.id);
    if (body.description !== undefined) await setGroupDescription(db, params.id, body.description);
    return readGroup(db, scope, params.id);
  }),
  handle(deleteEmbedTenantGroup, async (call) =>
    dropGroup(call.db, await tenantScope(call), call.params.id),
  ),
];

const members: readonly OperationHandler[] = [
  handleList(listEmbedTenantGroupUsers, async (call) => {
    const found = selectMembers(call.db, await requireGroup(call));
    return pageOf(call, keyset(found, "group_members.user_id"), showExternalUser);
  }),
  handle(addEmbedTenantGroupUsers, async (call) =>
    addMembers(call, await requireGroup(call), call.body.members),
  ),
  handle(removeEmbedTenantGroupUsers, async (call) =>
    removeMembers(call.db, await requireGroup(call), call.body.members),
  ),
];

const users: readonly OperationHandler[] = [
  handle(provisionEmbedUser, async (call) => provision(await provisionContextOf(call), call.body)),
  handle(provisionEmbedUsers, async (call) =>
    provisionMany(await provisionContextOf(call), call.body.users),
  ),
  handle(createEmbedUsers, async (call) =>
    createMany(await provisionContextOf(call), call.body.users),
  ),
  handleList(listEmbedUsers, async (call) => {
    const scope = await tenantScope(call);
    const found = selectExternalUsers(call.db, scope);
    return pageOfBatch(call, keyset(found, "users.id"), (rows) =>
      showWithGroups(call.db, rows, scope),
    );
  }),
  handle(deleteEmbedUser, async (call) =>
    dropExternalUser(call.db, await tenantScope(call), call.params.id),
  ),
];

const attributes: readonly OperationHandler[] = [
  handleList(listEmbedTenantUserAttributes, async (call) => {
    const found = selectTenantAttributes(call.db, await tenantScope(call));
    return pageOf(call, keyset(found, "user_attributes.id"), showTenantAttribute);
  }),
  handle(deleteEmbedTenantUserAttribute, async (call) =>
    dropTenantAttribute(call.db, await tenantScope(call), call.params.id),
  ),
];

/** The handlers of this area. */
export const embedTenants: readonly OperationHandler[] = [
  ...tenants,
  ...groups,
  ...members,
  ...users,
  ...attributes,
];

interface TenantCall {
  readonly db: Db;
  readonly params: { readonly embedTenantName: string };
}

function tenantScope({ db, params }: TenantCall): Promise<number> {
  return tenantId(db, params.embedTenantName, { suggests: true });
}

async function requireGroup(call: TenantCall & { params: { id: number } }): Promise<TenantGroup> {
  const scope = await tenantScope(call);
  const group = { id: call.params.id, tenantId: scope };
  const found = await call.db
    .selectFrom("user_groups")
    .select("id")
    .where("id", "=", group.id)
    .where("tenant_scope", "=", scope)
    .executeTakeFirst();
  if (!found) throw groupNotFound(group.id);
  return group;
}

/** Sets the description of an existing group. An empty description clears it. */
async function setGroupDescription(db: Db, id: number, description: string | null): Promise<void> {
  await db
    .updateTable("user_groups")
    .set({ description: emptyToNull(description) })
    .where("id", "=", id)
    .execute();
}

async function provisionContextOf(
  call: TenantCall & Pick<Call, "account" | "now" | "principal">,
): Promise<ProvisionContext> {
  const { db, params, now, principal } = call;
  const account = await call.account();
  const { limits } = principal;
  return { db, account, tenantName: params.embedTenantName, at: toTimestamp(now()), limits };
}

/** Converts external users to the API form, with their groups in the embed tenant. */
async function showWithGroups(
  db: Db,
  rows: readonly ExternalUserRow[],
  scope: number,
): Promise<readonly AnswerOf<typeof listEmbedUsers>[]> {
  const ids = rows.map(({ id }) => id);
  const names = await groupNamesOf(db, ids, scope);
  return rows.map((row) => ({ ...showExternalUser(row), tenantGroups: names.get(row.id) ?? [] }));
}
