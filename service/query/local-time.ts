// Calendar times without a zone, represented as UTC milliseconds, and their conversion to and from zones.
import { type CalendarUnit, calendarUnits } from "../../core/text/calendar-units.ts";
import { canonicalZone } from "../../core/text/time-zones.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const unitMs = { second: 1000, minute: 60_000, hour: hourMs, day: dayMs, week: 7 * dayMs } as const;
const unitMonths = { month: 1, quarter: 3, year: 12 } as const;

/** Returns the start of the unit that contains a time. Weeks start on Monday. */
export function startOf(unit: CalendarUnit, time: number): number {
  if (unit === "month" || unit === "quarter" || unit === "year") {
    const date = new Date(time);
    const month = date.getUTCMonth() - (date.getUTCMonth() % unitMonths[unit]);
    return utc(date.getUTCFullYear(), month);
  }
  // 5 January 1970 was a Monday.
  const origin = unit === "week" ? 4 * dayMs : 0;
  return Math.floor((time - origin) / unitMs[unit]) * unitMs[unit] + origin;
}

/** Adds a number of units to a time. A day that the month does not have becomes its last day. */
export function addUnits(time: number, count: number, unit: CalendarUnit): number {
  if (unit !== "month" && unit !== "quarter" && unit !== "year") return time + count * unitMs[unit];
  const date = new Date(time);
  const months = date.getUTCMonth() + count * unitMonths[unit];
  const first = utc(date.getUTCFullYear(), months);
  const days = (utc(date.getUTCFullYear(), months + 1) - first) / dayMs;
  const rest = time - utc(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  return first + (Math.min(date.getUTCDate(), days) - 1) * dayMs + rest;
}

/** Returns the time of a date. `Date.UTC` reads years below 100 as years of the 20th century. */
function utc(year: number, month: number, day = 1): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

const intervalPart = new RegExp(`(-?\\d+) (${calendarUnits.join("|")})s?`, "g");

/** Parses an interval of a data model, such as `1 month -2 days`. */
export function parseInterval(
  text: string,
): readonly { readonly count: number; readonly unit: CalendarUnit }[] {
  return [...text.matchAll(intervalPart)].map(([, count, unit]) => ({
    count: Number(count),
    unit: unit as CalendarUnit,
  }));
}

/** Adds an interval, or with the sign -1 subtracts it. */
export function addInterval(time: number, interval: string, sign: 1 | -1 = 1): number {
  return parseInterval(interval).reduce(
    (at, { count, unit }) => addUnits(at, count * sign, unit),
    time,
  );
}

/** Returns the length of an interval. The compiler allows either months or shorter units. */
export function lengthOf(
  interval: string,
): { readonly months: number } | { readonly seconds: number } {
  const months = { month: 1, quarter: 3, year: 12 } as const;
  const parts = parseInterval(interval);
  if (parts.every(({ unit }) => unit in months)) {
    const inMonths = ({ count, unit }: (typeof parts)[number]) =>
      count * months[unit as keyof typeof months];
    return { months: parts.reduce((sum, part) => sum + inMonths(part), 0) };
  }
  return { seconds: addInterval(0, interval) / 1000 };
}

/** The first and the last millisecond that databases and ISO 8601 write alike: years 1 to 9999. */
export const timeBounds = [utc(1, 0), utc(10_000, 0) - 1] as const;

/**
 * Prints a time as `2026-01-31T23:59:59.999`. A time outside the years 1 to 9999 becomes the first or the last time.
 */
export function printTime(time: number): string {
  const [first, last] = timeBounds;
  return new Date(Math.min(Math.max(time, first), last)).toISOString().slice(0, -1);
}

/** Returns the canonical name of a time zone; undefined for an unknown name and for an offset such as `+02:00`. */
export function zoneNamed(name: string): string | undefined {
  return /^[A-Za-z]/.test(name) ? canonicalZone(name) : undefined;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  // The size is bounded by the zones of the runtime, because zones of queries have canonical names.
  formats.set(timeZone, format);
  return format;
}

/** Returns the calendar time in a zone of an instant in milliseconds. */
export function toLocal(instant: number, timeZone: string): number {
  if (timeZone === "UTC") return instant;
  const seconds = Math.floor(instant / 1000) * 1000;
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(seconds)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const midnight = utc(year, month - 1, day);
  return midnight + hour * hourMs + minute * 60_000 + second * 1000 + (instant - seconds);
}

/**
 * Returns the first or the last instant that has a calendar time in a zone: clocks that go back show it twice. For a
 * time that a change of clocks skips, the first instant is the millisecond of the change, and the last one is the
 * millisecond before it.
 */
export function toInstant(
  local: number,
  timeZone: string,
  edge: "first" | "last" = "first",
): number {
  if (timeZone === "UTC") return local;
  const at = (instant: number) => local - (toLocal(instant, timeZone) - instant);
  const both = [at(local - dayMs), at(local + dayMs)] as const;
  const found = both.filter((one) => toLocal(one, timeZone) === local);
  if (found.length > 0) return edge === "first" ? Math.min(...found) : Math.max(...found);
  let [after, before] = both;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (toLocal(middle, timeZone) < local) before = middle;
    else after = middle;
  }
  return edge === "first" ? after : before;
}
