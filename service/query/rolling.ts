// Windows of running measures: the times that count for each interval of the time dimension.
import { type CalendarUnit, isCalendarUnit } from "../../core/text/calendar-units.ts";
import { Failure } from "../../core/errors.ts";
import { addInterval, addUnits, lengthOf, startOf } from "./local-time.ts";
import type { RollingWindow } from "./measures.ts";

/** The intervals of a granularity, which follow each other without gaps. */
export interface TimeGrid {
  /** The name of the granularity. */
  readonly name: string;
  /** Returns the start of the interval that contains a calendar time. */
  readonly startOf: (time: number) => number;
  /** Returns the start of the interval after the one that starts at a time. */
  readonly next: (start: number) => number;
}

/** Returns the intervals of a default granularity. */
export function calendarGrid(unit: CalendarUnit): TimeGrid {
  return {
    name: unit,
    startOf: (time) => startOf(unit, time),
    next: (start) => addUnits(start, 1, unit),
  };
}

/** Returns intervals of a length from an origin, as `truncateTo` writes them in SQL. */
export function customGrid(name: string, interval: string, origin: number): TimeGrid {
  const length = lengthOf(interval);
  if ("seconds" in length) {
    const ms = length.seconds * 1000;
    return {
      name,
      startOf: (time) => origin + Math.floor((time - origin) / ms) * ms,
      next: (start) => start + ms,
    };
  }
  const first = startOf("month", origin);
  const rest = origin - first;
  const monthOf = (time: number) =>
    new Date(time).getUTCFullYear() * 12 + new Date(time).getUTCMonth();
  const add = (months: number) => addUnits(first, months, "month") + rest;
  const index = (time: number) =>
    Math.floor((monthOf(time - rest) - monthOf(first)) / length.months);
  return {
    name,
    startOf: (time) => add(index(time) * length.months),
    next: (start) => add((index(start) + 1) * length.months),
  };
}

/** The window of one interval, as calendar times: from the lower bound up to but not including the upper bound. */
export interface WindowRow {
  /** The start of the interval. */
  readonly start: number;
  readonly lower: number | null;
  readonly upper: number | null;
}

/** Intervals that one query computes. */
const intervalsMax = 10_000;

/** Returns the windows of all intervals in a range; one for the whole range without a granularity. */
export function windowRows(
  [from, to]: readonly [number, number],
  granularity: TimeGrid | undefined,
  window: GridWindow,
): readonly WindowRow[] {
  if (granularity === undefined) return [windowRow(from, to + 1, window)];
  const rows: WindowRow[] = [];
  for (let start = granularity.startOf(from); start <= to;) {
    const end = granularity.next(start);
    rows.push(windowRow(start, end, window));
    if (rows.length > intervalsMax) {
      throw new Failure(
        "invalid",
        `the date range has more than ${intervalsMax} intervals of one ${granularity.name}; use a coarser granularity or a shorter range`,
      );
    }
    start = end;
  }
  return rows;
}

/** A window, with the intervals with which a window to date begins. */
export interface GridWindow extends RollingWindow {
  readonly toDate?: TimeGrid;
}

/** Returns the default granularity with which a window to date begins; undefined for another one. */
export function toDateUnit({ type, granularity = "" }: RollingWindow): CalendarUnit | undefined {
  const name = toDateUnits[type ?? ""] ?? granularity;
  return isCalendarUnit(name) ? name : undefined;
}

const toDateUnits: Readonly<Record<string, CalendarUnit>> = {
  year_to_date: "year",
  quarter_to_date: "quarter",
  month_to_date: "month",
};

function windowRow(start: number, end: number, window: GridWindow): WindowRow {
  const { trailing, leading, offset = "end", toDate } = window;
  if (toDate) return { start, lower: toDate.startOf(end - 1), upper: end };
  // The window extends from the start or from the end of the interval.
  const anchor = offset === "start" ? start : end;
  return {
    start,
    lower: bound(anchor, trailing, -1),
    upper: bound(anchor, leading, 1),
  };
}

function bound(anchor: number, length: string | undefined, sign: 1 | -1): number | null {
  if (length === "unbounded") return null;
  return length === undefined ? anchor : addInterval(anchor, length, sign);
}
