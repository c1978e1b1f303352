// Any result and any configuration: something is drawn or refused, without an error and without a number that is not finite.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { chartTypes } from "../core/spec/chart-config.ts";
import { propertyRuns } from "../test/support/arbitrary-values.ts";
import { describeChart, readChartConfig, type ResultColumn } from "./index.ts";

const members = ["o.a", "o.b", "o.c", "o.d"];
const column = fc.record({
  kind: fc.constantFrom("dimension", "timeDimension", "measure"),
  title: fc.string({ unit: "grapheme", maxLength: 60 }),
  format: fc.constantFrom(undefined, ".1%", "$,.2f", "currency", "%d.%m.%Y", "nonsense"),
});
const numbers = fc.oneof(
  fc.double().map(String),
  fc.bigInt().map(String),
  fc.constantFrom("0", "-0", "1e308", "-1e-300", "", "NaN", "12345678901234567890.25"),
  fc.constant(null),
);
const times = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, -1)),
  fc.constantFrom(null, "", "0001-01-01T00:00:00.000", "not a time"),
);
const texts = fc.oneof(fc.string({ unit: "grapheme", maxLength: 60 }), fc.constant(null));
const table = fc.array(column, { minLength: 1, maxLength: 4 }).chain((kinds) => {
  const columns = kinds.map(({ kind, title, format }, at): ResultColumn => ({
    name: members[at] ?? "",
    title,
    kind,
    type: kind === "measure" ? "number" : kind === "timeDimension" ? "time" : "string",
    ...(kind === "timeDimension" && { granularity: "day" }),
    ...(format !== undefined && { format }),
  }));
  const values = { measure: numbers, timeDimension: times, dimension: texts } as const;
  const row = fc.tuple(...columns.map(({ kind }) => values[kind]));
  return fc.record({
    columns: fc.constant(columns),
    rows: fc.array(row, { maxLength: 60 }),
    isCut: fc.boolean(),
  });
});
const member = fc.constantFrom(...members, "o.missing");
const config = fc.record(
  {
    chart: fc.constantFrom(...chartTypes),
    stacking: fc.constantFrom("none", "stacked", "percent"),
    orientation: fc.constantFrom("vertical", "horizontal"),
    x: member,
    y: fc.array(member, { maxLength: 3 }),
    breakdown: fc.array(member, { maxLength: 2 }),
    dataLabels: fc.boolean(),
    totals: fc.boolean(),
    comparison: fc.anything(),
    axes: fc.anything(),
    conditions: fc.anything(),
    html: fc.string(),
  },
  { requiredKeys: [] },
);
const space = fc.record({
  width: fc.integer({ min: 1, max: 2000 }),
  height: fc.integer({ min: 1, max: 1200 }),
  locale: fc.constantFrom("en-US", "de-DE", "ja-JP"),
  scheme: fc.constantFrom("light", "dark"),
  now: fc.constantFrom("2026-01-05T12:00:00.000", "").map((now) => () => now),
});

/** Returns the paths of numbers in an option that are not finite. */
function wrongNumbers(value: unknown, path = ""): readonly string[] {
  if (typeof value === "number") return Number.isFinite(value) ? [] : [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => wrongNumbers(one, `${path}/${name}`));
}

it("is drawn or refused for any result, configuration and space", () => {
  fc.assert(
    fc.property(table, config, space, (result, options, where) => {
      const model = describeChart(result, readChartConfig(options as JsonObject), where);
      const { option = {} } = model as { readonly option?: object };
      expect(wrongNumbers(option)).toEqual([]);
    }),
    propertyRuns(),
  );
});
