// Queries as clients send them, and as the planner reads them.
import { type Static, Type } from "typebox";
import { strictObject } from "../../api/schemas.ts";
import { oneOf } from "../../core/schema/traits.ts";
import { rowFilterOperators } from "../model/schema.ts";

const optional = Type.Optional;
const word = "[A-Za-z0-9_]+";
const Text = Type.String({ maxLength: 10_000 });
const Member = Type.String({ pattern: `^${word}\\.${word}$`, maxLength: 512 });
const Members = Type.Array(Member, { maxItems: 1000 });
const DateRange = Type.Union([Text, Type.Array(Text, { minItems: 1, maxItems: 2 })]);

const TimeDimension = strictObject({
  dimension: Member,
  granularity: optional(Type.String({ pattern: `^${word}$`, maxLength: 128 })),
  dateRange: optional(DateRange),
  compareDateRange: optional(Type.Array(DateRange, { minItems: 1, maxItems: 100 })),
});

/** An operator of a filter. `measureFilter` applies the filters that a measure declares. */
export type FilterOperator = (typeof rowFilterOperators)[number];

/** A filter. Nested filters are checked one by one. */
export const FilterSchema = strictObject({
  member: optional(Member),
  dimension: optional(Member),
  operator: optional(oneOf(rowFilterOperators)),
  values: optional(
    Type.Array(Type.Union([Text, Type.Number(), Type.Boolean(), Type.Null()]), {
      maxItems: 10_000,
    }),
  ),
  or: optional(Type.Array(Type.Unknown(), { maxItems: 1000 })),
  and: optional(Type.Array(Type.Unknown(), { maxItems: 1000 })),
});

/** Values of `cache`, the default first. */
export const cacheModes = [
  "stale-if-slow",
  "stale-while-revalidate",
  "must-revalidate",
  "no-cache",
] as const;

/** Whether a kept result answers a query. */
export type CacheMode = (typeof cacheModes)[number];

const Direction = oneOf(["asc", "desc"]);

/** A query. */
export const QuerySchema = strictObject({
  measures: optional(Members),
  dimensions: optional(
    Type.Array(Type.String({ pattern: `^${word}\\.${word}(?:\\.${word})?$`, maxLength: 640 }), {
      maxItems: 1000,
    }),
  ),
  segments: optional(Members),
  timeDimensions: optional(Type.Array(TimeDimension, { maxItems: 100 })),
  filters: optional(Type.Array(Type.Unknown(), { maxItems: 1000 })),
  order: optional(
    Type.Union([
      Type.Record(Type.String(), Direction, { maxProperties: 1000 }),
      // Pairs of a member and a direction.
      Type.Array(Type.Array(Text, { minItems: 2, maxItems: 2 }), { maxItems: 1000 }),
    ]),
  ),
  limit: optional(Type.Integer({ minimum: 0 })),
  offset: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  total: optional(Type.Boolean()),
  timezone: optional(Text),
  ungrouped: optional(Type.Boolean()),
  responseFormat: optional(oneOf(["default", "compact", "columnar"])),
  /** Whether a kept result is used; `renewQuery` is the same as `must-revalidate`. */
  cache: optional(oneOf(cacheModes)),
  renewQuery: optional(Type.Boolean()),
  /** Cubes that are joined one after the other, where several paths lead to the last one. */
  joinHints: optional(
    Type.Array(
      Type.Array(Type.String({ pattern: `^${word}$`, maxLength: 256 }), {
        minItems: 2,
        maxItems: 20,
      }),
      { maxItems: 100 },
    ),
  ),
});

/** A query as sent. */
export type QueryInput = Static<typeof QuerySchema>;

/** A filter as sent. */
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
  readonly renewQuery?: true;
  readonly cache?: CacheMode;
  readonly joinHints?: readonly (readonly string[])[];
  readonly responseFormat?: "default" | "compact" | "columnar";
}
