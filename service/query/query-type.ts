// The types of requests: one query, one for each compared date range, or several that are blended by their time. Pure.
import { Failure } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import type { AddedMember } from "./answer.ts";
import { normalizeQueries } from "./normalize.ts";
import type { NormalizedQuery } from "./query-schema.ts";

/** The queries of a request. */
export interface RequestedQueries {
  readonly queryType: "regularQuery" | "compareDateRangeQuery" | "blendingQuery";
  readonly queries: readonly NormalizedQuery[];
}

/** Returns the queries of a request. Throws `invalid` for queries that cannot be combined. */
export function readRequestedQueries(sent: unknown, now: Date): RequestedQueries {
  if (Array.isArray(sent)) return { queryType: "blendingQuery", queries: blended(sent, now) };
  const isCompared =
    isObject(sent) &&
    Array.isArray(sent.timeDimensions) &&
    sent.timeDimensions.some((one) => isObject(one) && one.compareDateRange !== undefined);
  const queryType = isCompared ? "compareDateRangeQuery" : "regularQuery";
  return { queryType, queries: normalizeQueries(sent, now) };
}

function blended(sent: readonly unknown[], now: Date): readonly NormalizedQuery[] {
  if (sent.length === 0 || sent.length > limits.queriesPerRequest) {
    throw new Failure("invalid", `a request has 1 to ${limits.queriesPerRequest} queries`);
  }
  const queries = sent.map((one) => {
    const [query, ...more] = normalizeQueries(one, now);
    if (query === undefined || more.length > 0) {
      throw new Failure("invalid", "a query of several has no compareDateRange");
    }
    // Only a single query can have its own format.
    const { responseFormat: _, ...rest } = query;
    return rest;
  });
  const granularities = new Set(queries.map(granularityOf));
  if (granularities.has(undefined)) {
    throw new Failure("invalid", "Data blending query without granularity is not supported");
  }
  if (granularities.size > 1) {
    throw new Failure("invalid", "Data blending query granularities must match");
  }
  return queries;
}

function granularityOf({ timeDimensions }: NormalizedQuery): string | undefined {
  return timeDimensions.find(({ granularity }) => granularity !== undefined)?.granularity;
}

/** Returns the columns of a query's rows that are not members of the query. They identify the query of a row. */
export function addedMember(
  queryType: RequestedQueries["queryType"],
  query: NormalizedQuery,
): AddedMember | undefined {
  const [time] = query.timeDimensions;
  if (queryType === "compareDateRangeQuery") {
    return { name: "compareDateRange", value: time?.dateRange?.join(" - ") ?? "" };
  }
  if (queryType === "regularQuery") return undefined;
  const granularity = granularityOf(query) ?? "";
  const blendedTime = query.timeDimensions.find((one) => one.granularity === granularity);
  return {
    name: `time.${granularity}`,
    member: `${blendedTime?.dimension ?? ""}.${granularity}`,
  };
}

/** Returns the query that describes the rows of all queries. */
export function pivotQueryOf({ queryType, queries }: RequestedQueries): object {
  const [first] = queries;
  if (first === undefined) return { queryType };
  const { dimensions } = first;
  if (queryType === "regularQuery") return { ...first, queryType };
  if (queryType === "compareDateRangeQuery") {
    return { ...first, dimensions: ["compareDateRange", ...dimensions], queryType };
  }
  const unique = (names: readonly string[]) => [...new Set(names)];
  return {
    measures: unique(queries.flatMap((query) => query.measures)),
    dimensions: unique(queries.flatMap((query) => query.dimensions)),
    timeDimensions: [{ dimension: "time", granularity: granularityOf(first) }],
    queryType,
  };
}
