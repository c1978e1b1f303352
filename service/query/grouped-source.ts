// The groups of a query: the dimensions of the groups, and the column of each aggregate.
import type { MeasureStage } from "../model/types.ts";
import type { Dependencies } from "./dependencies.ts";
import type { JoinTree } from "./join-tree.ts";
import type { MeasureRef } from "./measures.ts";
import type { MemberRef } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import type { TimeGrid } from "./time-grid.ts";
import { allOf, canFail, type Sql, sql } from "./sql-fragments.ts";

/** The time dimension that windows of running measures follow. */
export interface RollingTime {
  /** Calendar time of a row in the zone of the query. */
  readonly local: Sql;
  /** The range of the query, as calendar times. */
  readonly range: readonly [number, number];
  readonly granularity: TimeGrid | undefined;
  /** Returns the intervals of a granularity of the time dimension. Throws `invalid` without one. */
  readonly gridOf: (granularity: string) => TimeGrid;
  /** The position of the time among the dimensions; undefined without a granularity. */
  readonly position: number | undefined;
}

/** A dimension that rows are grouped by. */
interface GroupedMember {
  /** `cube.dimension`. */
  readonly name: string;
  /** Set for a time in intervals. */
  readonly granularity?: string;
}

/** The grouping of rows. */
export interface Grouping {
  readonly dimensions: readonly Sql[];
  /** The member of each dimension; undefined for a dimension that no query names. */
  readonly members: readonly (GroupedMember | undefined)[];
  /** Conditions of the caller on rows. */
  readonly conditions: readonly Sql[];
  /** Conditions of the caller on rows, without the range of {@link rolling}. */
  readonly conditionsWithoutRange: readonly Sql[];
  /** The row filters of views, without which no condition of the caller may be evaluated. */
  readonly rowFilters: readonly Sql[];
  /** The members that they compare. */
  readonly filteredBy: readonly MemberRef[];
  /** For each measure that is masked in some rows: the condition on a row that shows its value. */
  readonly shown: readonly Sql[];
  readonly dependencies: Dependencies;
  /** The cube from which the joins of the whole query start, so that all its stages group the same rows. */
  readonly root?: string | undefined;
  /** The time that running measures follow, or the reason why they cannot be computed. */
  readonly rolling: RollingTime | { readonly refusal: string } | undefined;
  /** Returns the same groups for the rows of another time, or with other filters; undefined if nothing can change them. */
  readonly changed:
    | ((change: Pick<MeasureStage, "timeShift" | "filter">) => {
        readonly context: QueryContext;
        readonly grouping: Grouping;
        /** Whether rows are read that the filters of these groups leave out. */
        readonly isWider: boolean;
      })
    | undefined;
}

/** A FROM clause with one row for each group. */
export interface GroupedSource {
  /** Empty, or a WITH clause. */
  readonly prefix: Sql;
  readonly from: Sql;
  readonly dimension: (position: number) => Sql;
  readonly column: (leaf: MeasureRef) => Sql;
  /** Returns whether all rows of a group show the measure at a position of {@link Grouping.shown}. */
  readonly isShown: (position: number) => Sql;
  /** The cubes that are read, the root of the joins first. */
  readonly cubes: readonly string[];
  readonly tree: JoinTree;
}

/** Returns conditions on rows, none of which is evaluated for a row that the row filters hide. */
export function filteredConditions(
  { rowFilters }: Pick<Grouping, "rowFilters">,
  conditions: readonly Sql[],
): readonly Sql[] {
  const unsafe = conditions.filter(canFail);
  if (rowFilters.length === 0 || unsafe.length === 0) return [...rowFilters, ...conditions];
  // Databases evaluate the sides of AND in any order. The first conditions let them use an index.
  const filter = allOf(rowFilters);
  const others = conditions.filter((one) => !canFail(one));
  return [filter, ...others, sql`CASE WHEN ${filter} THEN ${allOf(unsafe)} ELSE FALSE END`];
}

/** Returns a value of a row, which is not evaluated for a row that the row filters hide. */
export function filteredValue({ rowFilters }: Pick<Grouping, "rowFilters">, value: Sql): Sql {
  if (rowFilters.length === 0 || !canFail(value)) return value;
  return sql`CASE WHEN ${allOf(rowFilters)} THEN ${value} END`;
}
