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

test("the check of each cube that a query reads decides, also of one that only row filters, subqueries or other SQL read", () => {
  const cube = (name: string, more: object = {}) => ({
    name,
    sql_table: name,
    joins: ["owners", "items"]
      .filter((other) => other > name)
      .map((other) => ({
        name: other,
        relationship: other === "owners" ? "many_to_one" : "one_to_many",
        sql: `{CUBE}.${other} = {${other}}.id`,
      })),
    dimensions: [
      { name: "id", sql: "id", type: "number", primary_key: true, public: true },
      { name: "name", sql: "name", type: "string" },
    ],
    measures: [{ name: "count", type: "count" }],
    refresh_key: { every: `${name.length} hours` },
    ...more,
  });
  const onlyOwned = (member: string) => [
    {
      group: "*",
      row_level: { filters: [{ member, operator: "equals", values: ["x"] }] },
    },
  ];
  const base = cube("bills");
  const spent = { name: "spent", sql: "{items.count}", type: "number", sub_query: true };
  const model = validModel(
    JSON.stringify({
      cubes: [
        cube("owners"),
        cube("items"),
        cube("a", { access_policy: onlyOwned("owners.name") }),
        cube("ab", { dimensions: [...base.dimensions, spent] }),
        cube("abc", { sql_table: undefined, sql: "SELECT * FROM ({owners.sql()}) AS o" }),
        cube("abcd"),
      ],
      views: [
        {
          name: "seen",
          cubes: [
            { join_path: "abcd", includes: ["id", "count"] },
            { join_path: "abcd.owners", includes: ["name"] },
          ],
          access_policy: onlyOwned("name"),
        },
      ],
    }),
  );
  const checked = (member: string) =>
    new Set(
      plan(model, { dimensions: [member] }).refresh.map((check) => check?.period.split(" ")[0]),
    );
  expect(checked("a.id")).toEqual(new Set(["1", "6"]));
  expect(checked("ab.spent")).toEqual(new Set(["2", "5"]));
  expect(checked("abc.id")).toEqual(new Set(["3", "6"]));
  expect(checked("seen.id")).toEqual(new Set(["4", "6"]));
});
