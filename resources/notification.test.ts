// Tests of the schedule of notifications: the ranges of a cron expression, and the spelling of a time zone.
import { expect, it } from "vitest";
import { normalizeLive } from "../core/spec/normalize.ts";
import { validator } from "../core/schema/validate.ts";
import { keyFields } from "./notification.codec.ts";
import { spec } from "./notification.schema.ts";
import { notification } from "./notification.ts";

const errorsOf = (schedule: string): readonly string[] =>
  validator(spec)({ deployment: "d", workbook: "w", schedule }).map(({ path }) => path);

it.each([
  "0 9 * * 1",
  "*/5 * * * *",
  "59 23 31 12 7",
  "0,30 8-18/2 1,15 JAN-MAR MON-FRI",
  "5/10 * * * *",
  "0 9 29 2 *",
  "0 9 30 2 MON",
])("takes %s", (schedule) => {
  expect(errorsOf(schedule)).toEqual([]);
});

it.each([
  "60 * * * *",
  "0 24 * * *",
  "0 0 0 * *",
  "0 0 32 * *",
  "0 0 * 13 *",
  "0 0 * * 8",
  "0 9 * * mon",
  "0  9 * * 1",
  "0 9 * *",
  "0 9 30 2 *",
  "0 9 31 APR,JUN *",
  "every day",
])("refuses %s, once", (schedule) => {
  expect(errorsOf(schedule)).toEqual(["/schedule"]);
});

it("observes a time zone in the spelling of manifests", () => {
  const answer = { workbook: "w", cronExpression: "0 9 * * 1", timezone: "europe/berlin" };
  expect(keyFields(answer as Parameters<typeof keyFields>[0]).timezone).toBe("Europe/Berlin");
  expect(normalizeLive(notification, { timezone: "utc" })).toEqual({ timezone: "UTC" });
});

it("suggests the spelling of a time zone", () => {
  const zone = (timezone: string) =>
    validator(spec)({ deployment: "d", workbook: "w", schedule: "0 9 * * 1", timezone });
  expect(zone("europe/berlin")).toMatchObject([{ remedy: 'Did you mean "Europe/Berlin"?' }]);
  expect(zone("Europe/Berlim")).toMatchObject([{ remedy: 'Did you mean "Europe/Berlin"?' }]);
  expect(zone("Europe/Kyiv")).toEqual([]);
});
