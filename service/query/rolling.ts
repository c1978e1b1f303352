// Windows of running measures: the times that count for each interval of the time dimension.
import { type CalendarUnit, isCalendarUnit } from "../../core/text/calendar-units.ts";
import { Failure } from "../../core/errors.ts";
import { addInterval } from "./local-time.ts";
import type { RollingWindow } from "./measures.ts";
import type { TimeGrid } from "./time-grid.ts";

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
