// The windows of running measures, one for each interval of a range.
import { expect, it } from "vitest";
import type { CalendarUnit } from "../../core/text/calendar-units.ts";
import { toDateUnit, windowRows } from "./rolling.ts";
import { calendarGrid, customGrid, type TimeGrid } from "./time-grid.ts";

type Window = Parameters<typeof windowRows>[2];

const text = (time: number | null): string | null =>
  time === null
    ? null
    : new Date(time)
        .toISOString()
        .slice(0, -1)
        .replace(/T00:00:00\.000$/u, "");

/** Returns the windows of a range of whole days: start, lower and upper bound. */
function windowsOf(
  [from, to]: readonly [string, string],
  granularity: CalendarUnit | TimeGrid | undefined,
  window: Window,
) {
  const unit = toDateUnit(window);
  const grid = typeof granularity === "string" ? calendarGrid(granularity) : granularity;
  const own = { ...(unit && { toDate: calendarGrid(unit) }), ...window };

  const range = [Date.parse(from), Date.parse(`${to}T23:59:59.999Z`)] as const;
  return windowRows(range, grid, own).map(({ start, lower, upper }) =>
    [start, lower, upper].map(text),
  );
}

it.each<[string, Window, (string | null)[][]]>([
  [
    "everything until the end of the interval",
    { trailing: "unbounded" },
    [
      ["2026-01-31", null, "2026-02-01"],
      ["2026-02-01", null, "2026-02-02"],
    ],
  ],
  [
    "three days until the end of the interval",
    { trailing: "3 day" },
    [
      ["2026-01-31", "2026-01-29", "2026-02-01"],
      ["2026-02-01", "2026-01-30", "2026-02-02"],
    ],
  ],
  [
    "a month before the start of the interval, and two days after it",
    { trailing: "1 month", leading: "2 day", offset: "start" },
    [
      ["2026-01-31", "2025-12-31", "2026-02-02"],
      ["2026-02-01", "2026-01-01", "2026-02-03"],
    ],
  ],
  [
    "days that end before the interval does",
    { trailing: "5 day", leading: "-2 day" },
    [
      ["2026-01-31", "2026-01-27", "2026-01-30"],
      ["2026-02-01", "2026-01-28", "2026-01-31"],
    ],
  ],
  [
    "everything from the start of the interval",
    { leading: "unbounded", offset: "start" },
    [
      ["2026-01-31", "2026-01-31", null],
      ["2026-02-01", "2026-02-01", null],
    ],
  ],
  [
    // The last instant of the interval decides which month it is.
    "the month until the end of the interval",
    { type: "to_date", granularity: "month" },
    [
      ["2026-01-31", "2026-01-01", "2026-02-01"],
      ["2026-02-01", "2026-02-01", "2026-02-02"],
    ],
  ],
  [
    "the quarter until the end of the interval",
    { type: "quarter_to_date" },
    [
      ["2026-01-31", "2026-01-01", "2026-02-01"],
      ["2026-02-01", "2026-01-01", "2026-02-02"],
    ],
  ],
])("%s", (_, window, rows) => {
  expect(windowsOf(["2026-01-31", "2026-02-01"], "day", window)).toEqual(rows);
});

it("counts months from the exclusive end of an interval, and from the last day of a shorter month", () => {
  const days = ["2026-02-28", "2026-03-31"] as const;
  const of = (trailing: string) =>
    windowsOf(days, "day", { trailing }).filter(([start]) => Number(String(start).slice(-2)) >= 28);
  expect(of("1 month")).toEqual([
    ["2026-02-28", "2026-02-01", "2026-03-01"],
    ["2026-03-28", "2026-02-28", "2026-03-29"],
    ["2026-03-29", "2026-02-28", "2026-03-30"],
    ["2026-03-30", "2026-02-28", "2026-03-31"],
    ["2026-03-31", "2026-03-01", "2026-04-01"],
  ]);
});

it("has a window for each interval that the range meets, also for those that it meets in part", () => {
  expect(windowsOf(["2026-01-15", "2026-03-01"], "month", { trailing: "1 month" })).toEqual([
    ["2026-01-01", "2026-01-01", "2026-02-01"],
    ["2026-02-01", "2026-02-01", "2026-03-01"],
    ["2026-03-01", "2026-03-01", "2026-04-01"],
  ]);
});

it("has one window for the whole range without a granularity", () => {
  const range = ["2026-01-15", "2026-02-10"] as const;
  expect(windowsOf(range, undefined, { trailing: "1 week" })).toEqual([
    ["2026-01-15", "2026-02-04", "2026-02-11"],
  ]);
  expect(windowsOf(range, undefined, { trailing: "1 week", offset: "start" })).toEqual([
    ["2026-01-15", "2026-01-08", "2026-01-15"],
  ]);
  expect(windowsOf(range, undefined, { type: "year_to_date" })).toEqual([
    ["2026-01-15", "2026-01-01", "2026-02-11"],
  ]);
});

it("has a window for each interval of other lengths, also before their origin", () => {
  const months = customGrid("two_months", "2 months", Date.parse("2026-03-15"));
  expect(windowsOf(["2025-12-31", "2026-02-01"], months, { trailing: "1 month" })).toEqual([
    ["2025-11-15", "2025-12-15", "2026-01-15"],
    ["2026-01-15", "2026-02-15", "2026-03-15"],
  ]);
  const weeks = customGrid("fortnight", "2 weeks", Date.parse("2026-01-05"));
  expect(windowsOf(["2026-01-04", "2026-01-05"], weeks, { toDate: months })).toEqual([
    ["2025-12-22", "2025-11-15", "2026-01-05"],
    ["2026-01-05", "2026-01-15", "2026-01-19"],
  ]);
});

it("refuses a range of more than 10,000 intervals", () => {
  expect(windowsOf(["2026-01-01", "2053-05-18"], "day", {})).toHaveLength(10_000);
  expect(() => windowsOf(["2026-01-01", "2053-05-19"], "day", {})).toThrow(
    "more than 10000 intervals of one day",
  );
});
