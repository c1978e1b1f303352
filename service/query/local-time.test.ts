// Calendar times, and their instants in zones whose clocks change.
import { describe, expect, it } from "vitest";
import type { CalendarUnit } from "../../core/text/calendar-units.ts";
import { addInterval, addUnits, printTime, startOf, toInstant, toLocal } from "./local-time.ts";

const at = (text: string): number => Date.parse(text.includes("T") ? `${text}Z` : text);
const text = (time: number): string => new Date(time).toISOString().slice(0, -1);

it.each<[CalendarUnit, string, string]>([
  ["second", "2026-05-17T13:45:59.999", "2026-05-17T13:45:59.000"],
  ["minute", "2026-05-17T13:45:59.999", "2026-05-17T13:45:00.000"],
  ["hour", "2026-05-17T13:45:59.999", "2026-05-17T13:00:00.000"],
  ["day", "2026-05-17T23:59:59.999", "2026-05-17T00:00:00.000"],
  // A Sunday is the last day of its week, and a Monday the first.
  ["week", "2026-05-17T23:59:59.999", "2026-05-11T00:00:00.000"],
  ["week", "2026-05-18T00:00:00.000", "2026-05-18T00:00:00.000"],
  ["month", "2026-05-31T12:00:00.000", "2026-05-01T00:00:00.000"],
  ["quarter", "2026-06-30T12:00:00.000", "2026-04-01T00:00:00.000"],
  ["quarter", "2026-12-31T12:00:00.000", "2026-10-01T00:00:00.000"],
  ["year", "2026-12-31T12:00:00.000", "2026-01-01T00:00:00.000"],
  ["day", "1969-12-31T12:00:00.000", "1969-12-31T00:00:00.000"],
  ["week", "1969-12-31T12:00:00.000", "1969-12-29T00:00:00.000"],
])("a %s with %s starts at %s", (unit, time, start) => {
  expect(text(startOf(unit, at(time)))).toBe(start);
});

it.each<[string, number, CalendarUnit, string]>([
  ["2026-01-31T10:30:00.000", 1, "month", "2026-02-28T10:30:00.000"],
  ["2028-01-31T10:30:00.000", 1, "month", "2028-02-29T10:30:00.000"],
  ["2026-03-31T10:30:00.000", -1, "month", "2026-02-28T10:30:00.000"],
  ["2026-11-30T00:00:00.001", 1, "quarter", "2027-02-28T00:00:00.001"],
  ["2028-02-29T23:59:59.999", -1, "year", "2027-02-28T23:59:59.999"],
  ["2026-12-31T00:00:00.000", 2, "week", "2027-01-14T00:00:00.000"],
  ["2026-03-01T00:00:00.000", -36, "hour", "2026-02-27T12:00:00.000"],
])("%s and %i of the unit %s are %s", (time, count, unit, sum) => {
  expect(text(addUnits(at(time), count, unit))).toBe(sum);
});

it("adds the parts of an interval in order, and subtracts them", () => {
  const from = at("2026-01-31");
  expect(text(addInterval(from, "1 month -2 days"))).toBe("2026-02-26T00:00:00.000");
  expect(text(addInterval(from, "1 month -2 days", -1))).toBe("2026-01-02T00:00:00.000");
});

it("prints times before year 1 and after year 9999 as the first and the last", () => {
  expect(printTime(at("2026-01-31T23:59:59.999"))).toBe("2026-01-31T23:59:59.999");
  expect(printTime(-8e15)).toBe("0001-01-01T00:00:00.000");
  expect(printTime(8e15)).toBe("9999-12-31T23:59:59.999");
});

describe("a zone", () => {
  it.each([
    ["2026-01-15T12:00:00.123", "UTC", "2026-01-15T12:00:00.123"],
    ["2026-01-15T12:00:00.123", "Europe/Berlin", "2026-01-15T13:00:00.123"],
    ["2026-07-15T12:00:00.000", "Europe/Berlin", "2026-07-15T14:00:00.000"],
    ["2026-01-15T12:00:00.000", "America/New_York", "2026-01-15T07:00:00.000"],
    ["2026-01-15T12:00:00.000", "Asia/Kathmandu", "2026-01-15T17:45:00.000"],
    ["2026-01-15T23:30:00.000", "Europe/Berlin", "2026-01-16T00:30:00.000"],
    // Tests a time before 1970 with milliseconds.
    ["1969-07-20T20:17:40.250", "Europe/London", "1969-07-20T21:17:40.250"],
  ])("shows %s in %s as %s, and back", (instant, zone, local) => {
    expect(text(toLocal(at(instant), zone))).toBe(local);
    for (const edge of ["first", "last"] as const)
      expect(text(toInstant(at(local), zone, edge))).toBe(instant);
  });

  it.each([
    ["Europe/Berlin", "2026-10-25T02:30:00.000", "2026-10-25T00:30", "2026-10-25T01:30"],
    ["Australia/Lord_Howe", "2026-04-05T01:45:00.000", "2026-04-04T14:45", "2026-04-04T15:15"],
  ])("of %s has %s twice", (zone, local, first, last) => {
    expect(toInstant(at(local), zone)).toBe(at(`${first}:00`));
    expect(toInstant(at(local), zone, "first")).toBe(at(`${first}:00`));
    expect(toInstant(at(local), zone, "last")).toBe(at(`${last}:00`));
  });

  it.each([
    ["Europe/Berlin", "2026-03-29T02:30:00.000", "2026-03-29T01:00:00.000"],
    ["America/Havana", "2026-03-08T00:00:00.000", "2026-03-08T05:00:00.000"],
    ["Pacific/Apia", "2011-12-30T12:00:00.000", "2011-12-30T10:00:00.000"],
  ])("of %s skips %s: the clocks change at %s", (zone, local, change) => {
    expect(toInstant(at(local), zone, "first")).toBe(at(change));
    expect(toInstant(at(local), zone, "last")).toBe(at(change) - 1);
  });
});
