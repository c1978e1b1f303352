// Row-level security: writes the row filters of access policies as conditions in SQL, with the values of the caller.
import type { AccessPolicy, PolicyFilter } from "../model/types.ts";
import { memberPolicies, policiesFor, type QueryCaller, valueOf } from "./access.ts";
import { admitsNull, comparisonSql } from "./conditions.ts";
import {
  type Dependencies,
  dependenciesOf,
  mergeDependencies,
  type PlacedMember,
} from "./dependencies.ts";
import {
  type Condition,
  conditionSql,
  type JoinedCondition,
  joinConditions,
} from "./joined-conditions.ts";
import type { JoinChain } from "./join-tree.ts";
import { measureOf } from "./measures.ts";
import { dimensionOf, dimensionSql, templateSql } from "./member-sql.ts";
import { cubeOf } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import { allOf, raw, type Sql, sql } from "./sql-fragments.ts";
import { type MemberUse, ownDimensions } from "./used-members.ts";

/** A condition on rows, and its dependencies. */
export interface RowCondition {
  readonly condition: Sql;
  /** The members that it compares. */
  readonly members: readonly PlacedMember[];
  readonly dependencies: Dependencies;
  /** Whether it reads other cubes than those of its dependencies. */
  readonly readsJoined: boolean;
}

/** What a caller may read of a cube. Undefined members open everything. */
export interface CubeAccess {
  /** The rows that the query may use; undefined for all. */
  readonly rows: RowCondition | undefined;
  /** The rows that show the value of a member instead of its mask, by member. */
  readonly shown: ReadonlyMap<string, RowCondition>;
}

/**
 * Returns what the caller may read of a cube. A row is read if, for each member that the query uses, a policy that shows
 * the member admits the row. `isWhole`: SQL inserts the cube with `{cube.sql()}`.
 */
export function cubeAccess(
  name: string,
  context: QueryContext,
  { isWhole, joined }: { readonly isWhole: boolean; readonly joined: JoinedFilters },
): CubeAccess {
  const indexed = cubeOf(context.model, name);
  const { cube } = indexed;
  const on = { context, place: (member: string) => memberOfCube(name, member), joined };
  // SQL that inserts the cube reads all its columns.
  const all = () => ownDimensions(indexed).map((member) => ({ member, usage: "sql" as const }));
  const used = isWhole ? all() : (context.used.get(name) ?? []);
  const shown = used.flatMap(({ member, usage }) => {
    const policies = usage === "value" ? shownBy(cube, member, context.caller) : "always";
    const rows = typeof policies === "string" ? undefined : anyPolicy(policies, on);
    return rows ? [[member, rows] as const] : [];
  });
  return { rows: usedRows(cube, used, on), shown: new Map(shown) };
}

/** Returns the member of a cube's row filter: its own, or one of a joined cube. */
function memberOfCube(name: string, member: string): PlacedMember {
  const [cube = "", own = ""] = member.split(".");
  return { cube, member: own, path: cube === name ? [name] : [name, cube] };
}

type Subject = Parameters<typeof policiesFor>[0];

/** Writes filters on joined cubes as conditions on columns, so that no join repeats a row, whatever the tables have. */
export interface JoinedFilters {
  /** Returns the cubes that the cube itself joins to read a member. */
  readonly firstJoined: (member: PlacedMember) => readonly string[];
  /** Returns whether a condition on a column can replace the joins to a member. */
  readonly isByKey: (member: PlacedMember) => boolean;
  /** Writes that a condition holds for a row with the key. */
  readonly write: (condition: JoinedCondition) => Sql;
}

/** The context of row filters, and the place of each member that they name. */
interface FilterContext {
  readonly context: QueryContext;
  readonly place: (member: string) => PlacedMember;
  /** Undefined where the cubes of all members are joined in any case. */
  readonly joined?: JoinedFilters | undefined;
}

/** Returns the rows of a cube or view that a query may use with certain members; undefined for all. */
export function usedRows(
  subject: Subject,
  used: readonly UsedMember[],
  on: FilterContext,
): RowCondition | undefined {
  const { caller } = on.context;
  const applying = policiesFor(subject, caller);
  if (applying === undefined) return undefined;
  const admitting = used.map((one) => admittingPolicies(subject, one, caller));
  const keyOf = (policies: readonly AccessPolicy[]) =>
    policies.map((one) => applying.indexOf(one)).join(" ");
  const sets = new Map(
    (admitting.length === 0 ? [applying] : admitting).map((one) => [keyOf(one), one]),
  );
  const conditions = [...sets.values()].flatMap((policies) => anyPolicy(policies, on) ?? []);
  if (conditions.length === 0) return undefined;
  return {
    condition: allOf(conditions.map(({ condition }) => condition)),
    members: conditions.flatMap(({ members }) => members),
    dependencies: mergeDependencies(conditions.map(({ dependencies }) => dependencies)),
    readsJoined: conditions.some(({ readsJoined }) => readsJoined),
  };
}

type UsedMember = Pick<MemberUse, "member" | "usage">;

/** Returns the policies of which one must admit a row, so that a query may use it with a member. */
function admittingPolicies(
  subject: Subject,
  { member, usage }: UsedMember,
  caller: QueryCaller,
): readonly AccessPolicy[] {
  const { open, masked } = memberPolicies(subject, member, caller) ?? { open: [], masked: [] };
  // A query can name a member that no policy of its cube shows only through a view, which decides about members.
  const isOfView = usage !== "sql" && open.length + masked.length === 0;
  if (isOfView) return policiesFor(subject, caller) ?? [];
  return usage === "value" ? [...open, ...masked] : open;
}

/**
 * Returns the policies in whose rows the value of a member is shown; in the other rows of the query, its mask replaces
 * it.
 */
export function shownBy(
  subject: Subject,
  member: string,
  caller: QueryCaller,
): readonly AccessPolicy[] | "always" | "never" {
  const { open, masked } = memberPolicies(subject, member, caller) ?? { open: [], masked: [] };
  if (masked.length === 0 || open.some(({ rows }) => rows === undefined)) return "always";
  return open.length === 0 ? "never" : open;
}

/** Returns the condition that any of some policies admits a row. Their dates are in UTC. Undefined if one admits all rows. */
export function anyPolicy(
  policies: readonly AccessPolicy[],
  { context: queryContext, ...on }: FilterContext,
): RowCondition | undefined {
  if (policies.some(({ rows }) => rows === undefined)) return undefined;
  // The time zone and the filters of a query never change the rows that the caller may read.
  const context: QueryContext = {
    ...queryContext,
    pushedFilters: () => [],
    clock: { ...queryContext.clock, timezone: "UTC" },
    timeShifts: new Map(),
  };
  const members: PlacedMember[] = [];
  const compared: PlacedMember[] = [];
  const lookedUp: JoinChain[] = [];
  const conditions = policies.map(({ rows = [] }) => policyCondition(rows, { ...on, context }));
  const condition = conditionSql(joinConditions("or", conditions, context.cost), (part) => {
    compared.push(...part.members);
    if (part.cube !== undefined && on.joined) {
      // The column that it compares.
      lookedUp.push(...part.members.map(({ path }) => path.slice(0, 1)));
      return on.joined.write(part);
    }
    members.push(...part.members);
    return part.condition;
  });
  const dependencies = mergeDependencies([
    dependenciesOf(context.model, members),
    { chains: lookedUp, subQueries: [] },
  ]);
  const readsJoined = lookedUp.length > 0;
  return { condition, members: compared, dependencies, readsJoined };
}

/** Returns the condition that a row matches all filters of a policy. */
function policyCondition(
  rows: readonly PolicyFilter[],
  { context, place, joined }: FilterContext,
): Condition {
  const isByKey = (member: PlacedMember, { operator }: MemberFilter) =>
    operator !== "measureFilter" && joined?.isByKey(member) === true;
  // What stands beside a join, and a condition on its key, could hold for different rows.
  const joinedBeside = new Set(
    rows.flatMap(memberFilters).flatMap((one) => {
      const member = place(one.member);
      return isByKey(member, one) ? [] : (joined?.firstJoined(member) ?? []);
    }),
  );
  const never: Condition = {
    cube: undefined,
    members: [],
    condition: raw("FALSE"),
    admitsNull: false,
  };
  const conditionOf = (filter: PolicyFilter): Condition => {
    if ("and" in filter) return joinConditions("and", filter.and.map(conditionOf), context.cost);
    if ("or" in filter) return joinConditions("or", filter.or.map(conditionOf), context.cost);
    const member = place(filter.member);
    const condition = memberFilterSql(member, filter, context);
    if (condition === undefined) return never;
    const [cube] = isByKey(member, filter) ? (joined?.firstJoined(member) ?? []) : [];
    return {
      cube: cube !== undefined && !joinedBeside.has(cube) ? cube : undefined,
      members: [member],
      condition,
      admitsNull: admitsNull(filter.operator),
    };
  };
  return joinConditions("and", rows.map(conditionOf), context.cost);
}

type MemberFilter = Extract<PolicyFilter, { readonly member: string }>;

/** Returns the filters on members in all groups of a filter. */
function memberFilters(filter: PolicyFilter): readonly MemberFilter[] {
  if ("member" in filter) return [filter];
  return ("and" in filter ? filter.and : filter.or).flatMap(memberFilters);
}

/** Writes a filter; undefined if it opens no row. */
function memberFilterSql(
  member: PlacedMember,
  filter: MemberFilter,
  context: QueryContext,
): Sql | undefined {
  if (filter.operator === "measureFilter") {
    const { filters } = measureOf(context.model, member);
    return allOf(filters.map((one) => templateSql(one, context)));
  }
  const values = filter.values.flatMap((value): readonly (string | undefined)[] => {
    const found = [valueOf(value, context.caller)].flat();
    const isScalar = (one: unknown): one is string | number | boolean =>
      ["string", "number", "boolean"].includes(typeof one);
    // An empty list is a missing value.
    return found.length === 0
      ? [undefined]
      : found.map((one) => (isScalar(one) && one !== "" ? String(one) : undefined));
  });
  const known = values.filter((value) => value !== undefined);
  // An empty text, null or a value that the caller lacks opens no rows, not even in a negated filter.
  if (known.length < values.length) return undefined;
  const { operator } = filter;
  if (known.length === 0 && operator !== "set" && operator !== "notSet") return undefined;
  const comparison = {
    expression: sql`(${dimensionSql(member, context)})`,
    type: dimensionOf(context, member).type,
    operator,
    values: known,
  };
  return comparisonSql(comparison, context);
}
