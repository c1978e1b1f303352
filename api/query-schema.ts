// The schema of queries as clients send them, and as reports and charts store them.
import { Type } from "typebox";
import { isObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { memberPath } from "../core/pointer.ts";
import { declaredValidator } from "../core/schema/validate.ts";
import { oneOf } from "../core/schema/traits.ts";
import { strictObject } from "./schemas.ts";

/** Operators of filters in queries, and of row filters in access policies. `measureFilter` applies the filters that a measure declares. */
export const rowFilterOperators = [
  "equals",
  "notEquals",
  "contains",
  "notContains",
  "startsWith",
  "notStartsWith",
  "endsWith",
  "notEndsWith",
  "in",
  "notIn",
  "gt",
  "gte",
  "lt",
  "lte",
  "set",
  "notSet",
  "inDateRange",
  "notInDateRange",
  "onTheDate",
  "beforeDate",
  "beforeOrOnDate",
  "afterDate",
  "afterOrOnDate",
  "measureFilter",
] as const;

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

const validateQuery = declaredValidator(QuerySchema);
const validateFilter = declaredValidator(FilterSchema);

/** An error in the form of a query. */
interface QueryFormError {
  /** JSON Pointer into the query. */
  readonly path: string;
  readonly message: string;
  readonly remedy?: string;
}

/** Returns the first errors of a query that do not depend on a data model, with those of its filters. */
export function queryFormErrors(query: unknown): readonly QueryFormError[] {
  const found = [...validateQuery(query)];
  const { filters } = isObject(query) ? query : {};
  const waiting = [{ filters, at: "/filters" }];
  // The groups that are added are visited too: filters may nest too deep for recursion.
  for (const { filters: list, at } of waiting) {
    for (const [index, filter] of (Array.isArray(list) ? list : []).entries()) {
      if (found.length >= limits.diagnosticsShown) break;
      const errors = validateFilter(filter);
      found.push(...errors.map((one) => ({ ...one, path: `${at}/${index}${one.path}` })));
      if (!isObject(filter)) continue;
      for (const name of ["and", "or"])
        waiting.push({ filters: filter[name], at: `${at}/${index}/${name}` });
    }
  }
  return found.slice(0, limits.diagnosticsShown).map(({ path, message, remedy }) => ({
    path,
    message: `${memberPath("query", path)} ${message}`,
    ...(remedy !== undefined && { remedy }),
  }));
}
