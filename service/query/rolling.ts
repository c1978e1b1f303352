// Windows of running measures: the times that count for each interval of the time dimension.
import {
  type CalendarUnit,
  calendarUnits,
  isCalendarUnit,
} from "../../core/text/calendar-units.ts";
import { Failure } from "../../core/errors.ts";
import { addInterval, addUnits, startOf } from "./local-time.ts";
import type { RollingWindow } from "./measures.ts";

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
  granularity: CalendarUnit | undefined,
  window: RollingWindow,
): readonly WindowRow[] {
  if (granularity === undefined) return [windowRow(from, to + 1, window)];
  const rows: WindowRow[] = [];
  for (let start = startOf(granularity, from); start <= to;) {
    const end = addUnits(start, 1, granularity);
    rows.push(windowRow(start, end, window));
    if (rows.length > intervalsMax) {
      throw new Failure(
        "invalid",
        `the date range has more than ${intervalsMax} intervals of one ${granularity}; use a coarser granularity or a shorter range`,
      );
    }
    start = end;
  }
  return rows;
}

const toDateUnits: Readonly<Record<string, CalendarUnit>> = {
  year_to_date: "year",
  quarter_to_date: "quarter",
  month_to_date: "month",
};

function windowRow(start: number, end: number, window: RollingWindow): WindowRow {
  const { type = "fixed", trailing, leading, offset = "end" } = window;
  if (type !== "fixed") {
    const unit = toDateUnits[type] ?? window.granularity ?? "";
    return { start, lower: startOf(calendarUnit(unit), end - 1), upper: end };
  }
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

function calendarUnit(name: string): CalendarUnit {
  if (isCalendarUnit(name)) return name;
  throw new Failure(
    "invalid",
    `a running measure to date uses the granularity ${name}; use one of ${calendarUnits.join(", ")}`,
  );
}
