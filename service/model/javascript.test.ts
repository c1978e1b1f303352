// Data models in JavaScript: what files can do, and the places of their errors.
import { describe, expect, test } from "vitest";
import { compileFiles } from "./compile.ts";
import type { CompiledCube, CompiledModel } from "./types.ts";

async function compiled(files: Readonly<Record<string, string>>) {
  return compileFiles(Object.entries(files).map(([path, content]) => ({ path, content })));
}

/** Returns each error as `file:line:column message`. */
async function errorsOf(content: string, others: Readonly<Record<string, string>> = {}) {
  const { errors } = await compiled({ "model/a.js": content, ...others });
  return errors.map(
    ({ fileName, line, column, message }) =>
      `${fileName.replace("model/", "")}:${line}:${column} ${message}`,
  );
}

async function modelOf(files: Readonly<Record<string, string>>): Promise<CompiledModel> {
  const { model, errors } = await compiled(files);
  expect(errors).toEqual([]);
  return model as CompiledModel;
}

async function cubeOf(content: string, others: Readonly<Record<string, string>> = {}) {
  const model = await modelOf({ "model/a.js": content, ...others });
  return model.cubes[0] as CompiledCube;
}

const own = { kind: "table", path: ["a"] };
const member = (name: string) => ({
  kind: "member",
  path: ["a"],
  member: name,
  memberKind: "dimension",
});

describe("references", () => {
  test("of the cube, of members and of the language, also in other texts", async () => {
    const cube = await cubeOf(
      [
        "const upper = (column) => `UPPER(${CUBE}.${column})`;",
        "cube(`a`, {",
        "  sql: `SELECT * FROM t WHERE ${FILTER_PARAMS.a.at.filter('at')} AND ${SECURITY_CONTEXT.tenant.requiredFilter('t')}`,",
        "  dimensions: {",
        "    id: { sql: `id`, type: `number`, primaryKey: true },",
        "    at: { sql: `at`, type: `time` },",
        "    name: { sql: upper('name'), type: `string` },",
        "    both: { sql: '{' + CUBE.id + '} ' + `${id} \\\\{ ${CUBE}`, type: `string` },",
        "    local: { sql: `${SQL_UTILS.convertTz(`${CUBE}.at`)} ${SQL_UTILS.convertTz(at)}`, type: `time` },",
        "  },",
        "});",
      ].join("\n"),
    );
    const column = (name: string) => ({ parts: [name] });
    expect(cube.table).toMatchObject([
      "SELECT * FROM t WHERE ",
      { kind: "filter_params", cube: "a", member: "at", ...column("at") },
      " AND ",
      { kind: "security_context", path: ["tenant"], required: true, ...column("t") },
    ]);
    expect(cube.dimensions.map(({ sql }) => sql)).toEqual([
      [own, ".id"],
      [own, ".at"],
      ["UPPER(", own, ".name)"],
      ["{", member("id"), "} ", member("id"), " \\{ ", own],
      [
        { kind: "convert_tz", parts: [own, ".at"] },
        " ",
        { kind: "convert_tz", parts: [member("at")] },
      ],
    ]);
  });

  test("of functions in the place of values, by the names of their parameters", async () => {
    const cube = await cubeOf(
      [
        "const later = (column) => ({ sql: (CUBE) => `${CUBE}.${column}`, type: 'number' });",
        "cube('a', { sql_table: 'a', dimensions: { x: later('x'), y: { sql() { return 'y'; }, type: 'number' } },",
        "  measures: { n: { type: 'count', drillMembers: () => [x], title: CUBE => `${'N'}` } } });",
      ].join("\n"),
    );
    expect(cube.dimensions.map(({ sql }) => sql)).toEqual([
      [own, ".x"],
      [own, ".y"],
    ]);
    expect(cube.measures).toMatchObject([{ title: "N", drillMembers: ["a.x"] }]);
  });

  test("of FILTER_PARAMS with a function, in YAML with a lambda", async () => {
    const script = await cubeOf(
      "cube('a', { sql: `SELECT ${FILTER_PARAMS.a.at.filter((from, to) => `at >= ${from} AND \"o'k\" < {${to}}`)}`, dimensions: { at: { sql: 'at', type: 'time' } } })",
    );
    const yaml = await modelOf({
      "model/a.yml": [
        "cubes:",
        "  - name: a",
        "    sql: >-",
        "      SELECT {FILTER_PARAMS.a.at.filter(lambda x, y: f'at >= {x} AND {CUBE}.at < {y}')}",
        "    dimensions: [{ name: at, sql: at, type: time }]",
      ].join("\n"),
    });
    const value = (index: number) => ({ kind: "filter_value", index });
    const filter = { kind: "filter_params", cube: "a", member: "at", values: 2 };
    expect(script.table).toEqual([
      "SELECT ",
      { ...filter, parts: ["at >= ", value(0), ' AND "o\'k" < {', value(1), "}"] },
    ]);
    expect(yaml.cubes[0]?.table).toEqual([
      "SELECT ",
      { ...filter, parts: ["at >= ", value(0), " AND ", own, ".at < ", value(1)] },
    ]);
  });

  test("of convertTz, whose texts are SQL, and whose references are members", async () => {
    const sql = (text: string) => `{ sql: \`\${SQL_UTILS.convertTz(${text})}\`, type: 'time' }`;
    const cube = await cubeOf(
      `cube('a', { sql_table: 'a', dimensions: { at: ${sql("'at'")}, b: ${sql("at")}, c: ${sql("`${CUBE}.at || 'x' || \"y\"`")} } })`,
    );
    const yaml = await modelOf({
      "model/a.yml": [
        "cubes:",
        "  - name: a",
        "    sql_table: a",
        "    dimensions:",
        "      - { name: at, sql: \"{SQL_UTILS.convertTz('at')}\", type: time }",
        '      - { name: b, sql: "{SQL_UTILS.convertTz(at)}", type: time }',
        "      - name: c",
        '        sql: "{SQL_UTILS.convertTz({CUBE}.at || \'x\' || \\"y\\")}"',
        "        type: time",
      ].join("\n"),
    });
    const convert = (...parts: readonly unknown[]) => [{ kind: "convert_tz", parts }];
    const expected = [
      convert(own, ".at"),
      convert(member("at")),
      convert(own, ".at || 'x' || \"y\""),
    ];
    expect(cube.dimensions.map((one) => one.sql)).toEqual(expected);
    expect(yaml.cubes[0]?.dimensions.map((one) => one.sql)).toEqual(expected);
  });

  test.each([
    [
      "a name that nothing declares, in SQL",
      "cube('a', {\n  sql_table: 'a',\n  dimensions: {\n    x: { sql: `${nope}`, type: 'string' },\n  },\n})",
      ["a.js:4:15 {nope} is neither a member of a nor a cube"],
    ],
    [
      "a name that nothing declares, elsewhere",
      "cube('a', { sql_table: 'a', title: nope })",
      ["a.js:1:36 nope is not declared in the file, and title takes no reference"],
    ],
    [
      "a reference that is tested",
      "cube('a', { sql_table: isTest ? 'a' : 'b' })",
      [
        "a.js:1:24 JavaScript: isTest is a reference, and cannot be tested, compared or computed with; use it whole, or declare the name in the file",
      ],
    ],
    [
      "a reference that is called",
      "cube('a', { sql: `${items.map((x) => x)}` })",
      ["a.js:1:30 JavaScript: items.map is not defined as a function"],
    ],
    [
      "a value that is no text",
      "const options = {};\ncube('a', {\n  sql: `SELECT ${options.column}`\n})",
      ["a.js:3:18 JavaScript: the value in the template literal is undefined, not a text"],
    ],
    ...["(CUBE = 1) =>", "(...CUBE) =>", "({ CUBE }) =>"].map(
      (list): [string, string, readonly string[]] => [
        `a parameter that is no name, ${list}`,
        `cube('a', { sql_table: 'a', dimensions: { x: { type: 'number', sql: ${list} \`\${CUBE}.x\` } } })`,
        [
          "a.js:1:1 JavaScript: a function in the place of a value must be an arrow function, and its parameters names only",
        ],
      ],
    ),
    [
      "a cube in the value of another",
      "cube('a', {\n  sql_table: () => { cube('b', { sql_table: 'b' }); return 'a'; },\n})",
      [
        "a.js:2:26 JavaScript: cube() is called in the value of a declaration; call it before the file ends",
      ],
    ],
    [
      "a reference that is cut",
      "cube('a', { sql: `${CUBE.id}`.slice(1) })",
      [
        "a.js:1:36 JavaScript: CUBE.id is a reference, and cannot be tested, compared or computed with; use it whole, or declare the name in the file",
      ],
    ],
    [
      "a reference in the name of a cube",
      "cube(`a${CUBE}`, { sql_table: 'a' })",
      ["a.js:1:1 aCUBE is not declared in the file, and a name takes no reference"],
    ],
  ])("%s is an error", async (_, content, expected) => {
    const errors = await errorsOf(content);
    expect(errors.map((one) => one.replace(/\. Did you mean.*/u, ""))).toEqual(expected);
  });
});

describe("code cannot depend on values that only a query has", () => {
  const policy = (text: string) =>
    `cube('a', { sql_table: 'a', dimensions: { id: { sql: 'id', type: 'number' } }, accessPolicy: ${text} })`;
  const open = "rowLevel: { allowAll: true }";
  const filtered = "filters: [{ member: id, operator: 'equals', values: [1] }]";
  test.each([
    policy(
      `[{ group: '*', rowLevel: securityContext.isManager ? { allowAll: true } : { ${filtered} } }]`,
    ),
    policy(
      `(securityContext) => [{ group: '*', rowLevel: securityContext.isManager ? { allowAll: true } : { ${filtered} } }]`,
    ),
    policy(`[...(securityContext.isManager ? [{ group: '*', ${open} }] : [])]`),
    policy(`[{ group: '*', if: securityContext.a && securityContext.b, ${open} }]`),
    policy(`[{ group: '*', if: !securityContext.a, ${open} }]`),
    policy(`[{ group: '*', if: Boolean(securityContext.a), ${open} }]`),
    policy(
      "[{ group: '*', rowLevel: { filters: [{ member: id, operator: 'equals', values: [securityContext.city || 'none'] }] } }]",
    ),
    policy(
      "[{ group: '*', rowLevel: { filters: [{ member: id, operator: 'equals', values: [securityContext.city ?? 'none'] }] } }]",
    ),
    `const rows = () => { if (SECURITY_CONTEXT.admin) return '1=1'; return '1=0'; };\ncube('a', { sql: \`SELECT * FROM t WHERE \${rows()}\` })`,
    `const rows = (c) => { const { role } = c; while (role) return '1=1'; return '1=0'; };\ncube('a', { sql: \`SELECT * FROM t WHERE \${rows(SECURITY_CONTEXT)}\` })`,
    "cube('a', { sql: `SELECT * FROM t ${SECURITY_CONTEXT.role.unsafeValue() === 'admin' ? '' : 'where x'}` })",
    "cube('a', { sql: `SELECT * FROM t ${FILTER_PARAMS.a.b.filter('b') === '1 = 1' ? '' : 'where x'}` })",
    "cube('a', { sql: `SELECT * FROM t ${FILTER_PARAMS.a.b.filter('b').replace('b', 'c')}` })",
    "cube('a', { sql: `SELECT * FROM t WHERE ${FILTER_PARAMS.a.b.filter((x) => (x ? 'b' : 'c'))}` })",
    "cube('a', { sql: `SELECT '${`${SECURITY_CONTEXT.t.filter('t')}`.length}' FROM t` })",
    "cube('a', { sql: JSON.stringify(`${CUBE.id}`) })",
    "cube('a', { sql_table: 'a', meta: { [`${CUBE}`]: 1 } })",
    ...[
      "securityContext.t === 1",
      "1 != securityContext.t",
      "securityContext.t > 1",
      "securityContext.t * 2 === 4",
      "String(securityContext.t) === 'a'",
      "`${securityContext.t}` === 'a'",
      "`${securityContext.t}` ? true : false",
      "/^a/.test(`${securityContext.t}`)",
      "`${securityContext.t}`.startsWith('a')",
      "typeof securityContext.t === 'string'",
      "['a'].includes(securityContext.role)",
      "securityContext.groups.includes('a')",
      "new Set(['a']).has(securityContext.role)",
      "({ a: true })[securityContext.role] === true",
      "(() => { switch (securityContext.role) { case 'a': return true; default: return false; } })()",
      "(() => { switch (true) { case securityContext.role: return true; default: return false; } })()",
      "(() => { for (let i = 0; securityContext.role; i++) return true; })()",
      "userAttributes.t ? true : false",
      "isTest ? true : false",
      ...[
        "length === 0",
        "['length'] === 0",
        "[0] === 'a'",
        "trim()?.length === 0",
        "slice(1) === ''",
        "replace(/x/, '') === ''",
        "split(',').includes('a')",
        "toUpperCase() === 'A'",
      ].map((rest) => `\`\${securityContext.t}\`${rest.startsWith("[") ? "" : "."}${rest}`),
      "[...`${securityContext.t}`].includes('a')",
      "JSON.stringify({ t: `${securityContext.t}` }).length > 9",
      "Number(`${securityContext.t}`) > 1",
      "+`${securityContext.t}` > 1",
      "`${securityContext.t}` - 1 > 1",
      "parseInt(`${securityContext.t}`) > 1",
      "/^a/.exec(`${securityContext.t}`) !== null",
      "({ a: true })[`${securityContext.t}`] === true",
      "Object.keys({ [securityContext.t]: 1 }).includes('a')",
      "Object.hasOwn({ a: 1 }, `${securityContext.t}`)",
      "Array.isArray(securityContext.t)",
      ...[
        "const { length } = t; return length === 0;",
        "const { a: { length } } = { a: t }; return length === 0;",
        "let length; ({ length } = t); return length === 0;",
        "const { 0: first } = t; return first === 'a';",
        "const { ['len' + 'gth']: size = 0 } = t; return size === 0;",
        "const { ...all } = t; return all[0] === 'a';",
        "const [{ length }] = [t]; return length === 0;",
        "for (const { length } of [t]) return length === 0;",
        "return (({ length }) => length === 0)(t);",
        "return [t].map(function ({ length }) { return length; })[0] === 0;",
        "try { throw t; } catch ({ length }) { return length === 0; }",
        "return { ...t }[0] === 'a';",
        "for (const at in t) return at === '0';",
        "return Object.keys(t).length === 0;",
        "return Object.assign({}, t)[0] === 'a';",
      ].map((code) => `((t) => { ${code} })(\`\${securityContext.t}\`)`),
    ].map((code) => `cube('a', { sql_table: 'a', public: ${code} })`),
  ])("%s", async (content) => {
    const errors = await errorsOf(content);
    expect(errors).toEqual([
      expect.stringMatching(
        /cannot be tested, compared or computed with|\(\) is not supported; use filter\(\)/u,
      ),
    ]);
  });

  test("and names what to do at the place of the test", async () => {
    const content = "cube('a', {\n  sql_table: 'a',\n  public: securityContext.t === 1,\n});";
    expect(await errorsOf(content)).toEqual([
      "a.js:3:11 JavaScript: securityContext.t has a value in queries only, and cannot be tested, compared or computed with: a model is the same for every caller; use it whole, and declare an access_policy for each group",
    ]);
    const assigned = "let x = null;\nx ??= 'a';";
    expect(await errorsOf(assigned)).toEqual([
      "a.js:2:1 ??= is not supported; write the test and the assignment",
    ]);
  });

  test("but on all other values, also texts with references", async () => {
    const cube = await cubeOf(
      [
        "class Names { #all = ['a', 'b']; has(x) { return #all in this && this.#all.includes(x); } }",
        "const where = (sql) => (sql !== undefined && sql ? `WHERE ${sql}` : '');",
        "const listOf = (value) => (Array.isArray(value) ? value : [value]);",
        "const none = undefined; class Text { constructor(t) { this.t = t; } size() { return this.t?.trim().length; } }",
        "const sizes = [new Text('abc').size(), none?.a.b['c'].length, none?.[0], none?.a\n  .length, new ({ Text })['Text']('ab').size()];",
        "let n = 0; for (const i in { x: 1 }) n += i === 'x' ? 1 : 0; do { n++; } while (n < 3);",
        "cube('a', {",
        "  sql: `SELECT * FROM t ${where(` ${CUBE}.x `.trim())}${typeof missing === 'undefined' ? '' : '!'}`,",
        "  title: new Names().has('b') && n === 3 && String(sizes) === '3,,,,2' ? 'T' : 'F',",
        "  dimensions: { id: { sql: `${where(listOf(FILTER_PARAMS.a.id.filter('id'))[0]) || ''}`, type: 'number' } },",
        "});",
      ].join("\n"),
    );
    expect(cube).toMatchObject({ title: "T", table: ["SELECT * FROM t WHERE ", own, ".x"] });
  });
});

describe("files", () => {
  test("import and require each other in every form", async () => {
    const cube = await cubeOf(
      [
        "import base, { sum as total, table } from './lib/helpers';",
        "import * as all from './lib/helpers.js';",
        "import './lib';",
        "const { status } = require('./lib/constants');",
        "cube('a', { ...base, sql_table: table, measures: { total: total('x'), max: all.max('y') },",
        "  segments: { open: { sql: `${CUBE}.status = '${status}'` } } });",
      ].join("\n"),
      {
        "model/lib/helpers.js":
          "export * from './more'; export { sum } from './more';\nexport const table = 't'; export default { title: 'T' };",
        "model/lib/more.js":
          "export function sum(column) { return { sql: column, type: 'sum' }; }\nexport let max = (sql) => ({ sql, type: 'max' });",
        "model/lib/constants.js": "exports.status = 'open';",
        "model/lib/index.js": "module.exports = {};",
      },
    );
    expect(cube).toMatchObject({ title: "T", table: ["t"] });
    expect(cube.measures.map(({ name, type }) => [name, type])).toEqual([
      ["total", "sum"],
      ["max", "max"],
    ]);
  });

  test("keep meta as it is, whatever its names", async () => {
    const cube = await cubeOf(
      "cube('a', { sql_table: 'a', meta: { constructor: { x: 1 }, toString: { valueOf: [1] }, measures: { y: {} } } })",
    );
    expect(JSON.stringify(cube.meta)).toBe(
      '{"constructor":{"x":1},"toString":{"valueOf":[1]},"measures":{"y":{}}}',
    );
  });

  test("with many errors take time in proportion", async () => {
    const content = (count: number) =>
      `const d = {}; for (let i = 0; i < ${count}; i++) d['d' + i] = { type: 'string', sql: Symbol('s') };\ncube('a', { sql_table: 'a', dimensions: d });`;
    const before = process.cpuUsage();
    const { errorCount } = await compiled({ "model/a.js": content(50_000) });
    expect(errorCount).toBeGreaterThanOrEqual(50_000);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(20);
  });

  test("run once, in one context, and asyncModule is waited for", async () => {
    const { cubes } = await modelOf({
      "model/a.js":
        "asyncModule(async () => {\n  const names = await Promise.all(['a', 'b']);\n  for (const name of names) cube(name, { sql_table: name });\n});",
      "model/b.js": "import { n } from './c'; cube(`c${n()}`, { sql_table: 'c' });",
      "model/c.js":
        "let count = 0; export const n = () => ++count; cube(`d${n()}`, { sql_table: 'd' });",
    });
    expect(cubes.map(({ name }) => name).toSorted()).toEqual(["a", "b", "c2", "d1"]);
  });

  test("declare views, and cubes that YAML refers to", async () => {
    const model = await modelOf({
      "model/a.js":
        "cube('a', { sql_table: 'a', dimensions: { id: { sql: 'id', type: 'number' } } });\nview('v', { cubes: [{ joinPath: a, includes: [id] }] });",
      "model/b.yml":
        "cubes:\n  - name: b\n    sql_table: b\n    joins: [{ name: a, relationship: many_to_one, sql: '{CUBE}.a = {a.id}' }]\n    dimensions: [{ name: id, sql: id, type: number, primary_key: true }]\n",
    });
    expect(model.views[0]?.members.map(({ name }) => name)).toEqual(["id"]);
  });

  test.each([
    ["syntax", "\ncube('a', {", ["a.js:2:12 JavaScript syntax: Unexpected token"]],
    [
      "a package",
      "const fs = require('fs');",
      [
        "a.js:1:19 JavaScript: fs cannot be loaded: only files of the data model can, as ./name; packages do not exist here",
      ],
    ],
    [
      "a missing file",
      "import './b';",
      ["a.js:1:14 JavaScript: there is no file model/b.js in the data model"],
    ],
    [
      "import()",
      "import('./b');",
      ["a.js:1:1 import() is not supported; write import at the start of the file"],
    ],
    [
      "a member that appears twice",
      "cube('a', { sql_table: 'a', sql_table: 'b' })",
      ["a.js:1:29 sql_table appears twice in one object; remove one"],
    ],
    [
      "a number that is not exact",
      "cube('a', { sql_table: 'a', meta: { id: 9007199254740993 } })",
      [
        "a.js:1:41 the number 9007199254740993 is too large to be exact. Use a smaller number, or put it in quotes to send text.",
      ],
    ],
    ["no name", "cube({ sql_table: 'a' })", ["a.js:1:1 cube() takes a name and an object"]],
    [
      "two names",
      "cube('a', { sql_table: 'a', measures: { n: { name: 'm', type: 'count' } } })",
      ["a.js:1:52 its name is its key; remove name here"],
    ],
    [
      "a symbol as a value",
      "cube('a', { sql_table: 'a', measures: { n: { type: 'count', title: Symbol('N') } } })",
      ["a.js:1:68 the value is a symbol, which is no data"],
    ],
    [
      "an asyncModule that never ends",
      "asyncModule(async () => { await new Promise(() => {}); });",
      ["a.js:1:1 asyncModule() does not end: it waits for something that does not exist here"],
    ],
    [
      "an asyncModule that fails",
      "\nasyncModule(async () => { null.x; });",
      ["a.js:2:31 JavaScript: cannot read property 'x' of null"],
    ],
    [
      "another async function",
      "(async () => cube('a', {}))();",
      ["a.js:1:2 an async function is only possible in asyncModule(), which waits for it"],
    ],
  ])("%s is an error", async (_, content, expected) => {
    expect(await errorsOf(content)).toEqual(expected);
  });

  test.each(["new Date()", "process.env.SCHEMA", "fetch('http://x')", "eval('1')"])(
    "%s is refused with the reason",
    async (expression) => {
      const [name = ""] = /\b(?!new\b)\w+/u.exec(expression) ?? [];
      const [error] = await errorsOf(`const x = ${expression};`);
      expect(error).toContain(` ${name} is not `);
    },
  );

  test("an error in an imported file appears once, at its place", async () => {
    const others = { "model/b.js": "export const t = 't';\n\nnull.x;" };
    expect(
      await errorsOf("import { t } from './b';\ncube('a', { sql_table: t });", others),
    ).toEqual(["b.js:3:5 JavaScript: cannot read property 'x' of null"]);
  });

  test("a file that cannot run has the only error, and the others declare", async () => {
    const others = {
      "model/b.js": "export const x = ;",
      "model/c.js":
        "cube('c', { sql_table: 'c', dimensions: { id: { sql: 'id', type: 'strin' } } });",
    };
    const errors = await errorsOf("import { x } from './b'; cube('a', { sql_table: x });", others);
    expect(errors.map((one) => one.slice(0, 26))).toEqual([
      "b.js:1:18 JavaScript synta",
      "c.js:1:66 type must be one",
    ]);
  });

  test("an error of the schema is at the member, also in a helper of another file", async () => {
    const content =
      "import { sum } from './b';\ncube('a', {\n  sql_table: 'a',\n  measures: {\n    n: sum('x'),\n    'm': { type: 'counts' },\n  },\n});";
    const others = { "model/b.js": "\nexport const sum = (sql) => ({ sql, typ: 'sum' });" };
    const errors = await errorsOf(content, others);
    expect(errors.map((one) => one.slice(0, 30))).toEqual([
      "a.js:5:8 type is required",
      "a.js:6:18 type must be one of ",
      "b.js:2:37 typ is not a known f",
    ]);
  });
});
