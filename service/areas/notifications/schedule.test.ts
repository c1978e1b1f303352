// Schedules: required and rejected members of each type, cron expressions, and time zones.
import { describe, expect, it } from "vitest";
import { normalizeCron } from "./normalize-cron.ts";
import { checkTimezone } from "../shared/time-zone.ts";
import { changedSchedule, describeSchedule, newSchedule } from "./schedule.ts";

const invalid = expect.objectContaining({ code: "invalid" });

describe("a new schedule", () => {
  it.each([
    ["HOURLY", { minute: 5 }, "5 * * * *", "Every hour at minute 5"],
    ["HOURLY", {}, "0 * * * *", "Every hour at minute 0"],
    ["DAILY", { hour: 9, minute: 30 }, "30 9 * * *", "Every day at 09:30"],
    ["DAILY", { hour: null }, "0 0 * * *", "Every day at 00:00"],
    ["WEEKLY", { dayOfWeek: 0, hour: 9 }, "0 9 * * 0", "Every Sunday at 09:00"],
    ["MONTHLY", { dayOfMonth: 31 }, "0 0 31 * *", "On day 31 of every month at 00:00"],
    [
      "CUSTOM",
      { customCron: " 0  9 * * mon-fri" },
      "0 9 * * MON-FRI",
      "By the cron expression 0 9 * * MON-FRI",
    ],
  ] as const)("of type %s from %o is %s", (type, input, cron, words) => {
    const schedule = newSchedule(type, input);
    expect(schedule).toEqual({ type, cron });
    expect(describeSchedule(schedule)).toBe(words);
  });

  it.each([
    ["WEEKLY", { hour: 9 }],
    ["MONTHLY", { hour: 9 }],
    ["CUSTOM", {}],
    ["HOURLY", { hour: 9 }],
    ["DAILY", { dayOfWeek: 1 }],
    ["WEEKLY", { dayOfWeek: 1, dayOfMonth: 1 }],
    ["DAILY", { customCron: "0 9 * * *" }],
    ["CUSTOM", { customCron: "0 9 * * *", minute: 1 }],
  ] as const)("of type %s from %o is rejected", (type, input) => {
    expect(() => newSchedule(type, input)).toThrow(invalid);
  });
});

describe("an updated schedule", () => {
  const weekly = newSchedule("WEEKLY", { dayOfWeek: 1, hour: 9, minute: 15 });

  it("keeps absent members", () => {
    expect(changedSchedule(weekly, { hour: 7 }).cron).toBe("15 7 * * 1");
    expect(changedSchedule(weekly, { dayOfWeek: 5, minute: null }).cron).toBe("15 9 * * 5");
    expect(changedSchedule(weekly, {})).toEqual(weekly);
    const custom = newSchedule("CUSTOM", { customCron: "*/5 * * * *" });
    expect(changedSchedule(custom, { customCron: "*/10 * * * *" }).cron).toBe("*/10 * * * *");
  });

  it("rejects members that its type does not use", () => {
    expect(() => changedSchedule(weekly, { dayOfMonth: 1 })).toThrow(invalid);
  });
});

describe("a cron expression", () => {
  it.each(["* * * * *", "*/15 0-6 1,15 JAN-JUN 1-5", "0 0 31 12 7", "1-59/2 * * * SUN"])(
    "may be %s",
    (text) => expect(normalizeCron(text)).toBe(text),
  );

  it.each([
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 8",
    "5-1 * * * *",
    "5/2 * * * *",
    "*/0 * * * *",
    "*/x * * * *",
    "1- * * * *",
    "1-2-3 * * * *",
    "1,,2 * * * *",
    "@daily",
    "* * * * FUN",
    "1e0 * * * *",
    "0 0 31 2 *",
  ])("may not be %j", (text) => expect(() => normalizeCron(text)).toThrow(invalid));
});

describe("a time zone", () => {
  it.each(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"])("may be %s", (name) => {
    expect(() => checkTimezone(name)).not.toThrow();
  });

  it.each(["Mars/Olympus", "+01:00", "Berlin", " UTC", "../etc"])("may not be %j", (name) => {
    expect(() => checkTimezone(name)).toThrow(invalid);
  });
});
