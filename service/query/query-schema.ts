// Queries as clients send them, and as the planner reads them.
import type { Static } from "typebox";
import type {
  cacheModes,
  FilterSchema,
  QuerySchema,
  rowFilterOperators,
} from "../../api/query-schema.ts";
import type { DimensionPath, IncludedFilter } from "../model/types.ts";

/** An operator of a filter. */
export type FilterOperator = (typeof rowFilterOperators)[number];

/** Whether a kept result answers a query. */
export type CacheMode = (typeof cacheModes)[number];

/** A query as sent. */
export type QueryInput = Static<typeof QuerySchema>;

/** A filter from a client. */
export type FilterInput = Static<typeof FilterSchema>;

/** A filter on one member. */
export interface MemberFilter {
  readonly member: string;
  readonly operator: FilterOperator;
  readonly values: readonly (string | null)[];
}

/** A filter of a normalized query. */
export type QueryFilter =
  | MemberFilter
  | { readonly and: readonly QueryFilter[] }
  | { readonly or: readonly QueryFilter[] };

/** A time dimension of a normalized query. `dateRange` holds calendar times in the zone of the query. */
export interface QueryTimeDimension {
  readonly dimension: string;
  readonly granularity?: string;
  readonly dateRange?: readonly [string, string];
}

/** A validated query with its defaults. */
export interface NormalizedQuery {
  readonly measures: readonly string[];
  readonly dimensions: readonly string[];
  readonly segments: readonly string[];
  readonly timeDimensions: readonly QueryTimeDimension[];
  readonly filters: readonly QueryFilter[];
  readonly order: readonly { readonly id: string; readonly desc: boolean }[];
  readonly limit: number;
  readonly rowLimit: number;
  readonly offset?: number;
  readonly timezone: string;
  readonly total?: true;
  readonly ungrouped?: true;
  /** Whether ungrouped rows of dimensions may be equal, as those of SQL. */
  readonly allowsEqualRows?: true;
  readonly renewQuery?: true;
  readonly cache?: CacheMode;
  readonly joinHints?: readonly (readonly string[])[];
  readonly responseFormat?: "default" | "compact" | "columnar";
}

/** A filter that a measure adds, on the dimensions that it names. */
interface AddedFilter {
  readonly filter: IncludedFilter;
  readonly members: readonly DimensionPath[];
}

/** A query with the filters that apply to some of its measures. */
export interface FilteredQuery {
  /** The query with all its filters. */
  readonly sent: NormalizedQuery;
  /** The query without the filters that do not apply. */
  readonly query: NormalizedQuery;
  readonly included: readonly AddedFilter[];
}
