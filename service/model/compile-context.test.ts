// COMPILE_CONTEXT in data models: what code reads of it, in both languages, and what contexts cannot do.
import { describe, expect, test } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import type { JsonObject } from "../../core/json.ts";
import { preAggregationUses } from "../rollups/plan-rollup.ts";
import { compileContextOf } from "./compile-context.ts";
import { compileFiles } from "./compile.ts";

const contextOf = (securityContext: JsonObject) =>
  compileContextOf({ securityContext, isEmbedded: false });

async function compiled(path: string, content: string, securityContext?: JsonObject) {
  const context = securityContext && { context: contextOf(securityContext) };
  return compileFiles([{ path, content }], { usesOf: preAggregationUses, ...context });
}

async function errorsOf(...of: Parameters<typeof compiled>) {
  const { errors } = await compiled(...of);
  return errors.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

/** The same model in both languages. */
const languages = {
  "model/a.yml": `{% set context = COMPILE_CONTEXT.securityContext %}
cubes:
  - name: orders
    sql_table: {{ context.tenant | default("none") }}
    dimensions:
{%- for column in context.columns | default([]) %}
      - { name: {{ column }}, sql: {{ column }}, type: string }
{%- endfor %}
    measures:
      - { name: count, type: count }
{%- if context.level >= 2 and context.tenant %}
      - { name: total, type: sum, sql: amount, public: {{ context.tenant == "acme" }} }
{%- endif %}
`,
  "model/a.js": `const { securityContext: { tenant, columns = [], level } } = COMPILE_CONTEXT;
cube("orders", {
  sql_table: tenant ?? "none",
  dimensions: Object.fromEntries(columns.map((name) => [name, { sql: name, type: "string" }])),
  measures: {
    count: { type: "count" },
    ...(COMPILE_CONTEXT.securityContext.level >= 2 && tenant && {
      total: { type: "sum", sql: "amount", public: tenant === "acme" },
    }),
  },
});`,
};

describe.each(Object.entries(languages))("%s", (path, content) => {
  test.each<[JsonObject | undefined, object]>([
    [undefined, { table: ["none"], dimensions: [], measures: [{ name: "count" }] }],
    [{}, { table: ["none"], dimensions: [], measures: [{ name: "count" }] }],
    [
      { tenant: "acme", columns: ["city", "status"], level: 2 },
      {
        table: ["acme"],
        dimensions: [{ name: "city" }, { name: "status" }],
        measures: [{ name: "count" }, { name: "total", public: true }],
      },
    ],
    [
      { tenant: "other", level: 3 },
      { table: ["other"], measures: [{ name: "count" }, { name: "total", public: false }] },
    ],
  ])("compiles for %j", async (securityContext, cube) => {
    const { model, errors, warnings } = await compiled(path, content, securityContext);
    expect(errors).toEqual([]);
    expect(model).toMatchObject({ cubes: [cube], readsContext: true });
    expect(warnings).toMatchObject([{ code: "compile-context", fileName: path, line: 1 }]);
  });
});

test.each([
  ["model/a.js", "cube('a', { sql_table: 'a', title: 'COMPILE_CONTEXT' }); // COMPILE_CONTEXT"],
  ["model/a.js", "((COMPILE_CONTEXT) => cube('a', { sql_table: COMPILE_CONTEXT }))('a');"],
  [
    "model/a.yml",
    "cubes:\n  - { name: a, sql_table: a } {# COMPILE_CONTEXT #}\n  # {{ COMPILE_CONTEXT",
  ],
  ["model/a.yml", "cubes: [{ name: a, sql_table: {{ 'a' }}, title: COMPILE_CONTEXT }]"],
])("%s does not read the context by naming it: %s", async (path, content) => {
  const { model, warnings } = await compiled(path, content, { tenant: "x" });
  expect([model?.readsContext, warnings]).toEqual([false, []]);
});

test.each([
  ["model/a.js", "cube('a', { sql_table: typeof COMPILE_CONTEXT });"],
  ["model/a.js", "const x = { COMPILE_CONTEXT }; cube('a', { sql_table: 'a' });"],
  ["model/a.js", "cube('a', { sql_table: COMPILE_CONTEX\\u0054.securityContext.t ?? 'a' });"],
  [
    "model/a.yml",
    "cubes: [{ name: a, sql_table: a }]\n{% set x = COMPILE_CONTEXT['securityContext'] %}",
  ],
])("%s reads the context: %s", async (path, content) => {
  const { model, errors } = await compiled(path, content, { tenant: "x" });
  expect([model?.readsContext, errors]).toEqual([true, []]);
});

test("a macro and a helper of another file read the same context", async () => {
  const files = [
    {
      path: "model/a.yml",
      content: '{% import "m.jinja" as m %}cubes: [{ name: a, sql_table: {{ m.t() }} }]',
    },
    {
      path: "model/m.jinja",
      content: "{% macro t() %}{{ COMPILE_CONTEXT.securityContext.t }}{% endmacro %}",
    },
    { path: "model/b.js", content: "import { t } from './lib'; cube('b', { sql_table: t });" },
    { path: "model/lib.js", content: "export const { t } = COMPILE_CONTEXT.securityContext;" },
  ];
  const { model, errors } = await compileFiles(files, { context: contextOf({ t: "x" }) });
  expect(errors).toEqual([]);
  expect(model?.cubes.map(({ table }) => table)).toEqual([["x"], ["x"]]);
});

test("a model that does not read the context cannot print it", async () => {
  const content = "cubes: [{ name: a, sql_table: a, title: {{ debug() }} }]";
  const { model } = await compiled("model/a.yml", content, { tenant: "secret" });
  expect(model?.cubes[0]?.title).not.toContain("secret");
});

test.each([
  [
    "model/a.yml",
    "cubes:\n  - name: a\n    sql_table: {{ COMPILE_CONTEXT.securityContext.t }}\n",
    "3:34 Jinja: .securityContext.t is not defined",
  ],
  [
    "model/a.yml",
    "cubes:\n  - name: {{ COMPILE_CONTEXT.securityContext.t.id }}\n",
    "2:45 Jinja: .t.id is not defined",
  ],
  [
    "model/a.js",
    "const s = COMPILE_CONTEXT.securityContext;\ncube('a', { sql_table: `${s.t}.a` });",
    "2:27 JavaScript: ",
  ],
  [
    "model/a.js",
    "const s = COMPILE_CONTEXT.securityContext;\nconst t = s.t.id;",
    "2:14 JavaScript: ",
  ],
])("%s has an error where it writes a value that the context lacks", async (path, content, at) => {
  const [error] = await errorsOf(path, content);
  expect(error?.slice(0, at.length)).toBe(at);
  expect(error).toContain(
    "if a security context lacks the value, as that of builds does, write a default",
  );
  if (path.endsWith(".js") && !content.includes("id"))
    expect(await errorsOf(path, content, { t: "x" })).toEqual([]);
});

test("a test of an undefined name stays an error where no file reads the context", async () => {
  expect(await errorsOf("model/a.yml", "{% if tenant %}{% endif %}")).toHaveLength(1);
});

test("rollups are not used: all callers share their rows", async () => {
  const content = `cube("a", { sql_table: COMPILE_CONTEXT.securityContext.t ?? "a",
    measures: { count: { type: "count" } }, pre_aggregations: { main: { measures: [count] } } });`;
  const { preAggregations, warnings } = await compiled("model/a.js", content, { t: "x" });
  const reason = "the data model reads COMPILE_CONTEXT, and all callers share stored rows";
  expect(preAggregations).toEqual([{ name: "a.main", usable: false, reason }]);
  expect(warnings.map(({ code }) => code)).toContain("unused-pre-aggregation");
});

describe("contexts", () => {
  test.each<[string, JsonObject]>([
    ["more than 10000 characters", { a: "x".repeat(limits.compileContextLength) }],
    ["beyond 2^53 as id", { a: { id: 2 ** 53 } }],
    ["U+FDD0", { a: "\uFDD0SECURITY_CONTEXT.x\uFDD1" }],
    ["U+FDD0", { "\uFDD0": 1 }],
  ])("with %s are refused", (expected, securityContext) => {
    expect(() => contextOf(securityContext)).toThrow(expected);
  });

  test("are missing for users of the account only", () => {
    for (const securityContext of [undefined, {}]) {
      const owner = { securityContext };
      expect(compileContextOf({ ...owner, isEmbedded: false })).toBe('{"securityContext":{}}');
      expect(() => compileContextOf({ ...owner, isEmbedded: true })).toThrow("no security context");
    }
  });

  const hostile: JsonObject = {
    ...(JSON.parse('{"__proto__":{"tenant":"acme","level":9,"toJSON":1}}') as JsonObject),
    constructor: { prototype: { level: 9 } },
    toString: "x",
    columns: JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`) as JsonObject[],
  };
  test.each([
    [
      "model/a.js",
      `const c = Object.assign({}, COMPILE_CONTEXT.securityContext), d = { ...COMPILE_CONTEXT.securityContext };
cube("a", { sql_table: [c.tenant, d.tenant, ({}).tenant, ({}).level, c.__proto__.tenant].map(String).join() });`,
      "undefined,undefined,undefined,undefined,acme",
    ],
    [
      "model/a.yml",
      `{% set c = COMPILE_CONTEXT.securityContext %}cubes: [{ name: a, sql_table: {{ [c.tenant is defined, c["__proto__"].tenant] | join(",") }} }]`,
      "false,acme",
    ],
  ])("%s reads members with names of prototypes as they are", async (path, content, table) => {
    const { model, errors } = await compiled(path, content, hostile);
    expect(errors).toEqual([]);
    expect(model?.cubes[0]?.table).toEqual([table]);
  });

  test("a text of the context has no references in JavaScript", async () => {
    const content = "cube('a', { sql: `SELECT '${COMPILE_CONTEXT.securityContext.t ?? ''}'` });";
    const { model } = await compiled("model/a.js", content, { t: "{CUBE} ${SECURITY_CONTEXT.a}" });
    expect(model?.cubes[0]?.table).toEqual(["SELECT '{CUBE} ${SECURITY_CONTEXT.a}'"]);
  });
});
