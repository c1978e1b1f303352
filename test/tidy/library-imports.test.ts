// Clients of a library import its entry, apart from a list that only gets shorter.
import { expect, it } from "vitest";
import { internalImports, remainingInternals } from "./library-imports.ts";
import { sources } from "./repository-files.ts";
import { parseSource } from "./source.ts";

const found = sources().flatMap((source) =>
  internalImports(source).map(({ target, line }) => ({ target, at: `${source.path}:${line}` })),
);

it("no client imports another internal module", () => {
  expect(found.filter(({ target }) => !remainingInternals.has(target))).toEqual([]);
});

it("every listed module is still imported", () => {
  const targets = new Set(found.map(({ target }) => target));
  expect([...remainingInternals].filter((one) => !targets.has(one))).toEqual([]);
});

it.each([
  ["promotion/run.ts", "../reconciler/verbs/verbs.ts", 1],
  ["promotion/run.ts", "../reconciler/index.ts", 0],
  ["controller/loop.ts", "../promotion/promote.ts", 1],
  ["controller/loop.ts", "../promotion/index.ts", 0],
  ["cli/run.ts", "../reconciler/verbs/verbs.ts", 0],
])("%s that imports %s", (path, specifier, count) => {
  const text = `import { x } from "${specifier}";`;
  expect(internalImports(parseSource(path, text))).toHaveLength(count);
});
