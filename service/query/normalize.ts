// Validates queries and gives them their defaults. It does not depend on a data model.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { cacheModes, queryFormErrors } from "../../api/query-schema.ts";
import { type Clock, isAbsolute, resolveDateRange } from "./date-range.ts";
import { printTime, zoneNamed } from "./local-time.ts";
import type {
  FilterInput,
  NormalizedQuery,
  QueryFilter,
  QueryInput,
  QueryTimeDimension,
  CacheMode,
} from "./query-schema.ts";

const defaultLimit = 10_000;
/** The most rows that a query returns. */
export const largestLimit = 50_000;
/** Nesting of `and` and `or`. */
const filterDepth = 20;
/** Filters and groups of a query. */
const filtersMax = 1000;

/** Returns the queries of a request: one for each date range of `compareDateRange`, otherwise one. */
export function normalizeQueries(input: unknown, now: Date): readonly NormalizedQuery[] {
  const query = checkQuery(input);
  const compared = (query.timeDimensions ?? []).filter((one) => one.compareDateRange !== undefined);
  if (compared.length === 0) return [normalize(query, now)];
  if (compared.length > 1 || query.timeDimensions?.length !== 1) {
    throw invalid("compareDateRange can only exist for one timeDimension");
  }
  const [{ compareDateRange = [], ...time } = { dimension: "" }] = compared;
  if (time.dateRange !== undefined) {
    throw badQuery(`${time.dimension} has both dateRange and compareDateRange; keep one`);
  }
  if (compareDateRange.length > limits.queriesPerRequest) {
    throw invalid(`a request has at most ${limits.queriesPerRequest} queries`);
  }
  return compareDateRange.map((dateRange) =>
    normalize({ ...query, timeDimensions: [{ ...time, dateRange }] }, now),
  );
}

function checkQuery(input: unknown): QueryInput {
  const errors = queryFormErrors(input);
  if (errors.length > 0) {
    const texts = errors.map(({ message, remedy }) => [message, remedy].filter(Boolean).join(". "));
    throw badQuery(texts.join("; "));
  }
  return input as QueryInput;
}

function invalid(text: string): Failure {
  return new Failure("invalid", text);
}

function badQuery(detail: string): Failure {
  return invalid(`Invalid query format: ${detail}`);
}

function normalize(query: QueryInput, now: Date): NormalizedQuery {
  const { timezone: zone = "UTC", limit = defaultLimit, offset, total, ungrouped } = query;
  const timezone = requireZone(zone);
  if (limit > largestLimit)
    throw new Failure("limit_reached", "The query limit has been exceeded.");
  const clock = { now, timezone };
  const { measures = [], segments = [] } = query;
  const dimensions = (query.dimensions ?? []).filter((name) => name.split(".").length === 2);
  const timeDimensions = timeDimensionsOf(query, clock);
  const isEmpty = measures.length === 0 && dimensions.length === 0;
  if (isEmpty && timeDimensions.every((one) => one.granularity === undefined)) {
    throw invalid(
      "Query should contain either measures, dimensions or timeDimensions with granularities in order to be valid",
    );
  }
  const members = { measures: unique(measures), dimensions: unique(dimensions), timeDimensions };
  return {
    ...members,
    segments: unique(segments),
    filters: normalizeFilters(query.filters ?? []),
    order: orderOf(query.order, members),
    limit,
    rowLimit: limit,
    ...(offset !== undefined && { offset }),
    timezone,
    ...(total === true && { total }),
    ...(ungrouped === true && { ungrouped }),
    ...(query.renewQuery === true && { renewQuery: true }),
    ...(query.cache !== undefined && { cache: query.cache }),
    ...(query.joinHints !== undefined && { joinHints: query.joinHints }),
    ...(query.responseFormat !== undefined && { responseFormat: query.responseFormat }),
  };
}

/** Returns the canonical name of a time zone. Throws `invalid` for another text. */
export function requireZone(zone: string): string {
  const timezone = zoneNamed(zone);
  if (timezone !== undefined) return timezone;
  throw badQuery(`timezone ${JSON.stringify(zone)} is not a time zone; use an IANA name`);
}

/**
 * Returns the cache mode of a query, which decides whether a kept result answers it. The member `cache` of the request
 * replaces that of the query.
 */
export function cacheModeOf(sent: unknown, { cache, renewQuery }: NormalizedQuery): CacheMode {
  const [fallback] = cacheModes;
  const own = cacheModes.find((one) => one === sent) ?? cache;
  return own ?? (renewQuery === true ? "must-revalidate" : fallback);
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/** Returns the time dimensions, with those that `dimensions` names as `cube.time.granularity`. */
function timeDimensionsOf(query: QueryInput, clock: Clock): readonly QueryTimeDimension[] {
  const own = (query.timeDimensions ?? []).map(
    ({ dimension, granularity, dateRange }): QueryTimeDimension => ({
      dimension,
      ...(granularity !== undefined && { granularity }),
      ...(dateRange !== undefined && { dateRange: printRange(dateRange, clock) }),
    }),
  );
  const named = (query.dimensions ?? []).flatMap((name): readonly QueryTimeDimension[] => {
    const [cube, member, granularity] = name.split(".");
    return granularity === undefined ? [] : [{ dimension: `${cube}.${member}`, granularity }];
  });
  const seen = new Set(own.map(({ dimension, granularity }) => `${dimension}.${granularity}`));
  return [...own, ...named.filter((one) => !seen.has(`${one.dimension}.${one.granularity}`))];
}

function printRange(value: string | readonly string[], clock: Clock): readonly [string, string] {
  const [from, to] = resolveDateRange(value, clock);
  return [printTime(from), printTime(to)];
}

/** Checks the filters of a query, whose form is valid, one by one, with their number in all groups. */
function normalizeFilters(filters: readonly unknown[]): readonly QueryFilter[] {
  let left = filtersMax;
  const count = () => {
    if (--left < 0) throw badQuery(`a query has more than ${filtersMax} filters and groups`);
  };
  return filters.map((filter) => normalizeFilter(filter, 0, count));
}

function normalizeFilter(input: unknown, depth: number, count: () => void): QueryFilter {
  count();
  if (depth > filterDepth) throw badQuery(`filters nest deeper than ${filterDepth} levels`);
  const filter = input as FilterInput;
  const { member, dimension, operator, values = [], and, or } = filter;
  const forms = [member, dimension, and, or].filter((form) => form !== undefined);
  if (forms.length !== 1) {
    throw badQuery(`a filter needs exactly one of member, and, or: ${JSON.stringify(filter)}`);
  }
  const nested = (list: readonly unknown[]) =>
    list.map((one) => normalizeFilter(one, depth + 1, count));
  if (and) return { and: nested(and) };
  if (or) return { or: nested(or) };
  if (operator === undefined) {
    throw badQuery(`a filter needs an operator: ${JSON.stringify(filter)}`);
  }
  const isUnary = operator === "set" || operator === "notSet" || operator === "measureFilter";
  if (values.length === 0 && !isUnary) {
    throw invalid(`Values required for filter: ${JSON.stringify(filter)}`);
  }
  const texts = values.map((value) => (value === null ? null : String(value)));
  const isRange = operator === "inDateRange" || operator === "notInDateRange";
  const relative = texts.find((text) => text !== null && !isAbsolute(text));
  // A single text is a complete range; each of two bounds is a date.
  if (isRange && texts.length > 1 && relative != null) {
    throw invalid(`Can't parse date: '${relative}'; a filter with two values takes dates`);
  }
  return { member: member ?? dimension ?? "", operator, values: isUnary ? [] : texts };
}

/**
 * Returns the order of a query: the requested order, otherwise by time, otherwise by the first measure, otherwise by
 * the first dimension.
 */
function orderOf(
  order: QueryInput["order"],
  {
    measures,
    dimensions,
    timeDimensions,
  }: Pick<NormalizedQuery, "measures" | "dimensions" | "timeDimensions">,
): NormalizedQuery["order"] {
  if (order !== undefined) {
    const pairs = Array.isArray(order) ? order : Object.entries(order);
    return pairs.map(([id = "", direction = ""]) => {
      if (direction === "asc" || direction === "desc") return { id, desc: direction === "desc" };
      throw badQuery(`the order of ${id} is ${JSON.stringify(direction)}; use asc or desc`);
    });
  }
  const time = timeDimensions.find((one) => one.granularity !== undefined);
  if (time) return [{ id: time.dimension, desc: false }];
  if (measures[0] !== undefined) return [{ id: measures[0], desc: true }];
  return dimensions[0] === undefined ? [] : [{ id: dimensions[0], desc: false }];
}
