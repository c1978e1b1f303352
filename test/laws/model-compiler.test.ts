// Tests the compiler of data models on arbitrary files: it always ends, and reports an error exactly if it returns no model.
import fc from "fast-check";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { valueAt } from "../../core/pointer.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { compileModel } from "../../service/model/compile.ts";
import { propertyRuns } from "../support/arbitrary-values.ts";

const text = `
cubes:
  - name: orders
    sql_table: public.orders
    refresh_key: { every: 1 hour }
    joins:
      - { name: customers, relationship: many_to_one, sql: "{CUBE}.customer_id = {customers.id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, type: string, case: { when: [{ sql: "{CUBE}.s = 1", label: open }], else: { label: x } } }
      - { name: at, sql: at, type: time, granularities: [{ name: fiscal, interval: 1 year, offset: 3 months }] }
      - { name: place, type: geo, latitude: { sql: lat }, longitude: { sql: lon } }
      - { name: lifetime, sql: "{customers.count}", type: number, sub_query: true }
    measures:
      - { name: count, type: count, drill_members: [id, customers.city] }
      - { name: revenue, type: sum, sql: amount, filters: [{ sql: "{CUBE}.status <> 'void'" }] }
      - { name: average, type: number, sql: "{revenue} / NULLIF({count}, 0)" }
      - { name: recent, type: sum, sql: amount, rolling_window: { trailing: 7 day, offset: start } }
    segments: [{ name: open, sql: "{status} = 'open'" }]
    hierarchies: [{ name: time, levels: [at] }]
    pre_aggregations:
      - { name: main, measures: [count], dimensions: [status], time_dimension: at, granularity: day }
    access_policy:
      - group: sales
        member_level: { includes: "*" }
        row_level: { filters: [{ member: status, operator: equals, values: ["{ userAttributes.city }"] }] }
  - name: customers
    sql: SELECT * FROM customers WHERE {FILTER_PARAMS.orders.at.filter('at')}
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: city, sql: city, type: string }
    measures: [{ name: count, type: count }]
  - { name: returns, extends: orders, sql_table: public.returns }
views:
  - name: sales
    cubes:
      - { join_path: orders, includes: "*", excludes: [place] }
      - { join_path: orders.customers, prefix: true, includes: [city] }
    folders: [{ name: money, includes: [revenue] }]
`;
const valid = parse(text) as JsonObject;

/** The JSON Pointers of all values in the model, as their segments. */
const places = (value: JsonValue, at: readonly string[] = []): (readonly string[])[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, one]) => {
        const place = [...at, key];
        return [place, ...places(one ?? null, place)];
      })
    : [];

const words =
  "cubes views name orders sql {orders.id} {CUBE} type sum extends - a.b includes * joins { } {status}.x " +
  "orders.customers {revenue} {FILTER_PARAMS.orders.at.filter(x)} {returns.customers.city} __proto__";
const word = fc.constantFrom(...words.split(" "));
const { any } = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 5 },
    word,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    tie("list"),
    tie("map"),
    // A part of the valid model in another place.
    fc.constantFrom(...places(valid)).map((place) => valueAt(valid, place)),
  ),
  list: fc.array(tie("any"), { maxLength: 4 }),
  map: fc.dictionary(word, tie("any"), { maxKeys: 5 }),
}));

/** The valid model with up to three values replaced. */
const changed = fc
  .array(fc.tuple(fc.constantFrom(...places(valid)), any), { minLength: 1, maxLength: 3 })
  .map((changes) =>
    JSON.stringify(
      changes.reduce((model, [place, value]) => replaceAt(model, place, value), valid as JsonValue),
    ),
  );

function replaceAt(model: JsonValue, [key, ...rest]: readonly string[], value: unknown): JsonValue {
  if (key === undefined) return value as JsonValue;
  if (Array.isArray(model)) {
    return model.map((one: JsonValue, index) =>
      String(index) === key ? replaceAt(one, rest, value) : one,
    );
  }
  if (!isObject(model)) return model;
  return { ...model, [key]: replaceAt(model[key] ?? null, rest, value) };
}

/** Members that each reference the previous one, once or several times. */
const growing = fc.tuple(fc.nat(300), fc.integer({ min: 1, max: 3 })).map(([count, times]) => {
  const sql = (level: number) => (level === 0 ? "1" : `{d${level - 1}} + `.repeat(times) + "1");
  const dimensions = Array.from({ length: count }, (_, level) => ({
    name: `d${level}`,
    type: "number",
    sql: sql(level),
  }));
  return JSON.stringify({ cubes: [{ name: "a", sql_table: "a", dimensions }] });
});

/** The text with a part removed or repeated. */
const truncated = fc
  .tuple(fc.nat(text.length), fc.nat(40), fc.boolean())
  .map(([at, length, repeats]) =>
    repeats
      ? text.slice(0, at + length) + text.slice(at)
      : text.slice(0, at) + text.slice(at + length),
  );

it("compiles the model that the others are generated from", () => {
  expect(compileModel([{ path: "model/a.yml", content: text }])).toMatchObject({ errors: [] });
});

it("never fails or hangs", () => {
  const content = fc.oneof(
    { arbitrary: changed, weight: 4 },
    { arbitrary: truncated, weight: 2 },
    growing,
    any.map((one) => JSON.stringify({ cubes: [one], views: [one] })),
    fc.string({ unit: "grapheme" }),
  );
  fc.assert(
    fc.property(content, (whole) => {
      const before = process.cpuUsage();
      const { model, errors, errorCount } = compileModel([{ path: "model/a.yml", content: whole }]);
      expect(model === undefined).toBe(errorCount > 0);
      expect(errors.filter(({ message }) => message.includes("the compiler failed"))).toEqual([]);
      expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
    }),
    propertyRuns(),
  );
});
