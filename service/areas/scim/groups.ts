// Creates, changes and deletes groups for an identity provider. A change of members writes only the rows of those members.
import { parseId } from "../../../api/schemas.ts";
import type { CredentialLimits } from "../../../core/operation/authorize.ts";
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { unreservedNamePattern } from "../../../core/text/text-patterns.ts";
import { type Attribute, groupType, resolveAttribute } from "../../scim/attributes.ts";
import { type Filter, filterTest } from "../../scim/filter.ts";
import { normalizeResource, normalizeValue } from "../../scim/normalize.ts";
import {
  type AttributeChange,
  applyChanges,
  attributeChanges,
  patchOperations,
} from "../../scim/patch.ts";
import { elementPaths } from "../../scim/paths.ts";
import { scimError } from "../../scim/scim-error.ts";
import { toTimestamp } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { isInternalUser } from "../../store/sql-conditions.ts";
import { accountScope, addGroup, dropGroup } from "../user-groups/groups.ts";
import { joinGroup, leaveGroup } from "../user-groups/membership.ts";
import {
  groupResource,
  groupVersion,
  membersOf,
  type ScimGroup,
  selectMembers,
  selectScimGroups,
} from "./group-store.ts";
import { callerIntegration, requireOwn, requireOwned } from "./ownership.ts";
import { requireVersion, type ScimCall, scimBase } from "./scim-call.ts";
import { externalIdOf } from "./users.ts";

/** Creates a group with its members and returns its ID. Throws `conflict` if its name is in use. */
export async function createGroup(call: ScimCall, input: JsonObject): Promise<number> {
  const resource = normalizeResource(groupType, input);
  const name = await freeName(call.db, resource["displayName"], undefined);
  const { id } = await addGroup(
    call.db,
    { tenantId: null, createdAt: toTimestamp(call.now()) },
    { name },
  );
  await keepGroup(call, { id, integration_id: null }, resource);
  await addMembers(call, id, resource["members"]);
  return id;
}

/** Replaces the attributes of a group. Its members are kept if the request has none. */
export async function replaceGroup(call: ScimCall, id: string, input: JsonObject): Promise<number> {
  const group = await findScimGroup(call, id);
  const resource = normalizeResource(groupType, input);
  await saveGroup(call, group, resource);
  if (Object.keys(input).some(isMembersName)) {
    await replaceMembers(call, group.id, resource["members"]);
  }
  return group.id;
}

function isMembersName(name: string): boolean {
  const found = resolveAttribute(groupType, name)?.found;
  return found !== undefined && "attribute" in found && found.attribute.name === "members";
}

/** Applies a patch to a group. */
export async function patchGroup(call: ScimCall, id: string, body: JsonObject): Promise<number> {
  const group = await findScimGroup(call, id);
  const changes = attributeChanges(groupType, patchOperations(body));
  const isMembers = ({ target }: AttributeChange) => target.attribute.name === "members";
  const others = changes.filter((change) => !isMembers(change));
  const before = groupResource(group, scimBase(call));
  await saveGroup(call, group, applyChanges(groupType, before, others));
  for (const change of changes.filter(isMembers)) await changeMembers(call, group.id, change);
  return group.id;
}

/** Deletes a group. */
export async function deleteGroup(call: ScimCall, id: string): Promise<void> {
  const group = await findScimGroup(call, id);
  await dropGroup(call.db, accountScope, group.id);
}

async function findScimGroup(call: ScimCall, id: string): Promise<ScimGroup> {
  const row = await selectScimGroups(call.db)
    .where("user_groups.id", "=", parseId(id) ?? 0)
    .executeTakeFirst();
  if (row === undefined) throw groupNotFound(id);
  const { updated_at: changedAt, integration_id: owner } = row;
  await requireOwn(call, { what: `group ${row.id}`, isManaged: changedAt !== null, owner });
  if (call.headers["if-match"] !== undefined)
    requireVersion(call.headers, await groupVersion(call.db, row));
  return row;
}

/** Returns the error for a group that does not exist. */
export function groupNotFound(id: string): Failure {
  return new Failure("not_found", `there is no group ${JSON.stringify(id)}`);
}

async function saveGroup(call: ScimCall, group: ScimGroup, resource: JsonObject): Promise<void> {
  const name = await freeName(call.db, resource["displayName"], group);
  if (name !== group.name) {
    const columns = { name, name_key: name.toLowerCase() };
    await call.db.updateTable("user_groups").set(columns).where("id", "=", group.id).execute();
  }
  await keepGroup(call, group, resource);
}

async function keepGroup(
  call: ScimCall,
  { id, integration_id: owner }: Pick<ScimGroup, "id" | "integration_id">,
  resource: JsonObject,
): Promise<void> {
  const kept = {
    external_id: externalIdOf(resource),
    updated_at: toTimestamp(call.now()),
    integration_id: callerIntegration(call),
  };
  const written = await call.db
    .insertInto("scim_groups")
    .values({ group_id: id, ...kept })
    .onConflict((on) =>
      on
        .column("group_id")
        .doUpdateSet(kept)
        .where("scim_groups.integration_id", "is not distinct from", owner),
    )
    .returning("group_id")
    .executeTakeFirst();
  requireOwned(written, `group ${id}`);
}

const groupName = new RegExp(unreservedNamePattern);

/** Returns a valid name that no other group has. Throws `invalidValue` or `conflict`. */
async function freeName(
  db: Db,
  value: JsonValue | undefined,
  group: ScimGroup | undefined,
): Promise<string> {
  const name = typeof value === "string" ? value : "";
  if (name === group?.name) return name;
  if (name.length > 100 || !groupName.test(name)) {
    throw scimError(
      "invalidValue",
      "displayName must have at most 100 characters, no white space around it, and not begin with `system:`",
    );
  }
  const others = selectScimGroups(db).where("user_groups.id", "!=", group?.id ?? 0);
  if (await others.where("user_groups.name_key", "=", name.toLowerCase()).executeTakeFirst())
    throw new Failure(
      "conflict",
      `a group with the displayName ${JSON.stringify(name)} already exists; an administrator can set its scimIntegration to the name of the integration`,
    );
  return name;
}

async function changeMembers(
  call: ScimCall,
  groupId: number,
  change: AttributeChange,
): Promise<void> {
  const { op, target, value } = change;
  if (target.sub !== undefined)
    throw scimError("mutability", "members cannot be changed, only added and removed");
  if (target.filter !== undefined) {
    if (op !== "remove")
      throw scimError("mutability", "members cannot be changed, only added and removed");
    const { filter, attribute } = target;
    return removeMatching(call, groupId, { filter, attribute });
  }
  const given = value == null ? undefined : normalizeValue(target.attribute, value, "members");
  if (op === "add") return addMembers(call, groupId, given);
  if (op === "replace") return replaceMembers(call, groupId, given);
  // An empty list names no members to remove. Only a removal without a value empties the group.
  const ids = value == null ? await currentIds(call.db, groupId) : idsOf(given);
  return removeMembers(call.db, groupId, [...ids]);
}

async function removeMatching(
  call: ScimCall,
  groupId: number,
  { filter, attribute }: { readonly filter: Filter; readonly attribute: Attribute },
): Promise<void> {
  const named = namedIds(filter);
  if (named !== undefined) return removeMembers(call.db, groupId, named);
  const test = filterTest(filter, elementPaths(attribute));
  const matching = (await membersOf(call.db, { base: scimBase(call), groupId })).filter(test);
  return removeMembers(call.db, groupId, [...idsOf(matching)]);
}

/** Returns the IDs that a filter of `value eq "…"` conditions names; undefined for another filter. */
function namedIds(filter: Filter): readonly number[] | undefined {
  if (filter.op === "or") {
    const lists = filter.filters.map(namedIds);
    return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
  }
  if (filter.op !== "eq" || filter.path.toLowerCase() !== "value") return undefined;
  const id = typeof filter.value === "string" ? parseId(filter.value) : undefined;
  return id === undefined ? [] : [id];
}

/** An identity provider decides who is in a group, regardless of the group's permissions. */
const identityProvider: CredentialLimits = {};

async function addMembers(
  call: ScimCall,
  groupId: number,
  value: JsonValue | undefined,
): Promise<void> {
  await addUsers(call, groupId, [...idsOf(value)]);
}

async function addUsers(call: ScimCall, groupId: number, ids: readonly number[]): Promise<void> {
  await requireOwnUsers(call, ids);
  const limits = identityProvider;
  for (const part of batches(ids))
    await joinGroup(call.db, { groupId, users: part.map((id) => ({ id })), limits });
}

async function replaceMembers(
  call: ScimCall,
  groupId: number,
  value: JsonValue | undefined,
): Promise<void> {
  const wanted = idsOf(value);
  const had = await currentIds(call.db, groupId);
  const added = [...wanted].filter((id) => !had.has(id));
  await addUsers(call, groupId, added);
  const removed = [...had].filter((id) => !wanted.has(id));
  await removeMembers(call.db, groupId, removed);
}

async function removeMembers(db: Db, groupId: number, ids: readonly number[]): Promise<void> {
  for (const part of batches(ids)) {
    // External users of the group are not members to SCIM.
    const members = await selectMembers(db, groupId)
      .select("users.id")
      .where("users.id", "in", part)
      .execute();
    await leaveGroup(db, groupId, members);
  }
}

async function currentIds(db: Db, groupId: number): Promise<ReadonlySet<number>> {
  const rows = await selectMembers(db, groupId).select("users.id").execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * Returns the IDs of members in a request. Throws `invalidValue` for a member without an ID, or a member that is a
 * group.
 */
function idsOf(value: JsonValue | undefined): ReadonlySet<number> {
  const elements = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  return new Set(
    elements.map((element) => {
      const { value: given, type = "User" } = isObject(element) ? element : {};
      const id = typeof given === "string" ? parseId(given) : undefined;
      if (id === undefined || typeof type !== "string" || type.toLowerCase() !== "user") {
        throw noSuchMembers([JSON.stringify(element)]);
      }
      return id;
    }),
  );
}

/**
 * Throws `invalidValue` unless all IDs belong to the account's own users, and `forbidden` or `conflict` for a user that
 * the caller does not manage.
 */
async function requireOwnUsers(call: ScimCall, ids: readonly number[]): Promise<void> {
  for (const part of batches(ids)) {
    const rows = await call.db
      .selectFrom("users")
      .leftJoin("scim_users", "scim_users.user_id", "users.id")
      .select(["users.id", "scim_users.user_id as managed", "scim_users.integration_id as owner"])
      .where(isInternalUser)
      .where("users.id", "in", part)
      .execute();
    const known = new Set(rows.map(({ id }) => id));
    const missing = part.filter((id) => !known.has(id));
    if (missing.length > 0) throw noSuchMembers(missing.slice(0, 10).map(String));
    for (const { id, managed, owner } of rows)
      await requireOwn(call, { what: `user ${id}`, isManaged: managed !== null, owner });
  }
}

function noSuchMembers(names: readonly string[]): Failure {
  return scimError(
    "invalidValue",
    `members must be users of the account; there are no users ${names.join(", ")}`,
  );
}

/** Members of one statement. */
const batchSize = 500;

function batches(ids: readonly number[]): readonly (readonly number[])[] {
  const count = Math.ceil(ids.length / batchSize);
  return Array.from({ length: count }, (_, index) =>
    ids.slice(index * batchSize, (index + 1) * batchSize),
  );
}
