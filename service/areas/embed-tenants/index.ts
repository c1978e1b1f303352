// Area embed-tenants: tenants of signed embedding with their groups, attributes and external users.
import {
  addEmbedTenantGroupUsers,
  createEmbedTenantGroup,
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
import { behave, behaveList, type Behaviour, type Call } from "../../area.ts";
import { pageOf } from "../../paging.ts";
import { moment, orNone } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import type { Db } from "../../store/schema.ts";
import { contains } from "../../store/search.ts";
import {
  createGroup,
  dropGroup,
  noGroup,
  readGroup,
  selectGroups,
  showGroup,
} from "../user-groups/groups.ts";
import { dropTenantAttribute, selectTenantAttributes, showTenantAttribute } from "./attributes.ts";
import { dropExternalUser, selectExternalUsers, showExternalUser } from "./external-users.ts";
import { addMembers, type Group, removeMembers, selectMembers } from "./members.ts";
import { type Place, provision, provisionMany } from "./provision.ts";
import { dropTenant, selectTenants, showTenant, tenantId } from "./tenants.ts";

const tenants: readonly Behaviour[] = [
  behaveList(listEmbedTenants, async (call) => {
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
  behave(deleteEmbedTenant, async ({ db, params }) => dropTenant(db, params.embedTenantName)),
];

const groups: readonly Behaviour[] = [
  behaveList(listEmbedTenantGroups, async (call) => {
    const scope = await scopeOf(call);
    return pageOf(call, keyset(selectGroups(call.db, scope), "user_groups.id"), showGroup);
  }),
  behave(createEmbedTenantGroup, async (call) => {
    const { db, body, now } = call;
    const scope = await scopeOf(call);
    const { name, description = null } = body;
    const group = { tenantId: scope, name, description, createdAt: moment(now()) };
    return readGroup(db, scope, await createGroup(db, group));
  }),
  behave(getEmbedTenantGroup, async (call) =>
    readGroup(call.db, await scopeOf(call), call.params.id),
  ),
  behave(updateEmbedTenantGroup, async (call) => {
    const { db, params, body } = call;
    const scope = await scopeOf(call);
    await readGroup(db, scope, params.id);
    if (body.description !== undefined) await describeGroup(db, params.id, body.description);
    return readGroup(db, scope, params.id);
  }),
  behave(deleteEmbedTenantGroup, async (call) =>
    dropGroup(call.db, await scopeOf(call), call.params.id),
  ),
];

const members: readonly Behaviour[] = [
  behaveList(listEmbedTenantGroupUsers, async (call) => {
    const found = selectMembers(call.db, await groupOf(call));
    return pageOf(call, keyset(found, "group_members.user_id"), showExternalUser);
  }),
  behave(addEmbedTenantGroupUsers, async (call) =>
    addMembers(call.db, await groupOf(call), call.body.members),
  ),
  behave(removeEmbedTenantGroupUsers, async (call) =>
    removeMembers(call.db, await groupOf(call), call.body.members),
  ),
];

const users: readonly Behaviour[] = [
  behave(provisionEmbedUser, async (call) => provision(await placeOf(call), call.body)),
  behave(provisionEmbedUsers, async (call) => provisionMany(await placeOf(call), call.body.users)),
  behaveList(listEmbedUsers, async (call) => {
    const found = selectExternalUsers(call.db, await scopeOf(call));
    return pageOf(call, keyset(found, "users.id"), showExternalUser);
  }),
  behave(deleteEmbedUser, async (call) =>
    dropExternalUser(call.db, await scopeOf(call), call.params.id),
  ),
];

const attributes: readonly Behaviour[] = [
  behaveList(listEmbedTenantUserAttributes, async (call) => {
    const found = selectTenantAttributes(call.db, await scopeOf(call));
    return pageOf(call, keyset(found, "user_attributes.id"), showTenantAttribute);
  }),
  behave(deleteEmbedTenantUserAttribute, async (call) =>
    dropTenantAttribute(call.db, await scopeOf(call), call.params.id),
  ),
];

/** What the operations of the area do. */
export const embedTenants: readonly Behaviour[] = [
  ...tenants,
  ...groups,
  ...members,
  ...users,
  ...attributes,
];

interface InTenant {
  readonly db: Db;
  readonly params: { readonly embedTenantName: string };
}

function scopeOf({ db, params }: InTenant): Promise<number> {
  return tenantId(db, params.embedTenantName);
}

async function groupOf(call: InTenant & { params: { id: number } }): Promise<Group> {
  const scope = await scopeOf(call);
  const group = { id: call.params.id, tenantId: scope };
  const found = await call.db
    .selectFrom("user_groups")
    .select("id")
    .where("id", "=", group.id)
    .where("tenant_scope", "=", scope)
    .executeTakeFirst();
  if (!found) throw noGroup(group.id);
  return group;
}

/** Describes a group that is known to exist; an empty description is none. */
async function describeGroup(db: Db, id: number, description: string | null): Promise<void> {
  await db
    .updateTable("user_groups")
    .set({ description: orNone(description) })
    .where("id", "=", id)
    .execute();
}

async function placeOf(call: InTenant & Pick<Call, "account" | "now">): Promise<Place> {
  const { db, params, now } = call;
  const account = await call.account();
  return { db, account, tenantName: params.embedTenantName, at: moment(now()) };
}
