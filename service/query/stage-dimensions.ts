// Dimensions over measures: those with `sub_query`, and multi-stage dimensions, which classify the groups of a query.
import { dependenciesOf, referencesIn } from "./dependencies.ts";
import { filteredValue, type Grouping } from "./grouped-source.ts";
import { groupedSource, withAggregates } from "./grouping.ts";
import { leavesOf, measureOverColumns } from "./measures.ts";
import { dimensionOf, subQueryAlias, templateSql } from "./member-sql.ts";
import { cubeOf, type MemberRef } from "./model-index.ts";
import type { JoinedDimension, QueryContext } from "./query-context.ts";
import type { NormalizedQuery } from "./query-schema.ts";
import { viewFilters, visibleMember } from "./selection.ts";
import { allOf, joinSql, numbered, raw, type Sql, sql } from "./sql-fragments.ts";
import { keptParts } from "./stage-filters.ts";

/** The query for a dimension over measures: the groups as `d0`, `d1`, …, and its value as `v`. */
export interface DimensionQuery {
  readonly query: Sql;
  /** The cubes that it reads. */
  readonly cubes: readonly string[];
}

/** Writes the query for a dimension over the measures of groups. */
export function dimensionQuery(
  ref: MemberRef,
  context: QueryContext,
  groups: Grouping,
): DimensionQuery {
  const { sql: own = [] } = dimensionOf(context, ref);
  const { members } = referencesIn(own);
  const grouping = withAggregates(groups, dependenciesOf(context.model, members));
  const source = groupedSource(context, grouping, leavesOf(context.model, members));
  const value = templateSql(own, context, (measure) =>
    measureOverColumns(measure, context, source.column),
  );
  const keys = numbered(
    "d",
    groups.dimensions.map((_, index) => source.dimension(index)),
  );
  return {
    query: sql`${source.prefix}SELECT ${joinSql([...keys, sql`${value} AS v`], ", ")} FROM ${source.from}`,
    cubes: source.cubes,
  };
}

/** Joins the value of a dimension to the rows of each group; `groups` are the SQL of its keys over these rows. */
export function joinedByGroup(
  ref: MemberRef,
  { query }: DimensionQuery,
  { context, groups }: { readonly context: QueryContext; readonly groups: readonly Sql[] },
): JoinedDimension {
  const filters = viewFilters(context).map((one) => one.sql);
  const matches = groups.map((group, index) => {
    const key = filteredValue({ rowFilters: filters }, sql`(${group})`);
    return context.dialect.isSame(key, sql`${subQueryAlias(ref)}.d${raw(String(index))}`);
  });
  return { query, on: matches.length === 0 ? [] : allOf(matches) };
}

/**
 * Returns a query without its multi-stage dimensions and measures: its groups are what multi-stage dimensions classify.
 * Throws `invalid` for a filter of which only a part is on a multi-stage dimension.
 */
export function withoutStages(
  context: Pick<QueryContext, "model" | "caller">,
  query: NormalizedQuery,
): NormalizedQuery {
  const isOther = (name: string) => {
    const { cube, member } = visibleMember(context, name, ["dimension", "measure"]);
    return cubeOf(context.model, cube).dimensions.get(member)?.addGroupBy === undefined;
  };
  return {
    ...query,
    measures: [],
    dimensions: query.dimensions.filter(isOther),
    timeDimensions: query.timeDimensions.filter(({ dimension }) => isOther(dimension)),
    filters: query.filters.flatMap((filter) =>
      keptParts(filter, isOther, "a multi-stage dimension of the query"),
    ),
  };
}
