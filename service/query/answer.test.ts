// Values of answers.
import { expect, test } from "vitest";
import { plan, useQueryDatabase, validModel } from "../../test/support/query-database.ts";
import { formatRows } from "./answer.ts";

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
