// The intervals of granularities, in calendar time.
import type { CalendarUnit } from "../../core/text/calendar-units.ts";
import { addUnits, lengthOf, startOf } from "./local-time.ts";

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
