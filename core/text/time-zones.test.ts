// Tests of names of time zones: their spelling, and names that are only other names.
import { expect, it } from "vitest";
import { isTimeZone, isTimeZoneName, timeZoneName } from "./time-zones.ts";

it.each([
  ["Europe/Berlin", "Europe/Berlin"],
  ["europe/berlin", "Europe/Berlin"],
  ["AMERICA/PORT_OF_SPAIN", "America/Port_of_Spain"],
  ["europe/kyiv", "Europe/Kyiv"],
  ["ASIA/KOLKATA", "Asia/Kolkata"],
  ["Asia/Kolkata", "Asia/Kolkata"],
  ["US/Pacific", "US/Pacific"],
  ["us/pacific", "America/Los_Angeles"],
  ["etc/gmt+1", "Etc/GMT+1"],
  ["Etc/UTC", "Etc/UTC"],
  ["EST5EDT", "EST5EDT"],
  ["utc", "UTC"],
  ["Mars/Berlin", undefined],
])("spells %s as %s", (name, spelled) => {
  expect(timeZoneName(name)).toBe(spelled);
  expect(isTimeZone(name)).toBe(spelled !== undefined);
  expect(isTimeZoneName(name)).toBe(name === spelled);
});
