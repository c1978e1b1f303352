// Turns conditions on times into date ranges, which running measures and pre-aggregations need.
import type { JsonObject } from "../../core/json.ts";
import { resolveDate } from "../query/date-range.ts";
import { printTime, toInstant } from "../query/local-time.ts";

/** The members of a query that restrict times. */
interface RangedMembers {
  readonly timeDimensions: readonly JsonObject[];
  readonly filters: readonly JsonObject[];
}

/** What decides whether conditions become a range. */
interface RangeContext {
  readonly timezone: string;
  readonly isTime: (member: string) => boolean;
}

/**
 * Returns the time dimensions with a date range in place of the two filters `time >= start` and `time < end`, where both
 * select the same rows.
 */
export function withDateRanges(
  timeDimensions: readonly { readonly dimension: string; readonly granularity: string }[],
  filters: readonly JsonObject[],
  { timezone, isTime }: RangeContext,
): RangedMembers {
  const clock = { now: new Date(0), timezone };
  const bound = (name: string, operator: string) => {
    const [filter, other] = filters.filter(
      (one) => one.member === name && one["operator"] === operator,
    );
    const [text] = filter && !other && Array.isArray(filter["values"]) ? filter["values"] : [];
    return typeof text === "string" ? resolveDate(text, clock)[0] : undefined;
  };
  const ranges = new Map<string, string[]>();
  for (const { member } of filters) {
    if (typeof member !== "string" || !isTime(member)) continue;
    const [from, end] = [bound(member, "gte"), bound(member, "lt")];
    if (from === undefined || end === undefined) continue;
    const last = end - 1;
    // A range includes the microseconds of its last millisecond at the end of a second only.
    const isSame = toInstant(end, timezone) - 1 === toInstant(last, timezone, "last");
    if (end % 1000 === 0 && isSame) ranges.set(member, [printTime(from), printTime(last)]);
  }
  const names = timeDimensions.map(({ dimension }) => dimension);
  return {
    timeDimensions: [
      ...timeDimensions.map((time, index) => {
        const dateRange = ranges.get(time.dimension);
        const isFirst = names.indexOf(time.dimension) === index;
        return dateRange && isFirst ? { ...time, dateRange } : time;
      }),
      ...[...ranges]
        .filter(([dimension]) => !names.includes(dimension))
        .map(([dimension, dateRange]) => ({ dimension, dateRange })),
    ],
    filters: filters.filter(
      ({ member, operator }) =>
        typeof member !== "string" ||
        !ranges.has(member) ||
        (operator !== "gte" && operator !== "lt"),
    ),
  };
}
