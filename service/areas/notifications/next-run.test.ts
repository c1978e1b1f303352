// The times of schedules, across changes of the clocks.
import { expect, it } from "vitest";
import { nextRun } from "./next-run.ts";

function runs(cron_expression: string, timezone: string, after: string, count = 3): string[] {
  const found: string[] = [];
  for (let at: string | null = after; found.length < count && at !== null;) {
    at = nextRun({ cron_expression, timezone }, new Date(at));
    if (at !== null) found.push(at.slice(0, 16));
  }
  return found;
}

it.each([
  // 02:30 does not exist on 29 March, and exists twice on 25 October.
  [
    "30 2 * * *",
    "2026-03-28T12:00:00Z",
    ["2026-03-29T01:00", "2026-03-30T00:30", "2026-03-31T00:30"],
  ],
  [
    "30 2 * * *",
    "2026-10-24T12:00:00Z",
    ["2026-10-25T00:30", "2026-10-26T01:30", "2026-10-27T01:30"],
  ],
  [
    "0 9 * * 1",
    "2026-03-27T00:00:00Z",
    ["2026-03-30T07:00", "2026-04-06T07:00", "2026-04-13T07:00"],
  ],
  // Every hour, including the hour that is repeated.
  [
    "15 * * * *",
    "2026-10-24T23:20:00Z",
    ["2026-10-25T00:15", "2026-10-25T01:15", "2026-10-25T02:15"],
  ],
  [
    "0 9 31 * *",
    "2026-01-31T08:00:00Z",
    ["2026-03-31T07:00", "2026-05-31T07:00", "2026-07-31T07:00"],
  ],
])("%s after %s", (cron, after, expected) => {
  expect(runs(cron, "Europe/Berlin", after)).toEqual(expected);
});

it("is after the instant, and none for a day that never comes", () => {
  const nine = new Date("2026-01-01T09:00:00.000Z");
  expect(nextRun({ cron_expression: "0 9 * * *", timezone: "UTC" }, nine)).toBe(
    "2026-01-02T09:00:00.000Z",
  );
  expect(nextRun({ cron_expression: "0 9 30 2 *", timezone: "UTC" }, nine)).toBeNull();
});
