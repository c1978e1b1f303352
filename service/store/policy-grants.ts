// Reads policies on single objects, and selects the objects on which they and other grants permit an action.
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { allows, type Targets, targetType } from "../../core/operation/authorize.ts";
import { limits } from "../../core/limits/limits.ts";
import {
  type Grant,
  type PermissionAction,
  permissionActions,
  policyTypeOf,
  policyTypes,
  type ResourceKind,
} from "../../core/operation/permission-actions.ts";
import { resourceTables } from "./resources.ts";
import { preparedQuery } from "./prepared-query.ts";
import { deleteRows } from "./in-batches.ts";
import type { Db, Row } from "./schema.ts";

/**
 * Returns conditions on policies, each with an index: policies for the user, for its groups, and for all of the
 * account's own users.
 */
function concerned(userId: number): readonly RawBuilder<SqlBool>[] {
  return [
    sql`user_id = ${userId}`,
    sql`group_id in (select group_id from group_members where group_members.user_id = ${userId})`,
    // The range makes SQLite prefer the index of these policies to one of those without a group.
    sql`user_id is null and group_id is null and resource_id > 0
      and exists (select 1 from users where users.id = ${userId} and users.is_external = 0)`,
  ];
}

/** Returns the condition that one of {@link concerned} holds. */
function concerns(userId: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join(concerned(userId), sql` or `)})`;
}

/** A number of objects of one type, or any of them. */
interface TargetCount {
  readonly type: ResourceKind;
  readonly count: number | "any";
}

type PolicyRow = Pick<Row<"resource_policies">, "resource_type" | "action">;
type PolicyQuery = (
  db: Db,
  values: Readonly<Record<string, number>>,
) => Promise<readonly PolicyRow[]>;

/** The queries by the number of objects of each type. Objects have few containers, so there are few queries. */
const policyQueries = new Map<string, PolicyQuery>();

function policyQueryFor(counts: readonly TargetCount[]): PolicyQuery {
  const name = JSON.stringify(counts);
  const known = policyQueries.get(name);
  if (known !== undefined) return known;
  const query = preparedQuery((db: Db, values: Readonly<Record<string, number>>) => {
    const conditions = counts.map(({ type, count }) => {
      const isOfType = sql`resource_type = ${type}`;
      if (count === "any") return isOfType;
      const ids = Array.from({ length: count }, (_, at) => sql`${values[`${type}${at}`]}`);
      return sql`(${isOfType} and resource_id in (${sql.join(ids)}))`;
    });
    return db
      .selectFrom("resource_policies")
      .select(["resource_type", "action"])
      .distinct()
      .where(concerns(values["userId"] ?? 0))
      .where(sql<SqlBool>`(${sql.join(conditions, sql` or `)})`);
  });
  if (policyQueries.size >= limits.keptQueries) policyQueries.clear();
  policyQueries.set(name, query);
  return query;
}

/** Returns the grants that policies on the objects give to a user. An object without ID stands for any of its type. */
export async function policyGrants(
  db: Db,
  userId: number,
  targets: Targets,
): Promise<readonly Grant[]> {
  const counts: TargetCount[] = [];
  const values: Record<string, number> = { userId };
  for (const type of policyTypes.map((one) => targetType(one) as ResourceKind)) {
    const ids = targets.filter((target) => target.type === type).map(({ id }) => id);
    if (ids.length === 0) continue;
    const named = ids.filter((id) => id !== undefined).map(Number);
    counts.push({ type, count: named.length < ids.length ? "any" : named.length });
    if (named.length === ids.length)
      for (const [at, id] of named.entries()) values[`${type}${at}`] = id;
  }
  if (counts.length === 0) return [];
  const rows = await policyQueryFor(counts)(db, values);
  // Only policies on the objects in question were read, so each covers one of them.
  return rows.map(({ resource_type, action }) => ({
    resourceType: policyTypeOf(resource_type),
    actions: [action as PermissionAction],
    resources: "All",
  }));
}

/** A grant, and the number of further objects that it does not name. */
export interface ShownGrant extends Grant {
  readonly omittedResources?: number;
}

/** Returns the grants that policies give to a user: every action on a type, each with at most the first objects. */
export async function shownPolicyGrants(db: Db, userId: number): Promise<readonly ShownGrant[]> {
  const own = db
    .selectFrom("resource_policies")
    .select(["resource_type", "resource_id", "action"])
    .distinct()
    .where(concerns(userId));
  const numbered = db.selectFrom(own.as("own")).select((eb) => [
    "resource_type",
    "resource_id",
    "action",
    eb.fn
      .agg<number>("row_number")
      .over((over) => over.partitionBy(["resource_type", "action"]).orderBy("resource_id"))
      .as("place"),
    eb.fn
      .countAll<number>()
      .over((over) => over.partitionBy(["resource_type", "action"]))
      .as("total"),
  ]);
  const rows = await db
    .selectFrom(numbered.as("numbered"))
    .selectAll()
    .where("place", "<=", limits.shownGrantResources)
    .orderBy("resource_type")
    .orderBy("action")
    .orderBy("resource_id")
    .execute();
  const grouped = Map.groupBy(rows, ({ resource_type, action }) => `${resource_type} ${action}`);
  return [...grouped.values()].map((group) => ({
    resourceType: policyTypeOf(group[0]?.resource_type),
    actions: [group[0]?.action as PermissionAction],
    resources: group.map(({ resource_id }) => String(resource_id)),
    ...omitted(Number(group[0]?.total) - group.length),
  }));
}

function omitted(count: number): Pick<ShownGrant, "omittedResources"> {
  return count === 0 ? {} : { omittedResources: count };
}

/** The user whose grants select rows, and the action. */
export interface GrantedRows {
  readonly userId: number;
  /** The grants of the user's roles. */
  readonly grants: readonly Grant[];
  readonly action: PermissionAction;
}

/** A condition that no row meets. */
export const noRow = sql<SqlBool>`1 = 0`;

/** Returns a condition on the rows of a type's table: true for rows on which the grants permit the action. */
export function rowCondition(granted: GrantedRows, type: ResourceKind): RawBuilder<SqlBool> {
  const { table, parents } = resourceTables[type] ?? { table: "deployments", parents: {} };
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const ids = grantedIds(granted, type);
  const conditions = Object.entries(parents).map(([above, name]) =>
    above === type
      ? sql`${column("id")} in (${withDescendants(ids, type)})`
      : sql`${column(name)} in (${permittedIds(granted, above as ResourceKind)})`,
  );
  return sql<SqlBool>`(${sql.join([sql`${column("id")} in (${ids})`, ...conditions], sql` or `)})`;
}

function permittedIds(granted: GrantedRows, type: ResourceKind) {
  const table = sql.table(resourceTables[type]?.table ?? "deployments");
  return sql`select id from ${table} where ${rowCondition(granted, type)}`;
}

/** Selects the IDs of objects on which grants permit the action directly. */
function grantedIds({ userId, grants, action }: GrantedRows, type: ResourceKind) {
  const granting = permissionActions.filter((one) => allows([one], action));
  const ofType = grants.filter(
    ({ resourceType, actions }) => targetType(resourceType) === type && allows(actions, action),
  );
  const every = sql`select id from ${sql.table(resourceTables[type]?.table ?? "deployments")}`;
  if (ofType.some(({ resources }) => resources === "All")) return every;
  const ids = ofType.flatMap(({ resources }) => (resources === "All" ? [] : resources.map(Number)));
  const ofAction = sql`select resource_id from resource_policies where resource_type = ${type}
    and action in (${sql.join(granting)})`;
  // Alternatives in one condition would make SQLite read all policies of the type.
  const byPolicy = sql.join(
    concerned(userId).map((one) => sql`${ofAction} and ${one}`),
    sql` union all `,
  );
  if (ids.length === 0) return byPolicy;
  // One list of literals: SQLite bounds the members of a compound select to 500, and the values of a statement too.
  return sql`${byPolicy} union all ${every} where id in (${sql.join(ids.map((id) => sql.lit(id)))})`;
}

/** Selects the IDs, and the IDs of the objects of the same type inside them. */
function withDescendants(ids: RawBuilder<unknown>, type: ResourceKind) {
  const { table, parents } = resourceTables[type] ?? { table: "deployments", parents: {} };
  // The other containers of an object also contain the objects inside it, and come first in the index.
  const inside = Object.entries(parents).map(([above, name]) => {
    const container = above === type ? "id" : name;
    return sql`one.${sql.ref(name)} = above.${sql.ref(container)}`;
  });
  return sql`with recursive down(id) as (select * from (${ids}) as granted
    union select one.id from down join ${sql.table(table)} as above on above.id = down.id
      join ${sql.table(table)} as one on ${sql.join(inside, sql` and `)})
    select id from down`;
}

/** Deletes policies on objects that no longer exist, at most `most`. Returns their number. */
export async function deleteOrphanedPolicies(tx: Db, most: number): Promise<number> {
  let deleted = 0;
  for (const [type, { table }] of Object.entries(resourceTables)) {
    if (deleted >= most) break;
    const orphaned = tx
      .selectFrom("resource_policies")
      .select("id")
      .where("resource_type", "=", type)
      .where(sql<SqlBool>`not exists (select 1 from ${sql.table(table)} as one
        where one.id = resource_policies.resource_id)`)
      .limit(most - deleted);
    deleted += await deleteRows(tx, "resource_policies", orphaned);
  }
  return deleted;
}
