// Policies on single objects: reads own and inherited policies, and writes the policy of one subject.
import { targetType } from "../../../core/operation/authorize.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import {
  type NamedPolicyType,
  type PermissionAction,
  policyActions,
  policyTypeOf,
  type ResourceKind,
} from "../../../core/operation/permission-actions.ts";
import { countRows } from "../../store/keyset.ts";
import { type Resource, withParents } from "../../store/resources.ts";
import type { Db, Row } from "../../store/schema.ts";
import { fieldError } from "../shared/field-error.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { policyName } from "../user-groups/membership.ts";

/** An object that a request names. */
interface NamedResource {
  readonly resourceType: NamedPolicyType;
  readonly resourceId: number;
}

/** A user, a group, or neither for all of the account's own users. */
export interface PolicySubject {
  readonly user_id: number | null;
  readonly group_id: number | null;
}

/** Returns the policies of an object, and those that it inherits. Throws `not_found` if there is no such object. */
export async function readPolicies(db: Db, named: NamedResource) {
  const [own, ...parents] = await findResource(db, named);
  const users = await userPolicies(db, [own, ...parents]);
  const groups = await groupPolicies(db, [own, ...parents]);
  const folders = await folderNames(db, parents);
  const isOwn = ({ resource_type, resource_id }: PolicyPlace) =>
    resource_type === own.type && resource_id === own.id;
  const inherited = (row: PolicyPlace) => ({
    source: { resourceType: policyTypeOf(row.resource_type), resourceId: row.resource_id },
    ...omitNullish({
      sourceFolder: row.resource_type === "folder" ? folders.get(row.resource_id) : undefined,
    }),
  });
  return {
    userPolicies: users.filter(isOwn).map(showUserPolicy),
    groupPolicies: groups.filter(isOwn).map(showGroupPolicy),
    inheritedUserPolicies: users
      .filter((row) => !isOwn(row))
      .map((row) => ({ ...showUserPolicy(row), ...inherited(row) })),
    inheritedGroupPolicies: groups
      .filter((row) => !isOwn(row))
      .map((row) => ({ ...showGroupPolicy(row), ...inherited(row) })),
  };
}

/** Returns the policies that are set on each of the given objects of a type, in the order of the IDs. */
export async function policiesOfEach(db: Db, type: ResourceKind, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const objects = ids.map((id) => ({ type, id }));
  const users = sortPolicies(await selectUserPolicies(db, objects).execute());
  const groups = sortPolicies(await selectGroupPolicies(db, objects).execute());
  const usersOf = Map.groupBy(users, ({ resource_id }) => resource_id);
  const groupsOf = Map.groupBy(groups, ({ resource_id }) => resource_id);
  return ids.map((resourceId) => ({
    resourceId,
    userPolicies: (usersOf.get(resourceId) ?? []).map(showUserPolicy),
    groupPolicies: (groupsOf.get(resourceId) ?? []).map(showGroupPolicy),
  }));
}

/** Returns the object, followed by the objects that contain it. */
async function findResource(
  db: Db,
  { resourceType, resourceId: id }: NamedResource,
): Promise<readonly [Resource, ...Resource[]]> {
  const type = targetType(resourceType) as ResourceKind;
  const [own, ...parents] = await withParents(db, { type, id });
  if (own) return [own, ...parents];
  throw new Failure("not_found", `there is no ${type} ${id}`);
}

interface PolicyPlace {
  readonly resource_type: string;
  readonly resource_id: number;
}

/** Selects the policies on some objects. */
function selectPolicies(db: Db, resources: readonly Resource[]) {
  const byType = Map.groupBy(resources, ({ type }) => type);
  return db
    .selectFrom("resource_policies")
    .select(["resource_policies.id as policy_id", "resource_type", "resource_id", "action"])
    .where((eb) =>
      eb.or(
        [...byType].map(([type, objects]) => {
          const ids = objects.map(({ id }) => id);
          return eb.and([eb("resource_type", "=", type), eb("resource_id", "in", ids)]);
        }),
      ),
    );
}

function selectUserPolicies(db: Db, resources: readonly Resource[]) {
  return selectPolicies(db, resources)
    .leftJoin("users", "users.id", "resource_policies.user_id")
    .select(["resource_policies.user_id", "users.email"])
    .where("group_id", "is", null);
}

function selectGroupPolicies(db: Db, resources: readonly Resource[]) {
  return selectPolicies(db, resources)
    .innerJoin("user_groups", "user_groups.id", "resource_policies.group_id")
    .leftJoin("embed_tenants", "embed_tenants.id", "user_groups.embed_tenant_id")
    .select(["user_groups.id as group_id", "user_groups.name", "embed_tenants.name as tenant"]);
}

/** Sorts policies by age. An object has few of them, and the database would sort them in a temporary table. */
function sortPolicies<Policy extends { readonly policy_id: number }>(
  policies: readonly Policy[],
): Policy[] {
  return policies.toSorted((left, right) => left.policy_id - right.policy_id);
}

async function userPolicies(db: Db, resources: readonly Resource[]) {
  const rows = await selectUserPolicies(db, resources)
    .select(["users.display_name", "users.picture"])
    .execute();
  return sortPolicies(rows);
}

async function groupPolicies(db: Db, resources: readonly Resource[]) {
  const rows = await selectGroupPolicies(db, resources)
    .select((eb) =>
      eb
        .selectFrom("group_members")
        .whereRef("group_members.group_id", "=", "user_groups.id")
        .select((count) => count.fn.countAll<number | string>().as("members"))
        .as("members"),
    )
    .execute();
  return sortPolicies(rows);
}

async function folderNames(db: Db, parents: readonly Resource[]) {
  const ids = parents.filter(({ type }) => type === "folder").map(({ id }) => id);
  const rows =
    ids.length === 0
      ? []
      : await db.selectFrom("folders").select(["id", "name"]).where("id", "in", ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** A user policy, with the members that a list omits. */
type UserPolicyRow = Pick<Row<"resource_policies">, "action" | "user_id"> & {
  readonly email: string | null;
  readonly display_name?: string | null;
  readonly picture?: string | null;
};

function showUserPolicy(row: UserPolicyRow) {
  const { user_id: userId, email, display_name: firstName, picture } = row;
  return {
    action: row.action as PermissionAction,
    ...omitNullish({ userId, email, firstName, picture }),
  };
}

/** A group policy, with the members that a list omits. */
interface GroupPolicyRow {
  readonly action: string;
  readonly group_id: number;
  readonly name: string;
  /** Null for an account-wide group. */
  readonly tenant: string | null;
  readonly members?: number | string | null;
}

function showGroupPolicy({ group_id: groupId, action, members, ...group }: GroupPolicyRow) {
  return {
    groupId,
    name: policyName(group),
    action: action as PermissionAction,
    ...(members != null && { userCount: Number(members) }),
  };
}

/**
 * Sets the policy of a subject on an object; without an action, removes it. Throws `not_found` if there is no such
 * object, and `invalid` for an action of another type or too many policies.
 */
export async function writePolicy(
  db: Db,
  named: NamedResource,
  { action, ...subject }: PolicySubject & { readonly action: PermissionAction | undefined },
): Promise<void> {
  const [{ type, id }] = await findResource(db, named);
  if (action !== undefined) requireActionOf(type, action);
  const place = { resource_type: type, resource_id: id };
  await db
    .deleteFrom("resource_policies")
    .where("resource_type", "=", type)
    .where("resource_id", "=", id)
    .where("user_id", subject.user_id === null ? "is" : "=", subject.user_id)
    .where("group_id", subject.group_id === null ? "is" : "=", subject.group_id)
    .execute();
  if (action === undefined) return;
  await refuseTooMany(db, place);
  await db
    .insertInto("resource_policies")
    .values({ ...place, ...subject, action })
    .execute();
}

function requireActionOf(type: ResourceKind, action: PermissionAction): void {
  const valid = policyActions(policyTypeOf(type));
  if (valid.includes(action)) return;
  const some = valid.length > 5 ? "an action on what a deployment contains" : valid.join(", ");
  throw fieldError("action", ["invalid", `${action} cannot be granted on a ${type}; use ${some}`]);
}

async function refuseTooMany(db: Db, place: PolicyPlace): Promise<void> {
  const count = await countRows(
    db
      .selectFrom("resource_policies")
      .where("resource_type", "=", place.resource_type)
      .where("resource_id", "=", place.resource_id),
  );
  if (count < limits.resourcePolicies) return;
  throw new Failure(
    "invalid",
    `the object has ${limits.resourcePolicies} policies, which is the limit; use groups`,
  );
}
