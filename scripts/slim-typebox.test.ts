// Tests that the schemas in bundles equal the schemas that TypeBox makes from the same declarations.
import { globSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Type as full } from "typebox";
import { expect, it } from "vitest";
import { Type } from "./slim-typebox.ts";

/** Functions of TypeBox, called with arguments that their types refuse. */
type AnyType = Readonly<Record<keyof typeof Type, (...given: readonly unknown[]) => unknown>>;

const root = join(import.meta.dirname, "..");
const folders =
  "{api,cli,client,controller,core,lifecycle,promotion,provider,reconciler,resources}";
const files = globSync(`${folders}/**/*.ts`, { cwd: root })
  .filter((file) => !/\.test\.ts$|\/sdk\/|\.d\.ts$/u.test(file))
  .filter((file) => /import \{[^}]*\bType\b[^}]*\} from "typebox"/u.test(read(file)))
  .toSorted();

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** Returns the exports of each file, as JSON. */
async function exported(): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const file of files) {
    const module = (await import(join(root, file))) as Readonly<Record<string, unknown>>;
    for (const [name, value] of Object.entries(module)) {
      if (typeof value === "object") found[`${file} ${name}`] = JSON.stringify(value);
    }
  }
  return found;
}

/** Makes the sources of this repository load again, with the bundles' replacement for TypeBox. */
function loadSlim(): ReturnType<typeof registerHooks> {
  const sources = pathToFileURL(`${root}/`).href;
  const slim = pathToFileURL(join(import.meta.dirname, "slim-typebox.ts")).href;
  return registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "typebox") return { url: slim, shortCircuit: true };
      const resolved = next(specifier, context);
      const isSource = resolved.url.startsWith(sources) && resolved.url.endsWith(".ts");
      return isSource ? { ...resolved, url: `${resolved.url}?slim` } : resolved;
    },
  });
}

it("declares every schema as TypeBox does", async () => {
  const expected = await exported();
  const hooks = loadSlim();
  const slim = await exported().finally(() => hooks.deregister());
  expect(Object.keys(expected).length).toBeGreaterThan(500);
  expect(slim).toEqual(expected);
});

it("has every function that the sources call, also in functions that make schemas later", () => {
  const called = files.flatMap((file) => [...read(file).matchAll(/\bType\.(?<name>\w+)\(/gu)]);
  const names = new Set(called.map(({ groups }) => groups?.["name"] ?? ""));
  expect(names.size).toBeGreaterThan(10);
  expect([...names].filter((name) => !Object.hasOwn(Type, name))).toEqual([]);
});

const loose: AnyType = Object.fromEntries(
  Object.entries(Type).map((entry): readonly unknown[] => entry),
);
const member = full.Object({ a: full.String() });
it.each<readonly [string, (type: AnyType) => unknown]>([
  ["a value that is no literal", (type) => type.Literal(null)],
  ["an enumeration of TypeScript", (type) => type.Enum({ A: "a" })],
  ["whole numbers as keys", (type) => type.Record(type.Integer(), type.String())],
  ["a literal as a key", (type) => type.Record(type.Literal("a"), type.String())],
  ["an enumeration as keys", (type) => type.Record(type.Enum(["a"]), type.String())],
  ["a union as keys", (type) => type.Record(type.Union([type.Literal("a")]), type.String())],
  ["anything as keys", (type) => type.Record(type.Unknown(), type.String())],
  ["a schema of the members to pick", (type) => type.Pick(member, type.Literal("a"))],
  ["a name in place of a list", (type) => type.Pick(member, "a")],
  ["a number as a name", (type) => type.Omit(full.Object({ 1: full.String() }), [1])],
  ["members of a union", (type) => type.Pick(full.Union([member]), ["a"])],
  ["a union with optional members", (type) => type.Partial(full.Union([member]))],
])("refuses %s, which TypeBox declares otherwise", (_, declare) => {
  expect(() => declare(loose)).toThrow("bundles do not support");
});
