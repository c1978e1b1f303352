// Values of answers.
import { expect, test } from "vitest";
import { anyone, plan, useQueryDatabase, validModel } from "../../test/support/query-database.ts";
import { annotate, formatRows } from "./answer.ts";
import { describeModel } from "./meta.ts";
import { normalizeQueries } from "./normalize.ts";

const database = useQueryDatabase([
  "CREATE TABLE rates AS SELECT CAST(rate AS DOUBLE PRECISION) AS rate FROM (VALUES ('1e-7'), ('0.00001'), ('2.5e20'), ('-1.5'), ('1.7976931348623157e308')) AS t(rate)",
]);
const model = validModel(`
cubes:
  - name: rates
    sql_table: rates
    dimensions: [{ name: rate, sql: rate, type: number }]
`);

test("doubles of all databases are written in one way", async () => {
  const { statement, columns } = plan(model, { dimensions: ["rates.rate"] });
  const rows = await database().run(statement);
  const answer = await formatRows(rows as Parameters<typeof formatRows>[0], columns, {
    format: "columnar",
  });
  const values = (answer as { readonly columns: readonly unknown[] }).columns;
  expect(values).toEqual([
    ["-1.5", "1e-7", "0.00001", "250000000000000000000", "1.7976931348623157e+308"],
  ]);
});

const orders = validModel(`
cubes:
  - name: orders
    sql_table: "(SELECT * FROM (VALUES (2, TIMESTAMP '2025-01-31 10:00:00', 'a'), (10, TIMESTAMP '2025-06-01 00:00:00', 'b')) AS t(id, placed, city))"
    dimensions:
      - name: placed
        sql: placed
        type: time
        granularities:
          - { name: fiscal_year, interval: 1 year, offset: 3 months }
          - { name: half, title: Half year, interval: 6 months }
      - { name: city, sql: "{CUBE}.city", type: string }
      - { name: code, sql: id, type: string }
    measures:
      - { name: first, type: min, sql: "{placed}" }
      - { name: last, type: max, sql: placed }
      - { name: last_city, type: max, sql: "{city}" }
      - { name: most, type: max, sql: id }
      - { name: cities, type: count_distinct, sql: city }
`);

test("the least and the greatest value of a dimension are of its type", async () => {
  const measures = ["first", "last", "last_city", "most", "cities"].map((one) => `orders.${one}`);
  const asked = {
    measures,
    filters: [
      { member: "orders.last", operator: "afterDate", values: ["2025-01-01"] },
      { member: "orders.last_city", operator: "contains", values: ["b"] },
      { member: "orders.most", operator: "gt", values: ["5"] },
    ],
  };
  const { statement, columns } = plan(orders, asked);
  const rows = (await database().run(statement)) as Parameters<typeof formatRows>[0];
  expect(await formatRows(rows, columns, { format: "default" })).toEqual([
    {
      "orders.first": "2025-01-31T10:00:00.000",
      "orders.last": "2025-06-01T00:00:00.000",
      "orders.last_city": "b",
      "orders.most": "10",
      "orders.cities": "2",
    },
  ]);
  const types = ["time", "time", "string", "number", "number"];
  const [query] = normalizeQueries(asked, new Date(0));
  if (query === undefined) throw new Error("no query");
  const described = Object.values(
    annotate(orders, query, { columns, caller: anyone })["measures"] ?? {},
  );
  expect(described).toMatchObject(types.map((type) => ({ type })));
  const [cube] = describeModel(orders, anyone);
  expect(cube?.["measures"]).toMatchObject(types.map((type) => ({ type })));
});

test("granularities without a title have their name in words", () => {
  const [cube] = describeModel(orders, anyone);
  expect(cube?.["dimensions"]).toMatchObject([
    {
      granularities: [
        { name: "fiscal_year", title: "Fiscal Year" },
        { name: "half", title: "Half year" },
      ],
    },
    {},
    {},
  ]);
});

test.each(["1e400", "-1e999", "1e-400"])("%s is too large or too small for a filter", (value) => {
  const filters = [{ member: "rates.rate", operator: "gt", values: [value] }];
  expect(() => plan(model, { dimensions: ["rates.rate"], filters })).toThrow(
    `the filter value "${value}" is not a number that a double can hold`,
  );
});
