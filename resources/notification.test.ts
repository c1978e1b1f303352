// Tests of the schedule of notifications: the ranges of a cron expression.
import { expect, it } from "vitest";
import { validator } from "../core/schema/validate.ts";
import { spec } from "./notification.schema.ts";

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
