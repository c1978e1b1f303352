// Tests of names of time zones: their spelling, and names that are only other names.
import { expect, it } from "vitest";
import { isTimeZone, isTimeZoneName, timeZoneName, timeZoneNames } from "./time-zones.ts";

it.each([
  ["Europe/Berlin", "Europe/Berlin"],
  ["europe/berlin", "Europe/Berlin"],
  ["AMERICA/PORT_OF_SPAIN", "America/Port_of_Spain"],
  ["europe/kyiv", "Europe/Kyiv"],
  ["ASIA/KOLKATA", "Asia/Kolkata"],
  ["Asia/KOLKATA", "Asia/Kolkata"],
  ["EUROPE/Kyiv", "Europe/Kyiv"],
  ["australia/nsw", "Australia/NSW"],
  ["Antarctica/DumontDUrville", "Antarctica/DumontDUrville"],
  ["America/Argentina/ComodRivadavia", "America/Argentina/ComodRivadavia"],
  ["Brazil/DeNoronha", "Brazil/DeNoronha"],
  ["Asia/Kolkata", "Asia/Kolkata"],
  ["US/Pacific", "US/Pacific"],
  ["us/pacific", "US/Pacific"],
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

it("spells each name of the runtime as the runtime does", () => {
  const names = timeZoneNames();
  expect(names.map((name) => timeZoneName(name.toLowerCase()))).toEqual(names);
});
