// Row-level security: writes the row filters of access policies as conditions in SQL, with the values of the caller.
import type { AccessPolicy, PolicyFilter } from "../model/types.ts";
import { policiesFor, valueOf } from "./access.ts";
import { comparisonSql } from "./conditions.ts";
import { type Dependencies, dependenciesOf, type PlacedMember } from "./dependencies.ts";
import { measureOf } from "./measures.ts";
import { dimensionOf, dimensionSql, templateSql } from "./member-sql.ts";
import { cubeOf } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import { allOf, anyOf, raw, type Sql, sql } from "./sql-fragments.ts";

/** The row filters of a caller on a cube, and their dependencies. */
export interface RowCondition {
  readonly condition: Sql;
  readonly dependencies: Dependencies;
}

/** Returns the condition on the rows of a cube; undefined if all are open. */
export function rowCondition(name: string, context: QueryContext): RowCondition | undefined {
  const { cube } = cubeOf(context.model, name);
  return policyCondition(policiesFor(cube, context.caller), context, (member) =>
    memberOfCube(name, member),
  );
}

/** Returns the member of a cube's row filter: its own, or one of a joined cube. */
function memberOfCube(name: string, member: string): PlacedMember {
  const [cube = "", own = ""] = member.split(".");
  return { cube, member: own, path: cube === name ? [name] : [name, cube] };
}

/** Returns the condition of policies: any of them opens a row. Their dates are in UTC. Undefined if all rows are open. */
export function policyCondition(
  policies: readonly AccessPolicy[] | undefined,
  queryContext: QueryContext,
  place: (member: string) => PlacedMember,
): RowCondition | undefined {
  if (policies === undefined || policies.some(({ rows }) => rows === undefined)) return undefined;
  // The time zone of a query changes the shown values, but never the rows that the caller may read.
  const context = {
    ...queryContext,
    clock: { ...queryContext.clock, timezone: "UTC" },
    timeShifts: new Map(),
  };
  const members: PlacedMember[] = [];
  const conditions = policies.map(({ rows = [] }) =>
    allOf(
      rows.map((filter) =>
        policyFilterSql(filter, context, (name) => {
          const member = place(name);
          members.push(member);
          return member;
        }),
      ),
    ),
  );
  return { condition: anyOf(conditions), dependencies: dependenciesOf(context.model, members) };
}

function policyFilterSql(
  filter: PolicyFilter,
  context: QueryContext,
  place: (member: string) => PlacedMember,
): Sql {
  if ("and" in filter) return allOf(filter.and.map((one) => policyFilterSql(one, context, place)));
  if ("or" in filter) return anyOf(filter.or.map((one) => policyFilterSql(one, context, place)));
  const member = place(filter.member);
  if (filter.operator === "measureFilter") {
    const { filters } = measureOf(context.model, member);
    return allOf(filters.map((one) => templateSql(one, context)));
  }
  const values = filter.values.flatMap((value): readonly (string | null | undefined)[] => {
    const found = valueOf(value, context.caller);
    if ("literal" in value) return [value.literal === null ? null : String(value.literal)];
    const list = Array.isArray(found) ? found : [found];
    const isScalar = (one: unknown) => ["string", "number", "boolean"].includes(typeof one);
    // An empty list is a missing value.
    return list.length === 0
      ? [undefined]
      : list.map((one) => (isScalar(one) ? String(one) : undefined));
  });
  const known = values.filter((value) => value !== undefined);
  // A value that the caller lacks opens no rows, not even in a negated filter.
  if (known.length < values.length) return raw("FALSE");
  const { operator } = filter;
  if (known.length === 0 && operator !== "set" && operator !== "notSet") return raw("FALSE");
  const comparison = {
    expression: sql`(${dimensionSql(member, context)})`,
    type: dimensionOf(context, member).type,
    operator,
    values: known,
  };
  return comparisonSql(comparison, context);
}
