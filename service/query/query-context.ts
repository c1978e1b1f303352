// The context that every step of planning reads.
import type { SqlTemplate } from "../model/types.ts";
import type { QueryCaller } from "./access.ts";
import type { Clock } from "./date-range.ts";
import type { Dialect } from "./dialect.ts";
import type { MemberRef, ModelIndex } from "./model-index.ts";
import type { Dependencies } from "./dependencies.ts";
import type { JoinEdge } from "./join-tree.ts";
import type { QueryCost } from "./query-cost.ts";
import type { NamedMember } from "./used-members.ts";
import type { Sql } from "./sql-fragments.ts";
import type { UsedMembers } from "./used-members.ts";

/** An interval of a data model, and whether it is added (1) or subtracted (-1). */
export interface SignedInterval {
  readonly interval: string;
  readonly sign: 1 | -1;
}

/** A filter of a query on a member, without the member. */
export interface PushedFilter {
  /** Returns the condition on a column. */
  readonly onColumn: (column: Sql) => Sql;
  /** Returns as many values. Throws `invalid` if the filter is not a condition on exactly these values. */
  readonly values: (count: number) => readonly Sql[];
  /** Whether only rows with one value match. */
  readonly isOneValue: boolean;
}

/** The conditions of a query on rows, which `propagate_filters_to_sub_query` repeats in a subquery. */
export interface PropagatedFilters {
  readonly conditions: readonly Sql[];
  /** The row filters of views, without which no condition of the caller may be evaluated. */
  readonly rowFilters: readonly Sql[];
  readonly dependencies: Dependencies;
}

/** The data model, the caller and the database of a query. */
export interface QueryContext {
  readonly model: ModelIndex;
  readonly dialect: Dialect;
  readonly caller: QueryCaller;
  readonly clock: Clock;
  /** The members that the whole query uses, which decide about the rows that it reads. */
  readonly used: UsedMembers;
  /**
   * Set to hide rows before any column of them is compared: a column of a view in the database, or of another type than
   * its dimension, can fail for a row.
   */
  readonly hidesFirst?: boolean | undefined;
  /** Returns the filters of the query on a member, which `FILTER_PARAMS` inserts. */
  readonly pushedFilters: (name: string) => readonly PushedFilter[];
  /** Returns whether row filters of views hide rows of the cubes that the query reads. */
  readonly hasViewFilters: () => boolean;
  /** The values of the filter that a condition of `FILTER_PARAMS` takes. */
  readonly filterValues?: readonly Sql[];
  /** Intervals that a multi-stage measure adds to time dimensions of the query, by `cube.dimension`. */
  readonly timeShifts: ReadonlyMap<string, readonly SignedInterval[]>;
  /** The SQL of another time, in place of the primary key by which a calendar is joined, by cube. */
  readonly calendarShifts: ReadonlyMap<string, SqlTemplate>;
  /** A dimension in whose place SQL is written. */
  readonly replaced?: (MemberRef & { readonly sql: SqlTemplate }) | undefined;
  /** Counts the SQL that the whole query writes. */
  readonly cost: QueryCost;
  /** Set for rows that several callers and queries share: SQL that depends on them is refused. */
  readonly shared?: boolean;
  /** Returns the query that reads a cube, which `{cube.sql()}` inserts. */
  readonly cubeQuery: (cube: string) => Sql;
  /** Returns the conditions that a subquery repeats. */
  readonly propagatedFilters: () => PropagatedFilters;
  /** The members that the query names, whose views filter its rows. */
  readonly named: readonly NamedMember[];
  /**
   * Returns the cubes that the query joins whatever its row filters are: those of views on these stand beside the joins. Plans
   * the query without them.
   */
  readonly otherJoins?: () => ReadonlySet<string>;
  /** Each FROM clause of the statement adds its cubes. */
  readonly joined: Set<string>;
  /** Each read of the table or SQL of a cube adds its name. */
  readonly reads: string[];
  /** Each row filter that reads other cubes beside the joins of the query adds its joins. */
  readonly filterJoins: JoinEdge[];
  /** Returns the query for a dimension over measures, as it is joined to the rows of `outer`. */
  readonly subQuery: (dimension: MemberRef, outer: QueryContext) => JoinedDimension;
}

/** The values of a dimension, as they are joined to rows under its alias. */
export interface JoinedDimension {
  /** Has the value as `v`. */
  readonly query: Sql;
  /** The condition of the join; empty for a query of one row, which joins all. */
  readonly on: Sql;
}

/** The filters of the query around a subquery. */
export type OuterFilters = Pick<
  QueryContext,
  "pushedFilters" | "propagatedFilters" | "hasViewFilters"
>;
