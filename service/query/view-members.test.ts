// Members that views declare: what they compute, who may use them, and what is refused.
import { describe, expect, test } from "vitest";
import { cpuMs } from "../../test/support/cpu-time.ts";
import {
  anyone,
  answer,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import { errorsOf } from "../../test/support/model-errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { compileFiles, compileModel } from "../model/compile.ts";
import type { QueryCaller } from "./access.ts";
import { describeModel } from "./meta.ts";

const cubes = `
cubes:
  - name: customers
    sql_table: customers
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: city, sql: city, type: string }
      - { name: since, sql: since, type: time }
    measures: [{ name: count, type: count }]
    access_policy:
      - { group: staff }
      - { group: berlin, row_level: { filters: [{ member: city, operator: equals, values: [Berlin] }] } }
      - { group: counting, member_level: { excludes: [city] }, member_masking: { includes: [city] } }
  - name: orders
    sql_table: orders
    joins:
      - { name: customers, relationship: many_to_one, sql: "{CUBE}.customer_id = {customers}.id" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: status, sql: status, type: string }
    measures:
      - { name: total, type: sum, sql: amount }
      - { name: count, type: count }
`;
const view = (rest: string) => `
views:
  - name: shop
    cubes:
      - { join_path: orders, includes: [status, total, { name: count, alias: orders }] }
      - { join_path: orders.customers, includes: [city, since, { name: count, alias: customers }] }
${rest}`;
const members = `    dimensions:
      - { name: place, title: Place, type: string, sql: "{CUBE.city} || '/' || {status}" }
      - { name: since_year, type: time, sql: "{shop.since.year}" }
    measures:
      - { name: per_customer, type: number, format: percent, sql: "1.0 * {CUBE.total} / NULLIF({CUBE.customers}, 0)", drill_members: [place, city] }
      - { name: per_order, type: number, multi_stage: true, sql: "{total} / {orders}" }
`;
const policies = `    access_policy:
      - { group: staff }
      - { group: berlin }
      - { group: counting }
      - { group: partner, member_level: { excludes: [total] } }
`;
const compiled = (text: string) => {
  const { model, errors } = compileModel([{ path: "model/shop.yml", content: text }]);
  if (model === undefined) throw new Error(JSON.stringify(errors));
  return model;
};
const model = compiled(cubes + view(members + policies));
const database = useQueryDatabase([
  "CREATE TABLE customers AS SELECT * FROM (VALUES (1, 'Berlin', TIMESTAMP '2024-05-01'), (2, 'Paris', TIMESTAMP '2025-01-01')) AS t(id, city, since)",
  "CREATE TABLE orders AS SELECT * FROM (VALUES (1, 1, 'open', 10), (2, 1, 'paid', 20), (3, 2, 'paid', 70)) AS t(id, customer_id, status, amount)",
]);
const of = (...groups: readonly string[]): QueryCaller => ({ ...anyone, groups });
const ask = async (query: JsonObject, caller: QueryCaller, on = model) =>
  (await answer(database(), plan(on, query, caller))).map((row) => Object.values(row));

describe("members of a view", () => {
  test("compute with its other members", async () => {
    expect(
      await ask(
        {
          measures: ["shop.per_customer", "shop.per_order"],
          dimensions: ["shop.place"],
          timeDimensions: [{ dimension: "shop.since_year", granularity: "month" }],
          filters: [{ member: "shop.per_order", operator: "gt", values: ["10"] }],
          order: { "shop.place": "asc" },
        },
        of("staff"),
      ),
    ).toEqual([
      ["Berlin/paid", "2024-01-01 00:00:00", 20, 20],
      ["Paris/paid", "2025-01-01 00:00:00", 70, 70],
    ]);
  });

  test("count no row twice, whatever repeats it", async () => {
    expect(await ask({ measures: ["shop.per_customer"] }, of("staff"))).toEqual([[50]]);
  });

  test("appear in metadata, and not in that of cubes", () => {
    const described = describeModel(model, of("staff"));
    const shop = described.find(({ name }) => name === "shop");
    expect(shop).toMatchObject({
      dimensions: [
        { name: "shop.status" },
        { name: "shop.city" },
        { name: "shop.since" },
        { name: "shop.place", title: "Shop Place", shortTitle: "Place", type: "string" },
        { name: "shop.since_year", type: "time" },
      ],
    });
    const measures = shop?.["measures"] as readonly JsonObject[];
    expect(measures.at(-2)).toMatchObject({
      name: "shop.per_customer",
      type: "number",
      format: "percent",
      drillMembers: ["shop.place", "shop.city"],
    });
    expect(measures.at(-2)).not.toHaveProperty("aliasMember");
    expect(JSON.stringify(described)).not.toContain("shop:");
  });

  test("of a child replace those of its parent", async () => {
    const child = compiled(
      cubes +
        view(members.replace("shop.since", "CUBE.since")) +
        `  - name: child
    extends: shop
    measures: [{ name: per_order, type: number, sql: "-{CUBE.orders}" }]
`,
    );
    const query = { measures: ["child.per_order", "child.per_customer", "shop.per_order"] };
    expect(await ask({ measures: query.measures.slice(0, 2) }, of("staff"), child)).toEqual([
      [-3, 50],
    ]);
  });

  test("in JavaScript are the same", async () => {
    const script = `view("shop", {
  cubes: [
    { joinPath: orders, includes: ["status", "total", { name: "count", alias: "orders" }] },
    { joinPath: orders.customers, includes: ["city", "since", { name: "count", alias: "customers" }] },
  ],
  dimensions: {
    place: { title: "Place", type: "string", sql: \`\${CUBE.city} || '/' || \${status}\` },
    since_year: { type: "time", sql: \`\${shop.since.year}\` },
  },
  measures: {
    per_customer: { type: "number", format: "percent", sql: \`1.0 * \${CUBE.total} / NULLIF(\${CUBE.customers}, 0)\`, drillMembers: [place, city] },
    per_order: { type: "number", multiStage: true, sql: \`\${total} / \${orders}\` },
  },
  accessPolicy: [{ group: "staff" }, { group: "berlin" }, { group: "counting" }, { group: "partner", memberLevel: { excludes: ["total"] } }],
});`;
    const both = await compileFiles([
      { path: "model/cubes.yml", content: cubes },
      { path: "model/view.js", content: script },
    ]);
    expect(both.errors).toEqual([]);
    const withoutSource = ({ source: _, ...rest }: (typeof model.views)[number]) => rest;
    expect(both.model?.views.map(withoutSource)).toEqual(model.views.map(withoutSource));
  });
});

describe("who may use a member of a view", () => {
  test("reads only rows of policies of what it computes with", async () => {
    const query = { measures: ["shop.per_order"], dimensions: ["shop.place"] };
    expect(await ask(query, of("berlin"))).toEqual([
      [null, 70],
      ["Berlin/paid", 20],
      ["Berlin/open", 10],
    ]);
    // No policy of customers applies.
    expect(await ask(query, of("other"), compiled(cubes + view(members)))).toEqual([
      [null, 100 / 3],
    ]);
  });

  test("sees no value that a policy of a cube masks", async () => {
    expect(await ask({ dimensions: ["shop.city"] }, of("counting"))).toEqual([[null]]);
    const place = { dimensions: ["shop.place"] };
    expect(await ask(place, of("staff"))).toHaveLength(3);
    expect(await ask(place, of("counting"))).toEqual([[null]]);
    const filters = [{ member: "shop.place", operator: "set" }];
    expect(await ask({ ...place, filters }, of("counting"))).toEqual([]);
  });

  test("may use all that it computes with", async () => {
    const partner = of("partner", "staff");
    expect(await ask({ measures: ["shop.orders"] }, of("partner"))).toEqual([[3]]);
    await expect(ask({ measures: ["shop.per_order"] }, of("partner"))).rejects.toThrow(
      "You requested hidden member: 'shop.per_order'",
    );
    const shown = JSON.stringify(describeModel(model, of("partner")));
    expect(shown).toContain("shop.place");
    expect(shown).not.toContain("shop.per_");
    expect(await ask({ measures: ["shop.per_order"] }, partner)).toHaveLength(1);
  });

  test("gets whole other cubes as before", async () => {
    const columns = cubes.replace(
      "      - { name: status,",
      `      - { name: town, sql: "{customers}.city", type: string }\n      - { name: status,`,
    );
    const query = { dimensions: ["orders.town"], order: { "orders.town": "asc" } };
    const open = compiled(columns + view(members));
    expect(await ask(query, of("berlin"), open)).toEqual([["Berlin"], [null]]);
  });
});

const measure = (sql: string, more = "type: number") =>
  view(`    measures: [{ name: m, ${more}, sql: "${sql}" }]\n`);

test.each([
  ["a column", measure("amount"), "{CUBE} is no member that shop takes from a cube"],
  ["the table", measure("{CUBE}.amount"), "{CUBE} is no member that shop takes from a cube"],
  [
    "a member of a cube that it does not take",
    measure("{stores.id}"),
    "{stores.id} is no member that shop takes from a cube",
  ],
  [
    "another member that it declares",
    view(
      `    measures: [{ name: n, type: number, sql: "{total}" }, { name: m, type: number, sql: "{n}" }]\n`,
    ),
    "{n} is no member that shop takes from a cube",
  ],
  [
    "a member, if it takes none",
    view(`    measures: [{ name: m, type: number, sql: "{total}" }]\n`).replaceAll(
      /includes: \[.*\] \}/gu,
      "includes: [] }",
    ),
    "{total} is no member that shop takes from a cube",
  ],
  [
    "no member",
    measure("1 + 1"),
    "m computes with measures of shop, at least one, and nothing else",
  ],
  [
    "a dimension in a measure",
    measure("{total} + {status}"),
    "m computes with measures of shop, at least one, and nothing else",
  ],
  [
    "an aggregate",
    measure("sum({total})"),
    "m computes with measures of shop, at least one, and nothing else",
  ],
  [
    "a measure in a dimension",
    view(`    dimensions: [{ name: d, type: number, sql: "{total}" }]\n`),
    "d computes with dimensions of shop, at least one, and nothing else",
  ],
  ["a type that aggregates", measure("{total}", "type: sum"), "type must be one of"],
  ["a granularity", measure("{status.year}"), "orders.status has no year"],
  [
    "a name that it has",
    view(`    measures: [{ name: total, type: number, sql: "{total}" }]\n`),
    "shop has two members named total",
  ],
  [
    "a name twice",
    view(
      `    dimensions: [{ name: m, type: string, sql: "{status}" }]\n    measures: [{ name: m, type: number, sql: "{total}" }]\n`,
    ),
    "shop.m is already declared under dimensions",
  ],
  [
    "a segment",
    view(`    segments: [{ name: s, sql: "{status} = 'paid'" }]\n`),
    "segments of a view are not supported",
  ],
])("a view declares no member with %s", (_, text, message) => {
  const errors = errorsOf(cubes + text);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(message);
});

test("measures of a view are planned in a time that does not grow with policies times members", () => {
  const names = Array.from({ length: 1000 }, (_, index) => `m${index}`);
  const own = Array.from({ length: 30 }, (_, index) => `all${index}`);
  const every = names.map((name) => `{CUBE.${name}}`).join(" + ");
  const wide = validModel(
    JSON.stringify({
      cubes: [
        {
          name: "wide",
          sql_table: "wide",
          measures: names.map((name) => ({ name, sql: name, type: "sum" })),
        },
      ],
      views: [
        {
          name: "all_of_wide",
          cubes: [{ join_path: "wide", includes: "*" }],
          measures: own.map((name) => ({ name, type: "number", sql: every })),
          access_policy: Array.from({ length: 30 }, () => ({
            group: "*",
            member_level: { includes: [...own, ...names] },
          })),
        },
      ],
    }),
  );
  const planned = cpuMs(() => {
    describeModel(wide, anyone);
    plan(wide, { measures: own.slice(0, 10).map((name) => `all_of_wide.${name}`) });
  });
  expect(planned).toBeLessThan(5000);
});
