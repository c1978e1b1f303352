// The filters of a query, as multi-stage measures with `filter` change them for the measures that they use. Row filters of
// access policies are no filters of a query, and nothing changes them.
import { Failure } from "../../core/errors.ts";
import type { IncludedFilter, StageFilter } from "../model/types.ts";
import { comparisonSql, filterCondition } from "./conditions.ts";
import { dependenciesOf } from "./dependencies.ts";
import { dimensionOf, dimensionSql, isMultiStage } from "./member-sql.ts";
import { type MemberRef, memberRef, nameOf } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import type { FilteredQuery, NormalizedQuery, QueryFilter } from "./query-schema.ts";
import { filterKind, memberFilters, type RowSql, visibleMember } from "./selection.ts";
import { type Sql, sql } from "./sql-fragments.ts";

/** Returns a query with its filters. */
export function unchanged(query: NormalizedQuery): FilteredQuery {
  return { sent: query, query, included: [] };
}

/** Returns a query with the filters that a measure leaves and adds. Throws `invalid` for a filter that it leaves in part. */
export function changeFilters(
  context: QueryContext,
  filtered: FilteredQuery,
  { isFixed, keepOnly, exclude, include, members }: StageFilter,
): FilteredQuery {
  const { sent, query, included } = isFixed ? unchanged(filtered.sent) : filtered;
  const isKept = (name: string) =>
    (keepOnly === undefined || keepOnly.includes(name)) && !exclude.includes(name);
  const isMemberKept = (name: string) => {
    const { cube, member } = visibleMember(context, name, ["dimension", "measure", "segment"]);
    return isKept(`${cube}.${member}`);
  };
  const added = include.map((filter) => {
    const names = new Set(memberFilters(filter).map(({ member }) => member));
    return { filter, members: members.filter((one) => names.has(nameOf(one))) };
  });
  return {
    sent,
    query: {
      ...query,
      filters: query.filters.flatMap((filter) =>
        filterKind(context, filter) === "measure" ? [filter] : keptParts(filter, isMemberKept),
      ),
      segments: query.segments.filter(isMemberKept),
      timeDimensions: query.timeDimensions.map(({ dateRange, ...time }) => ({
        ...time,
        ...(dateRange && isMemberKept(time.dimension) && { dateRange }),
      })),
    },
    included: [
      ...included.flatMap(({ filter, members: own }) =>
        keptParts(filter, isKept).map((part) => ({ filter: part, members: own })),
      ),
      ...added,
    ],
  };
}

/** Returns the parts of a filter that stay. Throws `invalid` for a part that would stay in part: `by` leaves filters out. */
export function keptParts<F extends QueryFilter | IncludedFilter>(
  filter: F,
  isKept: (member: string) => boolean,
  by = "a measure of the query",
): readonly F[] {
  if ("and" in filter)
    return (filter.and as readonly F[]).flatMap((one) => keptParts(one, isKept, by));
  const kept = memberFilters(filter).map(({ member }) => isKept(member));
  if (!kept.includes(false)) return [filter];
  if (!kept.includes(true)) return [];
  throw new Failure(
    "invalid",
    `${by} leaves out filters of some members in ${JSON.stringify(filter)}, and not of others; filter them apart`,
  );
}

/** Returns whether some filters that applied before do not apply any more. */
export function isWider(changed: FilteredQuery, before: FilteredQuery): boolean {
  const conditions = ({ query, included }: FilteredQuery) => [
    ...query.filters.flatMap(conjuncts),
    ...query.segments,
    ...query.timeDimensions.map(({ dimension, dateRange }) => dateRange && [dimension, dateRange]),
    ...included.flatMap(({ filter }) => conjuncts(filter)),
  ];
  const left = new Set(conditions(changed).map((one) => JSON.stringify(one)));
  return conditions(before).some((one) => !left.has(JSON.stringify(one)));
}

/** Throws `invalid` for a dimension over measures that have the filters of the query, where a measure changes them. */
export function requireSameGroups(
  context: QueryContext,
  filtered: FilteredQuery,
  subQueries: readonly MemberRef[],
): void {
  const before = unchanged(filtered.sent);
  if (!isWider(filtered, before) && !isWider(before, filtered)) return;
  const group = subQueries.find(
    (one) => dimensionOf(context, one).propagatesFilters === true || isMultiStage(one, context),
  );
  if (group === undefined) return;
  throw new Failure(
    "invalid",
    `${nameOf(group)} follows the filters of the query, and a measure of the query changes them; query them apart`,
  );
}

function conjuncts(
  filter: QueryFilter | IncludedFilter,
): readonly (QueryFilter | IncludedFilter)[] {
  return "and" in filter ? filter.and.flatMap(conjuncts) : [filter];
}

/** Writes the filters that measures add. They read the values of a row, as the `filters` of a measure do. */
export function includedConditions(
  context: QueryContext,
  { included }: FilteredQuery,
): readonly RowSql[] {
  return included.flatMap(({ filter, members }) => {
    const condition = filterCondition(filter, ({ member, operator, values }): Sql => {
      const ref = memberRef(member);
      const { type } = dimensionOf(context, ref);
      const expression = sql`(${dimensionSql(ref, context)})`;
      return comparisonSql({ expression, type, operator, values }, context);
    });
    return condition
      ? [{ sql: condition, dependencies: dependenciesOf(context.model, members) }]
      : [];
  });
}
