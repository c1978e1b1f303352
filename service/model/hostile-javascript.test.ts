// Hostile JavaScript in a data model: nothing leaves the sandbox, and every run ends in its bounds.
import { expect, test } from "vitest";
import { compileFiles } from "./compile.ts";

async function compiled(content: string) {
  return compileFiles([{ path: "model/a.js", content }]);
}

/** Declares a cube whose title is an expression, and returns the title. */
async function evaluated(expression: string, before = ""): Promise<string | undefined> {
  const { model, errors } = await compiled(
    `${before}\ncube('a', { sql_table: 'a', title: String(${expression}) });`,
  );
  return model?.cubes[0]?.title ?? errors[0]?.message;
}

test.each([
  ["an endless loop", "for (;;) {}", /longer than 60000000 steps/],
  ["an endless loop of promises", "const f = () => Promise.resolve().then(f); f();", /longer than/],
  [
    "a getter that does not end",
    "cube('a', { sql_table: 'a', get title() { for (;;) {} } })",
    /longer than/,
  ],
  ["a regular expression", "/^(a+)+$/.test('a'.repeat(50) + 'b')", /longer than/],
  ["recursion", "const f = () => f() + 1; f();", /stack overflow|nests too deep/],
  ["a deep text", "JSON.parse('['.repeat(1e6))", /stack overflow|nests too deep/],
  [
    "deep source",
    `const x = ${"[".repeat(100_000)}${"]".repeat(100_000)};`,
    /nests too deep|stack/,
  ],
  ["memory", "const all = []; for (;;) all.push(all.slice());", /memory/],
  ["a long text", "let s = 'x'; for (;;) s += s;", /string too long|memory/],
  [
    "a list that contains itself",
    "const m = []; m.push(m); cube('a', { sql_table: 'a', meta: m })",
    /contains itself/,
  ],
  [
    "values that multiply",
    "let m = [1]; for (let i = 0; i < 40; i++) m = [m, m]; cube('a', { sql_table: 'a', meta: m })",
    /more than 500000 values/,
  ],
  [
    "too many cubes",
    "for (let i = 0; ; i++) cube('c' + i, { sql_table: 'c' })",
    /more than 10000 cubes/,
  ],
])("%s ends in its bounds", async (_, content, expected) => {
  const before = process.cpuUsage();
  const { model, errors } = await compiled(content);
  expect(model).toBeUndefined();
  expect(errors[0]?.message).toMatch(expected);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(60);
});

const noCode = "JavaScript: Function is not available; write the code into the file";
const missing = [
  "process require Date fetch setTimeout WebAssembly SharedArrayBuffer ArrayBuffer Atomics",
  "performance crypto Intl std os scriptArgs",
].join(" ");

test.each([
  [`"${missing}".split(" ").filter((name) => typeof globalThis[name] !== "undefined")`, ""],
  ["Function('return this')()", noCode],
  ["new Function('return typeof require')()", noCode],
  ["[].constructor.constructor('return 1')()", noCode],
  ["Reflect.construct(Function, ['return 1'])()", noCode],
  ["(function* () {}).constructor('yield 1')()", noCode],
  ["Object.getPrototypeOf(Object).constructor('return 1')()", noCode],
  ["(() => 1) instanceof Function", "true"],
  [
    "globalThis['ev' + 'al']('1')",
    "JavaScript: eval is not available; write the code into the file",
  ],
  [
    "(() => { try { throw new Error('x') } catch (e) { return e.constructor.constructor('return 1')() } })()",
    noCode,
  ],
  [
    "Math.random()",
    "JavaScript: Math.random() is not available: a data model is the same at every time",
  ],
])("%s reaches no host", async (expression, expected) => {
  expect(await evaluated(expression)).toBe(expected);
});

test.each(["async () => 1", "async function* () {}"])("%s makes no code", async (made) => {
  const { errors } = await compiled(
    `asyncModule(async () => { const made = ${made}; made.constructor("return 1")(); });`,
  );
  expect(errors.map(({ message }) => message)).toEqual([noCode]);
});

test.each([
  "Object.prototype.sql_table = 'b';",
  "Object.prototype.title = 'b'; Object.prototype.extends = 'b';",
  "Array.prototype.push = () => 0; Array.prototype.map = () => []; Array.prototype[Symbol.iterator] = null;",
  "JSON.stringify = () => '[]'; Object.keys = () => []; Array.isArray = () => true; Object.getPrototypeOf = () => 1;",
  "WeakMap.prototype.get = () => 7; WeakMap.prototype.set = () => 7; RegExp.prototype.test = () => true; Reflect.apply = () => 0;",
  "globalThis.String = () => 'b'; globalThis.Proxy = null; Promise.prototype.then = () => 0;",
])("a file that replaces built-ins changes no declaration: %s", async (before) => {
  const { model, errors } = await compiled(
    `${before}\ncube('a', { sql_table: 'a', measures: { n: { sql: \`\${CUBE}.x\`, type: 'sum' } } });`,
  );
  expect(errors).toEqual([]);
  expect(model?.cubes).toMatchObject([
    {
      name: "a",
      title: "A",
      table: ["a"],
      measures: [{ name: "n", sql: [{ kind: "table" }, ".x"] }],
    },
  ]);
});

test.each(["toJSON", "__proto__"])("%s stays a name, and pollutes nothing", async (name) => {
  const { errors } = await compiled(
    `cube('a', { sql_table: 'a', meta: JSON.parse('{"${name}": {"polluted": true}}'), constructor: { prototype: {} } });`,
  );
  expect(errors).toHaveLength(1);
  expect(errors[0]?.message).toMatch(/^constructor is not a known field/);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("one run leaves nothing to the next", async () => {
  await compiled("globalThis.left = 1; Object.prototype.left = 1;");
  expect(await evaluated("typeof globalThis.left + typeof ({}).left")).toBe("undefinedundefined");
});
