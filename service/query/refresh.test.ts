// Refresh keys in plans: the periods of intervals and cron expressions, and the statements that check data.
import { expect, test } from "vitest";
import { readsClock } from "./refresh.ts";
import { plan, validModel } from "../../test/support/query-database.ts";

const refreshOf = (key: object | undefined) => {
  const cube = {
    name: "orders",
    sql_table: "orders",
    measures: [{ name: "count", type: "count" }],
    ...(key && { refresh_key: key }),
  };
  const model = validModel(JSON.stringify({ cubes: [cube] }));
  // At half past ten on 18 March 2026.
  return plan(model, { measures: ["orders.count"] }).refresh;
};

test("an interval, a cron expression and data that never changes are periods", () => {
  expect(refreshOf(undefined)).toEqual([undefined]);
  const hours = Math.floor(Date.UTC(2026, 2, 18, 10, 30) / 3_600_000);
  expect(refreshOf({ every: "1 hour" })).toEqual([{ period: `1 hour ${hours}` }]);
  const cron = { every: "0 9 * * *", timezone: "Europe/Berlin" };
  expect(refreshOf(cron)).toEqual([{ period: "0 9 * * * 2026-03-18T08:00:00.000Z" }]);
  expect(refreshOf({ immutable: true })).toEqual([{ period: "" }]);
});

test("SQL that asks for the time changes by itself", () => {
  const texts = ["SELECT now()", "a > CURRENT_DATE - 30", "x < localtimestamp", "today ()"];
  const others = ["age(born)", '"random"()', "FROM t USING SAMPLE 3", "FROM t TABLESAMPLE 10%"];
  for (const text of [...texts, ...others]) expect([text, readsClock(text)]).toEqual([text, true]);
  for (const text of ["SELECT now, today, uuid, age", "current_dates", "to_timestampx"])
    expect([text, readsClock(text)]).toEqual([text, false]);
});

test("SQL is a statement that runs once in its interval, by default in ten seconds", () => {
  const sql = "SELECT max(updated_at) FROM orders";
  const statement = { text: sql, values: [] };
  expect(refreshOf({ sql, every: "1 day" })).toMatchObject([
    { period: expect.stringMatching(/^1 day \d+$/), statement },
  ]);
  expect(refreshOf({ sql })).toMatchObject([
    { period: expect.stringMatching(/^10 seconds \d+$/), statement },
  ]);
});
