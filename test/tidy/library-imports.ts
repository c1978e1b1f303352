// Checks that clients of a library import only its entries: promotion/ and controller/ those of reconciler/, and controller/
// promotion/index.ts.
import { resolveImport } from "./repository-files.ts";
import type { Source } from "./source.ts";

const libraries: Readonly<Record<string, readonly string[]>> = {
  promotion: ["reconciler"],
  controller: ["reconciler", "promotion"],
};

const entries: ReadonlySet<string> = new Set([
  "reconciler/index.ts",
  "reconciler/sessions.ts",
  "reconciler/document-types.ts",
  "promotion/index.ts",
]);

/** Returns the internal modules of a library that a client imports, each with its line. */
export function internalImports(
  source: Source,
): readonly { readonly target: string; readonly line: number }[] {
  if (source.isTest) return [];
  return source.imports.flatMap(({ specifier, line }) => {
    const target = resolveImport(source.path, specifier) ?? "";
    const isInLibrary = libraries[source.folder]?.some((one) => target.startsWith(`${one}/`));
    return isInLibrary !== true || entries.has(target) ? [] : [{ target, line }];
  });
}
