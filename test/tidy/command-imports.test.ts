// The options of a command are parsed without what runs it, so that help and wrong usage take little time.
import type { Directive, Statement } from "oxc-parser";
import { expect, it } from "vitest";
import { resolveImport, sources } from "./repository-files.ts";
import type { Source } from "./source.ts";

/** The service package brings its own commands. */
const otherwise = /^cli\/commands\/service\.ts$/;

/** Folders of declarations and options; names in a folder of the reconciler that are light. */
const allowed = /^(?:api|core|cli\/(?:areas|commands|operations|shared))\/|^reconciler\/operator\//;
const lightFiles = [
  "reconciler/policy/grant-option.ts",
  "reconciler/policy/policy-names.ts",
  "reconciler/report/format-names.ts",
];
const allowedPackages = /^(?:node:|commander$|typebox(?:\/|$))/;

it("loads only options and declarations before a command runs", () => {
  const byPath = new Map(sources().map((source) => [source.path, source]));
  const waiting = [...byPath.keys()].filter(
    (path) => /^cli\/(?:commands|areas)\//.test(path) && !otherwise.test(path),
  );
  expect(waiting.length).toBeGreaterThan(30);
  const seen = new Set<string>();
  const found: string[] = [];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const specifier of loadedBy(byPath.get(path))) {
      const target = resolveImport(path, specifier);
      if (target === undefined && !allowedPackages.test(specifier))
        found.push(`${path}: ${specifier}`);
      if (target === undefined) continue;
      if (!allowed.test(target) && !lightFiles.includes(target)) found.push(`${path}: ${target}`);
      else waiting.push(target);
    }
  }
  expect(found).toEqual([]);
});

/** Returns the modules that a file loads at once, without imports of types. */
function loadedBy(source: Source | undefined): readonly string[] {
  return (source?.program.body ?? []).flatMap((node: Directive | Statement) => {
    if (node.type !== "ImportDeclaration" || node.importKind === "type") return [];
    const isTypes =
      node.specifiers.length > 0 &&
      node.specifiers.every((one) => one.type === "ImportSpecifier" && one.importKind === "type");
    return isTypes ? [] : [node.source.value];
  });
}
