// Tests that the schemas in bundles are those that TypeBox makes of the same declarations.
import { globSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { Type } from "./slim-typebox.ts";

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

/** Returns what each file exports, as JSON. */
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

/** Makes the sources of this repository load again, with what bundles have of TypeBox. */
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
