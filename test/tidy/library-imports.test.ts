// Tests that clients of a library import only its entries.
import { expect, it } from "vitest";
import { internalImports } from "./library-imports.ts";
import { sources } from "./repository-files.ts";
import { parseSource } from "./source.ts";

it("no client imports an internal module", () => {
  const found = sources().flatMap((source) =>
    internalImports(source).map(({ target, line }) => `${source.path}:${line}: ${target}`),
  );
  expect(found).toEqual([]);
});

it("cron expressions are parsed in one place", () => {
  const users = sources().filter(({ imports }) =>
    imports.some(({ specifier }) => specifier === "croner"),
  );
  expect(users.map(({ path }) => path)).toEqual(["core/text/cron.ts"]);
});

it.each([
  ["promotion/run.ts", "../reconciler/plan.ts", 1],
  ["promotion/run.ts", "../reconciler/index.ts", 0],
  ["promotion/run.ts", "../reconciler/sessions.ts", 0],
  ["controller/loop.ts", "../promotion/promote.ts", 1],
  ["controller/loop.ts", "../promotion/index.ts", 0],
  ["cli/run.ts", "../reconciler/plan.ts", 0],
])("%s that imports %s", (path, specifier, count) => {
  const text = `import { x } from "${specifier}";`;
  expect(internalImports(parseSource(path, text))).toHaveLength(count);
});
