// Date ranges of queries: absolute and relative texts to calendar times in the zone of the query.
import * as chrono from "chrono-node";
import { type CalendarUnit, calendarUnits } from "../../core/text/calendar-units.ts";
import { Failure } from "../../core/errors.ts";
import { addUnits, startOf, timeBounds, toLocal } from "./local-time.ts";

/** The current time, and the time zone of a query. */
export interface Clock {
  readonly now: Date;
  readonly timezone: string;
}

/** The first and the last millisecond of a range, as calendar times. */
export type LocalRange = readonly [from: number, to: number];

/** Maximum number of characters of a date. */
const dateTextMax = 200;

/** Returns a text with single spaces, so that a pattern needs no repeated ones. */
function cleanText(text: string): string {
  if (text.length <= dateTextMax) return text.replace(/\s+/g, " ").trim();
  const start = text.slice(0, 20);
  throw new Failure(
    "invalid",
    `Can't parse date: '${start}…' has more than ${dateTextMax} characters`,
  );
}

/** Returns the range of `dateRange`. Throws `invalid` if a text is not a date of the years 1 to 9999. */
export function resolveDateRange(value: string | readonly string[], clock: Clock): LocalRange {
  if (typeof value === "string") return bounded(value, resolveText(value, clock));
  const [from = "", to = from] = value;
  return [resolveDate(from, clock)[0], resolveDate(to, clock)[1]];
}

const unitPattern = `(${calendarUnits.join("|")})`;
const patterns = {
  current: new RegExp(`(this|last|next) ${unitPattern}\\b`),
  several: new RegExp(`(last|next) (\\d{1,6}) ${unitPattern}s?\\b`),
  day: /\b(today|yesterday|tomorrow)\b/,
  between: /^from (.+) to (.+)$/,
  absolute:
    /^\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:z|[+-]\d{2}:?\d{2})?)?$/i,
};

/** Returns whether a text names a date independently of the current time, such as `2026-01-31`. */
export function isAbsolute(text: string): boolean {
  return patterns.absolute.test(text.trim());
}

/** Returns the range of one date: a day, or the millisecond of a time. */
export function resolveDate(text: string, clock: Clock): LocalRange {
  const trimmed = cleanText(text);
  const isText = !patterns.absolute.test(trimmed);
  return bounded(text, isText ? resolveText(trimmed, clock) : resolveAbsolute(trimmed));
}

function resolveAbsolute(trimmed: string): LocalRange {
  const date = trimmed.slice(0, 10);
  const midnight = new Date(`${date}T00:00:00Z`);
  // JavaScript's parser reads 30 February as a day of March.
  const isDate = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
  if (!isDate) throw notADate(trimmed);
  const isDay = trimmed.length === 10;
  const hasZone = /(?:z|[+-]\d{2}:?\d{2})$/i.test(trimmed.slice(10));
  const time = Date.parse(
    `${trimmed.replace(" ", "T")}${isDay ? "T00:00:00Z" : hasZone ? "" : "Z"}`,
  );
  if (Number.isNaN(time)) throw notADate(trimmed);
  return isDay ? whole("day", time) : [time, time];
}

function resolveText(text: string, clock: Clock): LocalRange {
  const lower = cleanText(text).toLowerCase();
  const now = toLocal(clock.now.getTime(), clock.timezone);
  const current = patterns.current.exec(lower);
  if (current) {
    const unit = current[2] as CalendarUnit;
    const shift = { this: 0, last: -1, next: 1 }[current[1] as "this" | "last" | "next"];
    return whole(unit, addUnits(startOf(unit, now), shift, unit));
  }
  const several = patterns.several.exec(lower);
  if (several) {
    const unit = several[3] as CalendarUnit;
    const start = startOf(unit, now);
    const count = Number(several[2]);
    if (several[1] === "last") return [addUnits(start, -count, unit), start - 1];
    return [addUnits(start, 1, unit), addUnits(start, count + 1, unit) - 1];
  }
  const day = patterns.day.exec(lower);
  if (day) {
    const shift = { today: 0, yesterday: -1, tomorrow: 1 }[
      day[1] as "today" | "yesterday" | "tomorrow"
    ];
    return whole("day", addUnits(now, shift, "day"));
  }
  const between = patterns.between.exec(lower);
  if (between) {
    const [, from = "", to = ""] = between;
    const unit = unitIn(lower);
    return [parseText(from, clock, unit)[0], parseText(to, clock, unit)[1]];
  }
  return parseText(lower, clock, unitIn(lower));
}

function whole(unit: CalendarUnit, time: number): LocalRange {
  const start = startOf(unit, time);
  return [start, addUnits(start, 1, unit) - 1];
}

/** Returns the smallest unit of time that a text names: the end of `from 2 hours ago to now` is that of the hour. */
function unitIn(text: string): CalendarUnit {
  const units = ["second", "minute", "hour"] as const;
  return units.find((unit) => new RegExp(`\\b${unit}s?\\b`).test(text)) ?? "day";
}

/** Parses English, such as `7 days ago`, to a whole unit. */
function parseText(text: string, clock: Clock, unit: CalendarUnit): LocalRange {
  if (isAbsolute(text)) return resolveDate(text, clock);
  const local = toLocal(clock.now.getTime(), clock.timezone);
  // The parser gets the local time of the query as UTC, so that its parts belong to the calendar of the query.
  const reference = { instant: new Date(local), timezone: 0 };
  const found = chrono.parse(text, reference)[0];
  if (found === undefined) throw notADate(text);
  const part = (name: "year" | "month" | "day" | "hour" | "minute" | "second") =>
    found.start.get(name) ?? 0;
  const midnight = Date.UTC(part("year"), part("month") - 1, part("day"));
  const time =
    midnight + part("hour") * 3_600_000 + part("minute") * 60_000 + part("second") * 1000;
  return whole(unit, time);
}

function bounded(text: string, range: LocalRange): LocalRange {
  const [first, last] = timeBounds;
  // Also false for NaN.
  if (range.every((time) => time >= first && time <= last)) return range;
  throw new Failure("invalid", `Can't parse date: '${text}' is not in the years 1 to 9999`);
}

function notADate(text: string): Failure {
  return new Failure("invalid", `Can't parse date: '${text}'`);
}
