// The members of a query: their visibility for the caller, and the SQL of dimensions and conditions.
import { Failure } from "../../core/errors.ts";
import type { Mask } from "../model/types.ts";
import { hiddenFailure, isMasked, isVisible, policiesFor, requireVisible } from "./access.ts";
import { comparisonSql, filterCondition, rangeSql } from "./conditions.ts";
import {
  type Dependencies,
  dependenciesOf,
  mergeDependencies,
  templateDependencies,
} from "./dependencies.ts";
import type { LocalRange } from "./date-range.ts";
import {
  bucketSql,
  dimensionOf,
  dimensionSql,
  segmentSql,
  shiftColumn,
  templateSql,
} from "./member-sql.ts";
import { measureOf } from "./measures.ts";
import { type QueryMember, resolveMember, resolveShown } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import type {
  MemberFilter,
  NormalizedQuery,
  QueryFilter,
  QueryTimeDimension,
} from "./query-schema.ts";
import { policyCondition } from "./row-policies.ts";
import { allOf, bind, raw, type Sql, sql } from "./sql-fragments.ts";

/** SQL over the joined rows, with the joins that it needs. */
export interface RowSql {
  readonly sql: Sql;
  readonly dependencies: Dependencies;
}

/** Resolves a member of a query. Throws `invalid` if there is none, `forbidden` if the caller may not use it. */
export function visibleMember(
  context: QueryContext,
  name: string,
  kinds: Parameters<typeof resolveMember>[2],
): QueryMember {
  const isShown = (one: QueryMember) => isVisible(one, context.caller);
  const member = resolveShown(context.model, name, { kinds, isShown });
  requireVisible(member, context.caller);
  return member;
}

/** Throws `invalid` if the model does not have a member of an order, or its granularity. */
export function requireOrderMember(context: QueryContext, id: string): void {
  const [, , ...granularity] = id.split(".");
  const member = resolveShown(context.model, id, {
    kinds: granularity.length > 0 ? ["dimension"] : ["dimension", "measure"],
    isShown: (one) => isVisible(one, context.caller),
  });
  if (granularity.length > 0) bucketSql(member, { granularity: granularity.join(".") }, context);
}

/** Writes the mask of a value that an access policy hides: null if the model does not declare one. */
export function maskSql(mask: Mask | undefined, type: string, context: QueryContext): Sql {
  if (mask && "sql" in mask) return templateSql(mask.sql, context);
  const types: Readonly<Record<string, string>> = {
    number: "DOUBLE PRECISION",
    boolean: "BOOLEAN",
    time: "TIMESTAMP",
  };
  const target = raw(types[type] ?? context.dialect.text);
  return sql`CAST(${bind(mask?.literal ?? null)} AS ${target})`;
}

/** Writes a dimension of a query, masked if the caller may not see its values. */
export function visibleDimension(
  context: QueryContext,
  member: QueryMember,
  granularity?: string,
): RowSql {
  const dimension = dimensionOf(context, member);
  const { model, caller } = context;
  if (isMasked(model, member, caller)) {
    const { mask } = dimension;
    const dependencies =
      mask && "sql" in mask
        ? templateDependencies(model, mask.sql, member.path)
        : { chains: [member.path], subQueries: [] };
    return { sql: maskSql(mask, dimension.type, context), dependencies };
  }
  const column = shiftColumn(dimensionSql(member, context), member, context);
  return {
    sql: granularity === undefined ? column : bucketSql(member, { granularity, column }, context),
    dependencies: dependenciesOf(model, [member]),
  };
}

/** Writes the date range of a time dimension; undefined without one. */
export function rangeCondition(
  context: QueryContext,
  { dimension, dateRange }: QueryTimeDimension,
): RowSql | undefined {
  if (dateRange === undefined) return undefined;
  const member = visibleMember(context, dimension, ["dimension"]);
  if (dimensionOf(context, member).type !== "time") {
    throw new Failure("invalid", `${dimension} is not a time dimension and has no date range`);
  }
  const column = visibleDimension(context, member);
  return {
    sql: rangeSql(sql`(${column.sql})`, localRange(dateRange), context.clock),
    dependencies: column.dependencies,
  };
}

/** Reads the bounds of a normalized range. */
export function localRange([from, to]: readonly [string, string]): LocalRange {
  return [Date.parse(`${from}Z`), Date.parse(`${to}Z`)];
}

/** Writes the filters on dimensions, the segments, and the row filters of the views of a query. */
export function rowConditions(
  context: QueryContext,
  query: NormalizedQuery,
  members: readonly QueryMember[],
): readonly RowSql[] {
  const found: RowSql[] = [];
  const used = [...members];
  for (const filter of query.filters) {
    if (filterKind(context, filter) === "measure") {
      // A comparison of a measure reveals as much about rows as the measure.
      used.push(...filteredMeasures(context, filter));
      continue;
    }
    const { condition, filtered } = dimensionCondition(context, filter);
    if (condition) found.push(condition);
    used.push(...filtered);
  }
  for (const name of query.segments) {
    const segment = visibleMember(context, name, ["segment"]);
    used.push(segment);
    found.push({
      sql: segmentSql(segment, context),
      dependencies: dependenciesOf(context.model, [segment]),
    });
  }
  return [...found, ...viewConditions(context, used)];
}

/** Returns whether a filter is about rows or about aggregates. Throws `invalid` if it mixes both. */
export function filterKind(context: QueryContext, filter: QueryFilter): "dimension" | "measure" {
  const kinds = new Set(
    memberFilters(filter).map(({ member, operator }) => {
      const { kind } = visibleMember(context, member, ["dimension", "measure"]);
      // A measureFilter applies the filters of the measure to rows.
      return kind === "measure" && operator !== "measureFilter" ? "measure" : "dimension";
    }),
  );
  if (kinds.size > 1) {
    throw new Failure(
      "invalid",
      `You cannot use dimension and measure in same condition: ${JSON.stringify(filter)}`,
    );
  }
  return kinds.has("measure") ? "measure" : "dimension";
}

/** Returns the measures of a filter on aggregates. */
export function filteredMeasures(
  context: QueryContext,
  filter: QueryFilter,
): readonly QueryMember[] {
  return memberFilters(filter).map(({ member }) => visibleMember(context, member, ["measure"]));
}

function dimensionCondition(
  context: QueryContext,
  filter: QueryFilter,
): { readonly condition: RowSql | undefined; readonly filtered: readonly QueryMember[] } {
  const filtered: QueryMember[] = [];
  const dependencies: Dependencies[] = [];
  const condition = filterCondition(filter, ({ member: name, operator, values }) => {
    const member = visibleMember(context, name, ["dimension", "measure"]);
    filtered.push(member);
    if (member.kind === "measure") {
      // The matching rows would reveal the value that the mask hides.
      if (isMasked(context.model, member, context.caller)) throw hiddenFailure(member);
      dependencies.push(dependenciesOf(context.model, [member]));
      const { filters } = measureOf(context.model, member);
      return allOf(filters.map((one) => templateSql(one, context)));
    }
    const { type } = dimensionOf(context, member);
    const column = visibleDimension(context, member);
    dependencies.push(column.dependencies);
    return comparisonSql({ expression: sql`(${column.sql})`, type, operator, values }, context);
  });
  return {
    condition: condition && { sql: condition, dependencies: mergeDependencies(dependencies) },
    filtered,
  };
}

/**
 * Writes the row filters of the views whose members a query uses. The row filters of cubes apply where a cube is read.
 */
function viewConditions(context: QueryContext, members: readonly QueryMember[]): readonly RowSql[] {
  const { views } = context.model;
  const names = new Set(members.map(({ subject }) => subject.name));
  return [...names].flatMap((name): readonly RowSql[] => {
    const view = views.get(name)?.view;
    if (view === undefined) return [];
    const condition = policyCondition(policiesFor(view, context.caller), context, (member) =>
      resolveMember(context.model, member, ["dimension", "measure"]),
    );
    if (condition === undefined) return [];
    return [{ sql: condition.condition, dependencies: condition.dependencies }];
  });
}

/**
 * Returns the conditions that FILTER_PARAMS inserts for a member: the date ranges and the filters that every row must
 * match.
 */
export function pushedFilters(
  context: QueryContext,
  query: NormalizedQuery,
): QueryContext["pushedFilters"] {
  const conditions = new Map<string, ((column: Sql) => Sql)[]>();
  const add = (name: string, condition: (column: Sql) => Sql) => {
    const member = visibleMember(context, name, ["dimension", "measure"]);
    // A filter on a masked value does not restrict the column.
    if (member.kind === "measure" || isMasked(context.model, member, context.caller)) return;
    const shifted = (column: Sql) => condition(shiftColumn(column, member, context));
    for (const key of new Set([name, `${member.cube}.${member.member}`])) {
      const known = conditions.get(key);
      if (known) known.push(shifted);
      else conditions.set(key, [shifted]);
    }
  };
  for (const { dimension, dateRange } of query.timeDimensions) {
    if (dateRange === undefined) continue;
    add(dimension, (column) => rangeSql(column, localRange(dateRange), context.clock));
  }
  for (const { member, operator, values } of query.filters.flatMap(requiredFilters)) {
    const resolved = resolveMember(context.model, member, ["dimension", "measure"]);
    if (resolved.kind === "measure") continue;
    const { type } = dimensionOf(context, resolved);
    add(member, (column) => comparisonSql({ expression: column, type, operator, values }, context));
  }
  return (name, column) => (conditions.get(name) ?? []).map((condition) => condition(column));
}

/** Returns the filters on members that every row must match. */
function requiredFilters(filter: QueryFilter): readonly MemberFilter[] {
  if ("member" in filter) return [filter];
  return "and" in filter ? filter.and.flatMap(requiredFilters) : [];
}

/** Returns the filters on members in all groups of a filter. */
function memberFilters(filter: QueryFilter): readonly MemberFilter[] {
  if ("member" in filter) return [filter];
  return ("and" in filter ? filter.and : filter.or).flatMap(memberFilters);
}
