// Metadata and annotations of a data model, which show nothing that the caller may not query.
import { describe, expect, test } from "vitest";
import { anyone, plan, validModel } from "../../test/support/query-database.ts";
import type { JsonObject } from "../../core/json.ts";
import { isFailure } from "../../core/errors.ts";
import { annotate } from "./answer.ts";
import type { QueryCaller } from "./access.ts";
import { aggregationType } from "./measures.ts";
import { describeModel } from "./meta.ts";
import { normalizeQueries } from "./normalize.ts";

const model = validModel(`
cubes:
  - name: people
    sql_table: people
    joins: [{ name: offices, relationship: many_to_one, sql: "{CUBE}.office_id = {offices.id}" }]
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: name, sql: name, type: string }
      - { name: salary, sql: salary, type: number }
      - { name: bonus, sql: bonus, type: number, public: false }
    measures:
      - { name: count, type: count, drill_members: [name, salary, bonus, offices.city, offices.rent, cost] }
      - { name: cost, type: sum, sql: salary, format: currency, currency: EUR }
    hierarchies:
      - { name: pay, levels: [name, bonus, salary] }
      - { name: secret, levels: [bonus] }
      - { name: place, levels: [offices.rent, offices.city] }
    access_policy:
      - { group: "*", member_level: { excludes: [salary, cost] } }
      - { group: hr }
  - name: offices
    public: false
    sql_table: offices
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: city, sql: city, type: string }
      - { name: rent, sql: rent, type: number }
views:
  - name: staff
    cubes:
      - { join_path: people, includes: [id, count, name, { name: cost, format: percent }, pay], excludes: [bonus] }
      - { join_path: people.offices, includes: [city] }
    access_policy:
      - { group: "*", member_level: { excludes: [salary] } }
      - { group: hr }
`);
const hr: QueryCaller = { ...anyone, groups: ["hr"] };

const describeFor = (caller: QueryCaller, options = {}) =>
  Object.fromEntries(describeModel(model, caller, options).map((one) => [one.name as string, one]));
const levels = (subject: JsonObject | undefined) =>
  ((subject?.hierarchies ?? []) as readonly JsonObject[]).map((one) => [one.name, one.levels]);
const measure = (subject: JsonObject | undefined, name: string) =>
  ((subject?.measures ?? []) as readonly JsonObject[]).find((one) => one.name === name);

describe("names of members that the caller may not query", () => {
  test("do not appear in the levels of hierarchies", () => {
    const { people, staff } = describeFor(anyone);
    expect(levels(people)).toEqual([["people.pay", ["people.name"]]]);
    expect(levels(staff)).toEqual([["staff.pay", ["staff.name"]]]);
    const open = describeFor(hr);
    expect(levels(open.people)).toEqual([["people.pay", ["people.name", "people.salary"]]]);
    expect(levels(open.staff)).toEqual([["staff.pay", ["staff.name", "staff.salary"]]]);
  });

  test("do not appear among the drill members, of metadata and of the annotation of rows", () => {
    const drill = (members: readonly string[], dimensions = members) => ({
      drillMembers: members,
      drillMembersGrouped: { measures: members.filter((one) => /cost/.test(one)), dimensions },
    });
    const annotationOf = (name: string, caller: QueryCaller) => {
      const query = { measures: [name] };
      const [normalized] = normalizeQueries(query, new Date());
      if (normalized === undefined) throw new Error("no query");
      const { columns } = plan(model, query, caller);
      const { measures } = annotate(model, normalized, { columns, caller });
      return (measures as JsonObject)[name];
    };
    const own = drill(["people.name"]);
    expect(measure(describeFor(anyone).people, "people.count")).toMatchObject(own);
    expect(annotationOf("people.count", anyone)).toMatchObject(own);
    const all = drill(
      ["people.name", "people.salary", "people.cost"],
      ["people.name", "people.salary"],
    );
    expect(measure(describeFor(hr).people, "people.count")).toMatchObject(all);
    expect(annotationOf("people.count", hr)).toMatchObject(all);
    // A view shows its own names for the members that it takes from cubes.
    const inView = drill(["staff.name", "staff.city", "staff.cost"], ["staff.name", "staff.city"]);
    expect(measure(describeFor(anyone).staff, "staff.count")).toMatchObject(inView);
    expect(annotationOf("staff.count", anyone)).toMatchObject(inView);
  });

  test("are not suggested for a name that does not exist", () => {
    const reason = (name: string, caller: QueryCaller) => {
      try {
        plan(model, { dimensions: [name] }, caller);
      } catch (error) {
        if (isFailure(error, "invalid")) return error.message;
      }
      return "";
    };
    expect(reason("people.salari", hr)).toContain("Did you mean people.salary?");
    expect(reason("people.salari", anyone)).not.toContain("salary");
    expect(reason("people.bonu", hr)).not.toContain("bonus");
    expect(reason("office.city", hr)).not.toContain("offices");
    expect(reason("peopl.name", hr)).toContain("Did you mean people.name?");
  });
});

describe("metadata", () => {
  test("of a view has its own format, no primary key, and the currency of its source", () => {
    const { people, staff } = describeFor(hr);
    expect(measure(people, "people.cost")).toMatchObject({ format: "currency", currency: "EUR" });
    expect(measure(staff, "staff.cost")).toMatchObject({ format: "percent", currency: "EUR" });
    expect(staff?.dimensions).toMatchObject([{ name: "staff.id", primaryKey: false }, {}, {}, {}]);
  });

  test("extended shows how cubes are declared, without cubes and members that are hidden", () => {
    expect(describeFor(anyone).people).not.toHaveProperty("fileName");
    const { people, staff } = describeFor(anyone, { isExtended: true });
    expect(people).toMatchObject({
      fileName: "model/test.yml",
      sql: "people",
      joins: [],
      preAggregations: [],
    });
    expect(staff).toMatchObject({ fileName: "model/test.yml" });
    const source = validModel(`
cubes:
  - name: base
    sql: "SELECT * FROM base WHERE {FILTER_PARAMS.base.id.filter('id')}"
    refresh_key: { every: 1 hour }
    dimensions: [{ name: id, sql: id, type: number, primary_key: true, public: true }]
  - name: child
    extends: base
    joins: [{ name: base, relationship: many_to_one, sql: "{CUBE}.b = {base.id}" }]
    measures: [{ name: count, type: count, public: false }]
    pre_aggregations: [{ name: by_id, dimensions: [id], measures: [count] }]
`);
    expect(describeModel(source, anyone, { isExtended: true })[1]).toMatchObject({
      name: "child",
      extends: "base",
      sql: "SELECT * FROM base WHERE {FILTER_PARAMS.base.id.filter('id')}",
      refreshKey: { every: "1 hour" },
      joins: [{ name: "base", relationship: "many_to_one", sql: "{CUBE}.b = {base.id}" }],
      preAggregations: [{ name: "by_id", type: "rollup", dimensions: ["child.id"], measures: [] }],
    });
  });
});

test("names aggregations as clients do", () => {
  const types = ["sum", "count_distinct", "count_distinct_approx"];
  expect(types.map(aggregationType)).toEqual(["sum", "countDistinct", "countDistinctApprox"]);
});

test("many dimensions and measures are described in a time that grows with their number", () => {
  const numbers = Array.from({ length: 4000 }, (_, index) => index);
  const cubes = [
    {
      name: "wide",
      sql_table: "wide",
      dimensions: numbers.map((index) => ({ name: `d${index}`, sql: `x${index}`, type: "time" })),
      measures: numbers.map((index) => ({ name: `m${index}`, sql: `x${index}`, type: "min" })),
    },
  ];
  const wide = validModel(JSON.stringify({ cubes }));
  const begin = performance.now();
  const [cube] = describeModel(wide, anyone);
  expect(performance.now() - begin).toBeLessThan(2000);
  expect(measure(cube, "wide.m3999")).toMatchObject({ type: "time" });
});
