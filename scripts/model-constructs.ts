// Generates the page of constructs of the data-model language: each example is compiled, and the page says what the compiler says.
import { compileFiles } from "../service/model/compile.ts";
import { page, table } from "./markdown.ts";

/** An example of a construct: a member of the cube `a`, a key of it, a view of it, or a file. */
interface Construct {
  readonly what: string;
  readonly dimension?: string;
  readonly measure?: string;
  readonly cube?: string;
  readonly view?: string;
  readonly file?: readonly [path: string, content: string];
}

/** A model that the examples add to. `b` is joined to `a`, and each row of `b` has several of `c`. */
const modelOf = ({ dimension = "", measure = "", cube = "", view = "" }: Construct): string => `
cubes:
  - name: a
    sql_table: a
    joins: [{ name: b, relationship: many_to_one, sql: "{CUBE}.b_id = {b.id}" }]
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: kind, sql: kind, type: string }
      - { name: at, sql: at, type: time, granularities: [{ name: fiscal, interval: 1 year, offset: 1 month }] }
${dimension === "" ? "" : `      - { name: x, ${dimension} }`}
    measures:
      - { name: count, type: count }
      - { name: total, type: sum, sql: x }
      - { name: running, type: sum, sql: x, rolling_window: { trailing: unbounded } }
${measure === "" ? "" : `      - { name: y, ${measure} }`}
${cube === "" ? "" : `    ${cube}`}
  - name: b
    sql_table: b
    joins: [{ name: c, relationship: one_to_many, sql: "{CUBE}.id = {c}.b_id" }]
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: most, sql: "{c.total}", type: number, sub_query: true }
    measures: [{ name: total, type: sum, sql: x }]
  - name: c
    sql_table: c
    dimensions: [{ name: id, sql: id, type: number, primary_key: true }]
    measures: [{ name: total, type: sum, sql: x }]
${view === "" ? "" : `views: [{ name: v, ${view} }]`}
`;

const inView = "cubes: [{ join_path: a, includes: '*' }]";

const constructs: readonly Construct[] = [
  { what: "a column of a joined cube", dimension: "sql: '{b}.city', type: string" },
  { what: "a measure of a joined cube", measure: "type: number, sql: '{total} / {b.total}'" },
  {
    what: "an aggregate beside other measures",
    measure: "type: number, sql: 'sum({CUBE}.x) / {running}'",
  },
  {
    what: "columns outside an aggregate, beside measures of other cubes",
    measure: "type: number, sql: '{CUBE}.x * {b.total}'",
  },
  { what: "a measure where rows are read", measure: "type: sum, sql: '{total}'" },
  {
    what: "`filters` of a calculated measure",
    measure: "type: number, sql: '{total}', filters: [{ sql: '{kind} = 1' }]",
  },
  {
    what: "`case` of a dimension",
    dimension:
      "type: string, case: { when: [{ sql: '{kind} = 1', label: one }], else: { label: other } }",
  },
  { what: "a dimension of type `switch`", dimension: "type: switch, values: [EUR, USD]" },
  {
    what: "`case` with `switch`",
    dimension: "type: switch, values: [EUR, USD]",
    measure:
      "multi_stage: true, type: number, case: { switch: '{x}', when: [{ value: EUR, sql: '{total}' }], else: { sql: '{b.total}' } }",
  },
  {
    what: "`case` with `switch` over a column",
    measure:
      "multi_stage: true, type: number, case: { switch: '{kind}', when: [{ value: a, sql: '{total}' }] }",
  },
  {
    what: "an aggregate that reads a switch",
    dimension: "type: switch, values: [EUR, USD]",
    measure: "type: sum, sql: \"CASE WHEN {x} = 'EUR' THEN eur END\"",
  },
  {
    what: "a multi-stage dimension",
    dimension: "multi_stage: true, sql: '{total}', type: number, add_group_by: [kind]",
  },
  {
    what: "a multi-stage dimension in SQL",
    dimension: "multi_stage: true, sql: '{total}', type: number",
    measure: "type: count, filters: [{ sql: '{x} > 1' }]",
  },
  { what: "`sub_query`", dimension: "sql: '{b.total}', type: number, sub_query: true" },
  {
    what: "`propagate_filters_to_sub_query`",
    dimension:
      "sql: '{b.total}', type: number, sub_query: true, propagate_filters_to_sub_query: true",
  },
  {
    what: "`sub_query` over a shifted measure",
    dimension: "sql: '{y}', type: number, sub_query: true",
    measure:
      "multi_stage: true, type: number, sql: '{total}', time_shift: [{ interval: 1 year, type: prior }]",
  },
  { what: "`links`", dimension: "sql: x, type: string, links: [{ name: l, label: L, url: x }]" },
  {
    what: "`time_shift` of a calendar",
    cube: "calendar: true",
    dimension: "sql: t, type: time, time_shift: [{ name: before, interval: 1 year, type: prior }]",
    measure: "multi_stage: true, type: number, sql: '{total}', time_shift: [{ name: before }]",
  },
  {
    what: "`time_shift` of a dimension elsewhere",
    dimension: "sql: t, type: time, time_shift: [{ name: before, interval: 1 year, type: prior }]",
  },
  {
    what: "a granularity of months and days",
    dimension:
      "sql: t, type: time, granularities: [{ name: g, interval: 1 month 2 days, origin: '2026-01-01' }]",
  },
  {
    what: "a granularity in SQL",
    cube: "calendar: true",
    dimension: "sql: t, type: time, granularities: [{ name: month, sql: month_start }]",
  },
  {
    what: "a granularity in SQL with a name of its own",
    cube: "calendar: true",
    dimension: "sql: t, type: time, granularities: [{ name: period, sql: period_start }]",
  },
  { what: "a mask of another type", dimension: "sql: x, type: number, mask: none" },
  {
    what: "`rolling_window`",
    measure: "type: sum, sql: x, rolling_window: { trailing: 1 month, leading: 1 day }",
  },
  {
    what: "`rolling_window` to date",
    measure: "type: sum, sql: x, rolling_window: { type: to_date, granularity: fiscal }",
  },
  { what: "`rolling_window` without bounds", measure: "type: sum, sql: x, rolling_window: {}" },
  {
    what: "`rolling_window` of a multi-stage measure",
    measure: "multi_stage: true, type: avg, sql: '{total}', rolling_window: { trailing: 3 month }",
  },
  { what: "`group_by`", measure: "multi_stage: true, type: sum, sql: '{total}', group_by: [kind]" },
  {
    what: "`grain`",
    measure: "multi_stage: true, type: sum, sql: '{total}', grain: { exclude: [kind] }",
  },
  {
    what: "`time_shift`",
    measure:
      "multi_stage: true, type: number, sql: '{total}', time_shift: [{ interval: 1 year, type: prior }]",
  },
  {
    what: "a `time_shift` that no calendar declares",
    measure: "multi_stage: true, type: number, sql: '{total}', time_shift: [{ name: before }]",
  },
  {
    what: "`filter` of a multi-stage measure",
    measure:
      "multi_stage: true, type: number, sql: '{total}', filter: { exclude: [kind], include: [{ member: b.id, operator: set }] }",
  },
  {
    what: "`sub_query` over a measure with `filter`",
    dimension: "sql: '{y}', type: number, sub_query: true",
    measure: "multi_stage: true, type: number, sql: '{total}', filter: { exclude: [kind] }",
  },
  {
    what: "`filters` of a multi-stage measure",
    measure: "multi_stage: true, type: sum, sql: '{total}', filters: [{ sql: '{kind} = 1' }]",
  },
  {
    what: "columns in a multi-stage measure",
    measure: "multi_stage: true, type: sum, sql: '{total} + {CUBE}.x'",
  },
  {
    what: "`rank`",
    measure:
      "multi_stage: true, type: rank, order_by: [{ sql: '{total}', dir: desc }], reduce_by: [kind]",
  },
  {
    what: "`sql` of a rank",
    measure: "multi_stage: true, type: rank, sql: '{total}', order_by: [{ sql: '{total}' }]",
  },
  {
    what: "a row filter on a joined cube",
    cube: "access_policy: [{ group: '*', row_level: { filters: [{ member: b.id, operator: set }] } }]",
  },
  {
    what: "a row filter on a subquery",
    cube: "access_policy: [{ group: '*', row_level: { filters: [{ member: b.most, operator: set }] } }]",
  },
  {
    what: "`default_filters`",
    view: `${inView}, default_filters: [{ member: kind, operator: set, unless: [kind] }]`,
  },
  {
    what: "`folders` and `hierarchies`",
    view: `${inView}, folders: [{ name: F, includes: [kind] }]`,
    cube: "hierarchies: [{ name: h, levels: [kind, id] }]",
  },
  {
    what: "a `join_path` that no cube declares",
    view: "cubes: [{ join_path: b.a, includes: [count] }]",
  },
  {
    what: "members of a view",
    view: `${inView}, measures: [{ name: m, type: number, sql: '2 * {count}' }]`,
  },
  {
    what: "columns in a member of a view",
    view: `${inView}, measures: [{ name: m, type: number, sql: '{CUBE}.x + {count}' }]`,
  },
  {
    what: "segments of a view",
    view: `${inView}, segments: [{ name: s, sql: '{kind} = 1' }]`,
  },
  { what: "`split` of a view", view: "cubes: [{ join_path: a, includes: '*', split: true }]" },
  {
    what: "`view_groups`",
    view: `${inView}, view_groups: [g]`,
    file: ["model/groups.yml", "view_groups: [{ name: g, includes: [v] }]"],
  },
  {
    what: "`unsafeValue()`",
    cube: 'refresh_key: { sql: "SELECT {SECURITY_CONTEXT.x.unsafeValue()}" }',
  },
  {
    what: "`COMPILE_CONTEXT` in templates",
    file: [
      "model/d.yml",
      'cubes: [{ name: d, sql_table: d, public: {{ COMPILE_CONTEXT.securityContext.tenant == "acme" }} }]',
    ],
  },
  {
    what: "`COMPILE_CONTEXT` in JavaScript",
    file: [
      "model/d.js",
      'cube("d", { sql_table: "d", public: COMPILE_CONTEXT.securityContext.tenant === "acme" })',
    ],
  },
  {
    what: "`COMPILE_CONTEXT` in SQL of YAML",
    dimension: "sql: '{COMPILE_CONTEXT.securityContext.tenant}', type: string",
  },
  { what: "the configuration of other servers", file: ["cube.js", "module.exports = {};"] },
  { what: "TypeScript", file: ["model/a.ts", "export {};"] },
  { what: "Python", file: ["model/globals.py", "x = 1;"] },
];

async function resultOf(construct: Construct) {
  const { what, file, dimension, measure, cube, view } = construct;
  const { errors, warnings } = await compileFiles([
    { path: "model/example.yml", content: modelOf(construct) },
    ...(file ? [{ path: file[0], content: file[1] }] : []),
  ]);
  const parts = [dimension, measure, cube, view].filter((one) => one !== undefined);
  const written = file ? [...parts, file[1].endsWith(";") ? file[0] : file[1]] : parts;
  const example = written.map((one) => `\`${one}\``).join(" with ");
  const warned = warnings.map(({ code, message }) => `\`${code}\`: ${message}`);
  return { what, example, warned, errors: errors.map(({ message }) => message) };
}

/** Returns the page. */
export async function modelConstructsPage(): Promise<string> {
  const results = await Promise.all(constructs.map(resultOf));
  return page("Unsupported declarations of data models", [
    "What no query can compute is an error of the data model, with its file, line and column. `svc validate`, plans and the checks of promotions find it before a query does. What each key means: [the data-model language](data-model-language.md).",
    "The tables are what the compiler answers to the examples.",
    "## Refused",
    table(
      ["construct", "example", "error"],
      results
        .filter(({ errors }) => errors.length > 0)
        .map(({ what, example, errors }) => [what, example, errors.join("; ")]),
    ),
    "## Works",
    table(
      ["construct", "example", "warning"],
      results
        .filter(({ errors }) => errors.length === 0)
        .map(({ what, example, warned }) => [what, example, warned.join("; ")]),
    ),
  ]);
}
