// Data models with Jinja: what templates can do, the places of their errors, and their bounds.
import { describe, expect, test } from "vitest";
import { compileFiles } from "./compile.ts";

async function compiled(files: Readonly<Record<string, string>>) {
  return compileFiles(Object.entries(files).map(([path, content]) => ({ path, content })));
}

/** Returns each error as `file:line:column message`. */
async function errorsOf(files: Readonly<Record<string, string>>) {
  const { errors } = await compiled(files);
  return errors.map(
    ({ fileName, line, column, message }) =>
      `${fileName.replace("model/", "")}:${line}:${column} ${message}`,
  );
}

const macros = `
{%- macro total(name) %}
      - name: {{ name }}_total
        type: sum
        sql: {{ name }}
{%- endmacro %}
`;
const orders = `{% from "lib/macros.jinja" import total %}
{% set tables = {"orders": ["amount", "tax"], "items": ["price"]} %}
cubes:
{%- for table, columns in tables | items %}
  - name: {{ table | upper | lower }}
    sql_table: public.{{ table | safe }}
    measures:
{%- for column in columns %}
{{- total(column | safe) }}
{%- endfor %}
{%- endfor %}
`;

test("templates loop, have macros and filters, and import each other", async () => {
  const files = { "model/cubes/a.yml": orders, "model/lib/macros.jinja": macros };
  const { model, errors } = await compiled(files);
  expect(errors).toEqual([]);
  expect(
    model?.cubes.map(({ name, table, measures }) => [name, table, measures.map((one) => one.name)]),
  ).toEqual([
    ["items", ["public.items"], ["price_total"]],
    ["orders", ["public.orders"], ["amount_total", "tax_total"]],
  ]);
});

test("every template escapes texts as JSON, whatever its name", async () => {
  const content = "cubes:\n  - name: {{ 'a' }}\n    sql_table: {{ 'b: c'.upper() }}\n";
  for (const name of ["a.yml", "a.yml.jinja", "a.jinja", "a.j2"]) {
    const { model } = await compiled({ [`model/${name}`]: content });
    expect(model?.cubes).toMatchObject([{ name: "a", table: ["B: C"] }]);
  }
});

test("two files that templates import by one name are refused", async () => {
  const macro = "{% macro a() %}a{% endmacro %}";
  const uses = '{% from "lib/m.jinja" import a %}cubes: [{ name: a, sql_table: a }]';
  expect(
    await errorsOf({
      "model/a.yml": uses,
      "model/lib/m.jinja": macro,
      "schema/lib/m.jinja": macro,
    }),
  ).toEqual([
    "schema/lib/m.jinja:1:1 templates import model/lib/m.jinja by the same name, lib/m.jinja; rename one",
  ]);
});

test("the places of many errors in many templates take time in proportion", async () => {
  const cubes = "{% for i in range(5) %}\n  - { nam: x }\n{% endfor %}";
  const files = Array.from({ length: 300 }, (_, at) => [`model/a${at}.yml`, `cubes:\n${cubes}`]);
  const before = process.cpuUsage();
  const errors = await errorsOf(Object.fromEntries(files));
  expect(errors[0]).toMatch(/^a0\.yml:3:\d+ /u);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(20);
});

test("tags in a comment of YAML are text, and a # in a text begins no comment", async () => {
  const plain = "# {{ nothing }} {% for %}\ncubes: # {% x\n  - { name: a, sql_table: a }\n";
  expect(await errorsOf({ "model/a.yml": plain })).toEqual([]);
  const block = "cubes:\n  - name: a\n    sql: |\n      # {{ 1 + 1 }}\n      SELECT {{ 1 + 1 }}\n";
  const { model } = await compiled({ "model/a.yml": block });
  expect(model?.cubes[0]?.table).toEqual(["# 2\nSELECT 2\n"]);
});

test("tags in comments of a template are text, also where they do not close", async () => {
  const template = `# {{ nothing }} {% for %} {# COMPILE_CONTEXT
cubes: # {{ COMPILE_CONTEXT
  # {% if
  - name: a {# a comment of Jinja
    # {{ nothing #}
    sql: >-
      SELECT '# {{ "1" | safe }}',
      # {{ 1 + 1 }}
    title: "# {{ 'b' | safe }}"
    description: {{ "c # {{" }} # {{ nothing
`;
  const { model, errors } = await compiled({ "model/a.yml": template });
  expect(errors).toEqual([]);
  expect(model?.cubes[0]).toMatchObject({
    table: ["SELECT '# 1', # 2"],
    title: "# b",
    description: "c # {{",
  });
});

test("a comment of Jinja alone makes a template", async () => {
  const { model, errors } = await compiled({
    "model/a.yml": "cubes:\n  {# two\n lines #}\n  - { name: a, sql_table: a } {# end #}\n",
  });
  expect(errors).toEqual([]);
  expect(model?.cubes).toHaveLength(1);
});

describe("errors name the line of the template", () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["syntax", { "model/a.yml": "cubes:\n{% for x %}\n" }, "a.yml:2:10 Jinja: syntax error: "],
    [
      "a name that is not defined",
      { "model/a.yml": "cubes:\n  - name: {{ table }}\n" },
      "a.yml:2:14 Jinja: table is not defined",
    ],
    [
      "a function of Python",
      { "model/a.yml": "cubes:\n  - name: {{ load() }}\n" },
      "a.yml:2:14 Jinja: unknown function: load is unknown; functions of Python and env_var do not exist here, write a macro or the value",
    ],
    [
      "a template that does not exist",
      { "model/a.yml": '{% import "b.jinja" as b %}' },
      "a.yml:1:4 Jinja: template not found: ",
    ],
    [
      "YAML",
      { "model/a.yml": "{% set x = 1 %}\ncubes:\n  - { name: a, sql_table: {{ x }} }}\n" },
      'a.yml:3:3 YAML syntax: unexpected "}"',
    ],
    [
      "the schema, in a loop",
      {
        "model/a.yml":
          "cubes:\n{% for n in range(2) %}\n  - name: c{{ n }}\n\n    sql_tabel: t\n{% endfor %}\n",
      },
      "a.yml:5:5 sql_tabel is not a known field",
    ],
    [
      "the schema, in a macro of another file",
      {
        "model/a.yml":
          '{% from "m.jinja" import cube %}\ncubes:\n{{ cube("a") }}\n{{ cube("b") }}\n',
        "model/m.jinja":
          "\n{% macro cube(name) %}\n  - name: {{ name }}\n    type: t\n{%- endmacro %}",
      },
      "m.jinja:4:5 type is not a known field",
    ],
  ])("%s", async (_, files, expected) => {
    const [first] = await errorsOf(files);
    expect(first?.slice(0, expected.length)).toBe(expected);
  });

  test("and the template, where marks of lines would change what it writes", async () => {
    const content =
      "cubes:\n{% set name %}a b{% endset %}\n{% if name == 'a b' %}\n  - nam: a\n{% endif %}\n";
    const [first] = await errorsOf({ "model/a.yml": content });
    expect(first).toMatch(/^a\.yml:1:1 nam/u);
  });
});

describe("templates are bounded", () => {
  test.each([
    [
      "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
      "out of fuel",
    ],
    ["{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "recursion limit"],
    ['{% include "a.yml" %}', "could not render include"],
    [`{{ ${"(".repeat(100_000)}1 }}`, "recursion limits"],
    ["{% if 1 %}".repeat(50_000), "recursion limits"],
    [
      "{% for a in range(100000) %}0123456789012345{% endfor %}",
      "writes more than 1048576 characters",
    ],
    ["{{ ''.__class__.__mro__ }}", "is not defined"],
  ])("%s", async (content, expected) => {
    const [error] = await errorsOf({ "model/a.yml": content });
    expect(error?.slice(0, 300)).toContain(expected);
  });
});
