// The groups of a query: the dimensions of the groups, and the column of each aggregate.
import type { CalendarUnit } from "../../core/text/calendar-units.ts";
import type { TimeShift } from "../model/types.ts";
import type { Dependencies } from "./dependencies.ts";
import type { MeasureWriter } from "./member-sql.ts";
import type { QueryContext } from "./query-context.ts";
import type { Sql } from "./sql-fragments.ts";

/** The time dimension that windows of running measures follow. */
export interface RollingTime {
  /** Calendar time of a row in the zone of the query. */
  readonly local: Sql;
  /** The range of the query, as calendar times. */
  readonly range: readonly [number, number];
  readonly granularity: CalendarUnit | undefined;
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
  /** Conditions on rows. */
  readonly conditions: readonly Sql[];
  /** Conditions on rows, without the range of {@link rolling}. */
  readonly conditionsWithoutRange: readonly Sql[];
  readonly dependencies: Dependencies;
  /** The cube from which the joins of the whole query start, so that all its stages group the same rows. */
  readonly root?: string | undefined;
  /** The time that running measures follow, or the reason why they cannot be computed. */
  readonly rolling: RollingTime | { readonly refusal: string } | undefined;
  /** Returns the same groups for the rows of another time; undefined if no time can be shifted. */
  readonly shifted:
    | ((shifts: readonly TimeShift[]) => {
        readonly context: QueryContext;
        readonly grouping: Grouping;
      })
    | undefined;
}

/** A FROM clause with one row for each group. */
export interface GroupedSource {
  /** Empty, or a WITH clause. */
  readonly prefix: Sql;
  readonly from: Sql;
  readonly dimension: (position: number) => Sql;
  readonly column: MeasureWriter;
  /** The cubes that are read, the root of the joins first. */
  readonly cubes: readonly string[];
}
