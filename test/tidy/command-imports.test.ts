// Tests that the options of a command are parsed without loading what runs it, so that help and usage errors are fast.
import type { Directive, Statement } from "oxc-parser";
import { expect, it } from "vitest";
import { reachablePaths, resolveImport, sources } from "./repository-files.ts";
import type { Source } from "./source.ts";

/** The service package brings its own commands. */
const serviceCommands = /^cli\/commands\/service\.ts$/;

/** Folders of declarations and options. */
const allowed =
  /^(?:api|core|files|cli\/(?:areas|commands|operations|shared))\/|^reconciler\/operator\//;

/** Files of the reconciler that load nothing else. */
const lightFiles = [
  "reconciler/policy/grant-option.ts",
  "reconciler/policy/policy-names.ts",
  "reconciler/report/format-names.ts",
];
const allowedPackages = /^(?:node:|commander$|fastest-levenshtein$|typebox(?:\/|$))/;

it("loads only options and declarations before a command runs", () => {
  const start = sources()
    .map(({ path }) => path)
    .filter((path) => /^cli\/(?:commands|areas)\//.test(path) && !serviceCommands.test(path));
  expect(start.length).toBeGreaterThan(30);
  const found: string[] = [];
  reachablePaths(start, (source) =>
    loadedBy(source).flatMap((specifier) => {
      const target = resolveImport(source.path, specifier);
      const isAllowed =
        target === undefined
          ? allowedPackages.test(specifier)
          : allowed.test(target) || lightFiles.includes(target);
      if (!isAllowed) found.push(`${source.path}: ${target ?? specifier}`);
      return isAllowed && target !== undefined ? [target] : [];
    }),
  );
  expect(found).toEqual([]);
});

/** Returns the modules that a file loads immediately, without imports of types. */
function loadedBy({ program }: Source): readonly string[] {
  return program.body.flatMap((node: Directive | Statement) => {
    if (node.type !== "ImportDeclaration" || node.importKind === "type") return [];
    const isTypes =
      node.specifiers.length > 0 &&
      node.specifiers.every((one) => one.type === "ImportSpecifier" && one.importKind === "type");
    return isTypes ? [] : [node.source.value];
  });
}
