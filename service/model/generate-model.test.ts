// The generated model of a transformation project's manifest: cubes that compile.
import { expect, it } from "vitest";
import { manifest } from "../../test/support/transform-project.ts";
import { compileModel } from "./compile.ts";
import { generateModel } from "./generate-model.ts";

it("makes a cube of each model, with types, keys and joins", () => {
  const { files, stats } = generateModel(JSON.stringify(manifest));
  expect(stats).toEqual({
    models: 2,
    sources: 1,
    macros: 2,
    toolVersion: "1.9.2",
    manifestGeneratedAt: "2026-01-05T06:00:00Z",
  });
  expect(files.map(({ path }) => path)).toEqual(["customers.yml", "orders.yml"]);
  expect(files[1]?.content).toBe(`cubes:
  - name: orders
    sql_table: analytics.orders
    joins:
      - name: customers
        relationship: many_to_one
        sql: "{CUBE}.customer_id = {customers.id}"
    dimensions:
      - name: order_id
        sql: order_id
        type: number
        primary_key: true
      - name: customer_id
        sql: customer_id
        type: number
      - name: amount
        sql: amount
        type: number
      - name: ordered_at
        sql: '"ordered at"'
        type: time
    measures:
      - name: count
        type: count
`);
  expect(files[0]?.content).toContain("sql_table: analytics.dim_customers");
  expect(files[0]?.content).toMatch(/name: is_active\n +sql: is_active\n +type: boolean/u);
  const { errors, cubesCount } = compileModel(
    files.map(({ path, content }) => ({ path: `model/${path}`, content })),
  );
  expect({ errors, cubesCount }).toEqual({ errors: [], cubesCount: 2 });
});

const model = (name: string, columns: object = {}) => ({
  resource_type: "model",
  name,
  schema: "s",
  columns,
});

it.each([
  ["{", "the manifest is not JSON"],
  ["[]", "the manifest has no nodes"],
  [
    JSON.stringify({ nodes: { "model.a.x": model("x"), "model.b.x": model("X") } }),
    "the models model.a.x and model.b.x would both become X",
  ],
  [
    JSON.stringify({ nodes: { "model.a.x": model("x", { "a b": {}, a_b: {} }) } }),
    "two columns would both become the dimension a_b",
  ],
])("refuses %s", (text, message) => {
  expect(() => generateModel(text)).toThrow(message);
});

it("names a measure apart from a column, and quotes what SQL would read otherwise", () => {
  const nodes = { "model.a.1x": model("1x", { count: { data_type: "int" }, 'a"b': {} }) };
  const [file] = generateModel(JSON.stringify({ nodes })).files;
  expect(file?.path).toBe("_1x.yml");
  expect(file?.content).toContain('sql_table: s."1x"');
  expect(file?.content).toContain("name: row_count");
  const { errors } = compileModel([{ path: "model/x.yml", content: file?.content ?? "" }]);
  expect(errors).toEqual([]);
});
