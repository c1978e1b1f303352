// The compiler of data models: the resolved model, and every error with its place.
import { describe, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import type { CompileResult } from "./types.ts";

/** Compiles one file, or several by path. */
function compile(files: string | Readonly<Record<string, string>>): CompileResult {
  const all = typeof files === "string" ? { "model/cubes.yml": files } : files;
  return compileModel(Object.entries(all).map(([path, content]) => ({ path, content })));
}

/** Returns each error as `line:column message`. */
function errorsOf(files: Parameters<typeof compile>[0]): readonly string[] {
  return compile(files).errors.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

test("a number that a double cannot hold is an error", () => {
  const file = "cubes:\n  - name: a\n    sql: SELECT 1\n    meta: { account: 9007199254740993 }\n";
  expect(errorsOf(file)).toEqual([
    "4:22 the number 9007199254740993 is too large to be exact. Use a smaller number, or put it in quotes to send text.",
  ]);
});

test("a format that nothing writes is an error, wherever a member has one", () => {
  const file = `
cubes:
  - name: a
    sql: SELECT 1
    dimensions:
      - { name: at, sql: at, type: time, format: "%d.%m.%Y" }
      - { name: page, sql: page, type: string, format: imageurl }
    measures:
      - { name: share, type: number, sql: "1", format: percnt }
      - { name: total, type: sum, sql: amount, format: "$,.2f" }
views:
  - name: v
    cubes:
      - join_path: a
        includes: [at, { name: total, format: curency }]
  - name: w
    cubes:
      - { join_path: a, includes: [total] }
    measures:
      - { name: double, type: number, sql: "2 * {total}", format: percent_1 }
      - { name: half, type: number, sql: "0.5 * {total}", format: "%Q" }
`;
  const refused = (format: string) => `has the format ${format}, which is no name, d3-format or`;
  expect(errorsOf(file)).toEqual([
    `7:56 page ${refused("imageurl")} strftime. Did you mean imageUrl?`,
    `9:56 share ${refused("percnt")} strftime. Did you mean percent?`,
    `15:47 total ${refused("curency")} strftime. Did you mean currency?`,
    `21:67 half ${refused("%Q")} strftime`,
  ]);
});

const orders = `
cubes:
  - name: orders
    sql_table: public.orders
    joins:
      - name: customers
        relationship: many_to_one
        sql: "{CUBE}.customer_id = {customers.id}"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
      - name: created_at
        sql: created_at
        type: time
        granularities:
          - { name: fiscal_year, interval: 1 year, offset: 3 months }
      - { name: city, sql: "UPPER({customers.city})", type: string }
      - { name: created_month, sql: "{created_at.month}", type: time }
    measures:
      - { name: count, type: count }
      - { name: revenue, type: sum, sql: amount, filters: [{ sql: "{CUBE}.status <> 'void'" }] }
      - { name: average, type: number, sql: "{revenue} / NULLIF({count}, 0)", drillMembers: [id, customers.city] }
    segments:
      - { name: open, sql: "{status} = 'open'" }
    hierarchies:
      - { name: time, levels: [created_month] }
    access_policy:
      - group: sales
        memberLevel: { excludes: [revenue] }
        row_level:
          filters:
            - { member: customers.city, operator: equals, values: ["{ userAttributes.city }", Berlin] }
            - or:
                - { member: status, operator: set }
                - { member: id, operator: gt, values: [5] }
  - name: customers
    sql: SELECT * FROM public.customers WHERE {FILTER_PARAMS.orders.created_at.filter('created_at')}
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: city, sql: city, type: string }
`;

const view = `
views:
  - name: sales
    cubes:
      - { join_path: orders, includes: "*", excludes: [average] }
      - { join_path: orders.customers, includes: [{ name: city, alias: town }], prefix: true }
    folders:
      - { name: Money, includes: [revenue, { name: More, includes: [count] }] }
`;

describe("a valid model", () => {
  const result = compile({
    "model/orders.yml": orders,
    "model/views/sales.yaml": view,
    "README.md": "{{",
  });
  const cube = result.model?.cubes.find(({ name }) => name === "orders");

  test("has no errors and counts cubes and views", () => {
    expect(result.errors).toEqual([]);
    expect(result.cubesCount).toBe(3);
  });

  test("resolves a lone identifier as a column of its cube", () => {
    expect(cube?.dimensions[0]).toMatchObject({
      name: "id",
      title: "ID",
      public: false,
      sql: [{ kind: "table", path: ["orders"] }, ".id"],
    });
  });

  test("resolves members of the cube, of joined cubes, and granularities", () => {
    const sqlOf = (name: string) => cube?.dimensions.find((one) => one.name === name)?.sql;
    const city = {
      kind: "member",
      path: ["orders", "customers"],
      member: "city",
      memberKind: "dimension",
    };
    expect(sqlOf("city")).toEqual(["UPPER(", city, ")"]);
    expect(sqlOf("created_month")).toMatchObject([{ member: "created_at", granularity: "month" }]);
    expect(cube?.measures.find(({ name }) => name === "average")).toMatchObject({
      drillMembers: ["orders.id", "customers.city"],
      sql: [
        { memberKind: "measure", member: "revenue" },
        " / NULLIF(",
        { member: "count" },
        ", 0)",
      ],
    });
  });

  test("compiles joins, policies and filters of the caller's context", () => {
    expect(cube?.joins).toMatchObject([{ cube: "customers", relationship: "many_to_one" }]);
    expect(cube?.policies?.[0]?.members).not.toContain("revenue");
    expect(cube?.policies?.[0]?.rows).toEqual([
      {
        member: "customers.city",
        operator: "equals",
        values: [{ context: "userAttributes", path: ["city"] }, { literal: "Berlin" }],
      },
      {
        or: [
          { member: "orders.status", operator: "set", values: [] },
          { member: "orders.id", operator: "gt", values: [{ literal: 5 }] },
        ],
      },
    ]);
  });

  test("compiles views: members with their paths, prefixes, hierarchies and folders", () => {
    const [sales] = result.model?.views ?? [];
    expect(sales?.members.map(({ name }) => name)).toEqual([
      "id",
      "status",
      "created_at",
      "city",
      "created_month",
      "count",
      "revenue",
      "open",
      "customers_town",
    ]);
    // Members of a view are public, although the primary key of the cube is not.
    expect(sales?.members[0]).toMatchObject({ public: true, kind: "dimension", path: ["orders"] });
    expect(sales?.members.at(-1)).toMatchObject({ path: ["orders", "customers"], member: "city" });
    expect(sales?.hierarchies).toMatchObject([{ name: "time", levels: ["created_month"] }]);
    expect(sales?.folders).toEqual([
      { name: "Money", members: ["revenue", { name: "More", members: ["count"] }] },
    ]);
  });
});

test("a model broken in many ways reports every error at its place", () => {
  const errors = errorsOf(`cubes:
  - name: orders
    sql_table: orders
    sql: SELECT 1
    dimensions:
      - { name: id, sql: "{CUBE}.id", type: number }
      - { name: total, sql: "{costumers.city}", type: string }
      - { name: loop, sql: "{pool}", type: string }
      - { name: pool, sql: "{loop}", type: string }
      - { name: at, sql: at, type: string, granularities: [{ name: x, interval: 1 day }] }
    measures:
      - { name: count, type: count }
      - { name: id, type: sum, sql: x }
      - { name: half, type: sum }
    joins:
      - { name: customers, relationship: belongsTo, sql: "{CUBE}.c = {customers}.id" }
      - { name: nowhere, relationship: many_to_one, sql: "1 = 1" }
  - name: customers
    sql_table: customers
    dimensions:
      - { name: city, sql: "{orders} || ''", type: string }
    access_policy:
      - { role: a, group: b }
`);
  expect(errors).toEqual([
    "3:16 orders has both sql and sql_table; keep one",
    "7:29 {costumers.city} is neither a member of orders nor a cube. Did you mean customers?",
    "8:28 orders.loop references itself: orders.loop -> orders.pool -> orders.loop",
    "10:59 at has granularities, which only the type time has",
    "13:17 orders.id is already declared under dimensions",
    "14:17 half is of type sum and needs sql",
    "16:17 the join from orders to customers can multiply rows, so orders needs a dimension with primary_key: true for its measure count",
    "17:17 orders joins nowhere, which is not a cube",
    "21:28 {orders} is another cube; write {orders.member} or {orders}.column",
    "23:9 a policy of customers needs exactly one of group, groups and role; it has group and role",
  ]);
});

test("one bad cube does not hide the errors of the others, and unknown keys name their place", () => {
  const errors = errorsOf(`cubes:
  - name: a
    sqlTable: a
    colour: red
  - name: b
    sql_table: b
    dimensions:
      - { name: x, sql: "{y}", type: strng }
  - name: c
    sql_table: c
    dimensions:
      - { name: x, sql: "{z}", type: string }
`);
  expect(errors).toEqual([
    expect.stringMatching(/^4:5 colour is not a known field. The known fields are name, title, /),
    '8:38 type must be one of "string", "number", "boolean", "time", "geo", "switch". Did you mean "string"?',
    "12:25 {z} is neither a member of c nor a cube. Did you mean x?",
  ]);
});

test.each([
  ["a: [", "1:5 YAML syntax: flow sequence in block collection must"],
  ["cubes:\n  - name: a\n    name: b\n", "3:5 YAML syntax"],
  ["tables: []\n", "1:1 tables is not a known field"],
  ["cubes:\n  - { name: a, sql_table: b }}\n", '2:30 YAML syntax: unexpected "}"'],
  ["cubes:\n  - { name: a, sql: 'SELECT {b}}' }\n", "there is a } without {; remove it, or write"],
])("refuses %j", (content, expected) => {
  expect(errorsOf(content)[0]).toContain(expected);
});

test("refuses code with a reason", () => {
  const { errors } = compile({
    "model/a.ts": "cube('a', {})",
    "model/globals.py": "x",
  });
  expect(errors.map(({ fileName, message }) => [fileName, message.slice(0, 30)])).toEqual([
    ["model/a.ts", "TypeScript and Python are not "],
    ["model/globals.py", "TypeScript and Python are not "],
  ]);
});

test("refuses every file outside the model that it does not know", () => {
  const refused = {
    "cube.js": "module.exports = { queryRewrite: (query) => query };",
    "cube.py": "",
    "globals.py": "",
    "src/Cube.TS": "",
    "lib/rows.mjs": "",
    "macros/filter.yml.jinja": "",
    "cubes/orders.yml": "cubes: []",
    "Model/orders.yaml": '{ "views": [] }',
    "broken.yml": "cubes:\n - name: a\n  bad: [\n",
    "deploy.yml": "a: 1\n---\ncubes: 1\n",
    "twice.yml": "cubes: []\ncubes:\n  - name: a\n",
    "loop.yml": "{% for a in b %}\ncubes:\n  - name: {{ a }}\n{% endfor %}\n",
    "list.yml": "- cubes:\n   - name: a\n",
    "orders_test.yml": "Cubes: []",
    "cube.config.js": "",
    "cube.d.js": "",
    "cube.stack.ts": "",
    "cube_test.js": "",
    "globals_test.py": "",
    "test_globals.py": "",
    "rules.test.js": "",
    "lib/cube_test.js": "",
    "model/orders": "cubes: []",
    "model/orders.json": "{}",
    "model/orders.yaml.md": "cubes: []",
    "model/orders.sql": "",
    "model/docs/orders.txt": "",
    "model/tests/orders.test.sql": "",
    "schema/LICENSE": "",
    "seeds/my orders.csv": "id\n1\n",
    "seeds/old/orders.parquet": "",
    "data/orders.csv": "id\n1\n",
    "program.wasm": "",
    "model/orders.lkml": "",
  };
  const inert = {
    "README.md": "",
    LICENSE: "",
    "package.json": "{}",
    "package-lock.json": "{}",
    "dbt_project.yml": "name: shop",
    ".gitignore": "",
    ".github/workflows/check.js": "",
    "release.yml": "a: 1\n---\nb: 1\n",
    "chart.yml": "name: {{ a }}",
    "pages.yml": "menu: { views: 1 }",
    "cube.d.ts": "",
    "src/rules.test.js": "",
    "src/rules_test.py": "",
    "src/test_rules.py": "",
    "tests/rows.py": "",
    "docs/logo.bin": "",
    "scripts/check.py": "",
    "main.tf": "",
    "model/README.md": "",
    "schema/old/readme": "",
    "model/.draft.js": "",
    "seeds/orders.csv": "id\n1\n",
  };
  const { errors, model } = compile({ ...refused, ...inert });
  expect(model).toBeUndefined();
  expect(errors.map(({ fileName }) => fileName)).toEqual(Object.keys(refused).toSorted());
  expect(compile(inert).errors).toEqual([]);
});

test("applies extends: members merge, and cycles and missing parents are errors", () => {
  const { model } = compile(`
cubes:
  - { name: base, sql_table: base, dimensions: [{ name: id, sql: "{CUBE}.id", type: number }, { name: a, sql: a, type: string }] }
  - { name: child, extends: base, sql: "SELECT * FROM {base.sql()} WHERE x", dimensions: [{ name: a, sql: b, type: string }] }
`);
  const child = model?.cubes[1];
  expect(child?.isQuery).toBe(true);
  expect(child?.dimensions.map(({ name, sql }) => [name, sql?.at(-1)])).toEqual([
    ["id", ".id"],
    ["a", ".b"],
  ]);
  expect(child?.dimensions[0]?.sql?.[0]).toEqual({ kind: "table", path: ["child"] });
  expect(
    errorsOf(
      "cubes:\n  - { name: a, extends: b }\n  - { name: b, extends: a }\n  - { name: c, extends: missing_one, sql_table: c }\n",
    ),
  ).toEqual([
    "2:25 cubes extend each other in a cycle: a, b, a",
    "4:25 there is no cube missing_one to extend",
  ]);
});

test("keeps a bounded number of errors and counts all", () => {
  const cubes = Array.from({ length: 1500 }, (_, index) => `  - name: c${index}`);
  const { errors, errorCount } = compile(`cubes:\n${cubes.join("\n")}\n`);
  expect(errors.length).toBe(1000);
  expect(errorCount).toBe(1500);
});

test("files that are not part of the language are ignored in model folders", () => {
  const files = { "model/README.md": "{{ not a template }}", "model/.logo.png": "{%" };
  expect(compile(files)).toMatchObject({ errors: [], cubesCount: 0 });
});

test("an inherited name of another kind, and intervals that are not positive, are errors", () => {
  expect(
    errorsOf(`cubes:
  - { name: base, sql_table: b, dimensions: [{ name: x, sql: x, type: string }] }
  - { name: child, extends: base, measures: [{ name: x, type: count }] }
  - name: t
    sql_table: t
    dimensions:
      - { name: at, sql: at, type: time, granularities: [{ name: g, interval: -1 day }, { name: h, interval: 0 days, origin: "2024-01-01" }] }
`),
  ).toEqual([
    "3:54 child.x is already declared under dimensions",
    "7:79 interval must be a positive interval, such as 1 day or 2 weeks",
    "7:110 interval must be a positive interval, such as 1 day or 2 weeks",
  ]);
});

describe("SQL that no data source can parse", () => {
  const cube = (sql: string): string =>
    `cubes:\n  - { name: a, sql: ${JSON.stringify(sql)}, dimensions: [{ name: id, sql: id, type: number }] }\n`;

  test.each([
    ["SELEC (((", ["there is a ( without )", "SELEC does not begin a query. Did you mean SELECT?"]],
    ["SELECT * FROM (t", ["there is a ( without )"]],
    ["SELECT 1) FROM t", ["there is a ) without ("]],
    ["SELECT 'a FROM t", ["there is a ' that does not close"]],
    ["SELECT 1 /* a", ["there is a /* that does not close"]],
  ])("%s is an error", (sql, messages) => {
    expect(
      errorsOf(cube(sql))
        .map((one) => one.replace(/^\d+:\d+ /, ""))
        .toSorted(),
    ).toEqual(messages.toSorted());
  });

  test.each([
    "SELECT '(' || \"(\" || `)` FROM t -- it's (",
    "SELECT 'it''s (' /* ) ' */ FROM t",
    String.raw`SELECT 'it\'s (' FROM t`,
    "SELECT $$it's ($$ FROM t",
    "SELECT [it's] FROM t",
    "SELECT 1 // don't (\nFROM t",
    "SELECT 1 /* a /* b */ it's ( */ FROM t",
    "SELECT /*! ( */ 1 ) FROM t",
    "SELECT /*M! ( */ 1 ) FROM t",
    "SELECT (5--1) FROM t",
    "SELECT 1 -- a\r, 'b\n' FROM t",
    String.raw`SELECT q'\{it's (\}' FROM t`,
    "SELECT Nq'[it's (]' FROM t",
    "SELECT Q'!it's (!' FROM t",
    String.raw`SELECT E'it\'s (' FROM t`,
    String.raw`SELECT r"\" FROM t -- "it's`,
    "SELECT $tag$it's ($tag$ FROM t",
    "SELECT $é$it's ($é$ FROM t",
    "SELECT 1 # don't (\nFROM t",
    'SELECT """it"s (""" FROM t',
    "SELECT '''it's (''' FROM t",
    "SELECT [amount (USD] FROM t",
    "SELECT [a]]'b] FROM t",
    "SELECT ‘it's (’ FROM t",
    "WITH a AS (SELECT 1) SELECT * FROM a",
    "FROM t",
    "(SELECT 1)",
  ])("%s is valid", (sql) => {
    expect(errorsOf(cube(sql))).toEqual([]);
  });
});

test("a condition on the security context that opens all rows without a value is a warning at its place", () => {
  const cube = (method: string) => `cubes:
  - name: shops
    sql: "SELECT * FROM t WHERE {SECURITY_CONTEXT.store.${method}('store')}"
    dimensions: [{ name: store, sql: store, type: string }]
`;
  const warningsOf = (content: string) => compileModel([{ path: "model/c.yml", content }]).warnings;
  expect(warningsOf(cube("filter"))).toEqual([
    {
      code: "open-filter",
      message: expect.stringContaining("write SECURITY_CONTEXT.store.requiredFilter") as string,
      fileName: "model/c.yml",
      line: 3,
      column: 10,
    },
  ]);
  expect(warningsOf(cube("requiredFilter"))).toEqual([]);
});

test.each(["''", "null"])("a row filter with the value %s is an error", (value) => {
  const content = `cubes:
  - name: t
    sql_table: t
    dimensions: [{ name: kind, sql: kind, type: string }]
    access_policy:
      - group: "*"
        row_level: { filters: [{ member: kind, operator: contains, values: [${value}] }] }
`;
  const { errors } = compileModel([{ path: "model/t.yml", content }]);
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("opens no row; to open rows without a value, use the operator notSet"),
  ]);
});

test("what a broken file declares is missing without further errors", () => {
  const other = `
cubes:
  - name: b
    extends: a
    sql: "SELECT * FROM ({a.sql()}) AS a WHERE {FILTER_PARAMS.a.x.filter('x')}"
    joins: [{ name: a, relationship: many_to_one, sql: "{CUBE}.a_id = {a.id}" }]
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: x, sql: "{a.x}", type: string }
    measures: [{ name: count, type: count, drill_members: [a.x] }]
  - name: c
    sql_table: c
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: counted, sub_query: true, sql: "{a.count}", type: number }
      - { name: chosen, type: string, case: { switch: "{a.y}", when: [{ value: p, sql: "'p'" }], else: { sql: "'q'" } } }
views:
  - name: v
    cubes: [{ join_path: a, includes: "*" }, { join_path: b.a, includes: "*" }]
`;
  for (const broken of ["cubes: [", "cubes: [{ name: a, sql_table: a, wrong: 1 }]"]) {
    const { errors, errorCount } = compileModel([
      { path: "model/a.yml", content: broken },
      { path: "model/b.yml", content: other },
    ]);
    expect({ files: errors.map(({ fileName }) => fileName), errorCount }).toEqual({
      files: ["model/a.yml"],
      errorCount: 1,
    });
  }
  const { errors } = compileModel([{ path: "model/b.yml", content: other }]);
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("there is no cube a to extend"),
    expect.stringContaining("{a.count} is neither"),
    expect.stringContaining("{a.y} is neither"),
    expect.stringContaining("a is not a cube"),
  ]);
});
