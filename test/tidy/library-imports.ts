// The rule that clients of a library import its entry: promotion/ and controller/ use what reconciler/index.ts exports, and
// controller/ what promotion/index.ts exports.
import { resolveImport } from "./repository-files.ts";
import type { Source } from "./source.ts";

const entries: Readonly<Record<string, readonly string[]>> = {
  promotion: ["reconciler"],
  controller: ["reconciler", "promotion"],
};

/** Internal modules that clients still import. Export what they need from the library, or move it; never add one. */
export const remainingInternals: ReadonlySet<string> = new Set([
  "reconciler/engine/cascade.ts",
  "reconciler/engine/digest.ts",
  "reconciler/engine/ignore-rules.ts",
  "reconciler/engine/observe.ts",
  "reconciler/inventory/companion-stores.ts",
  "reconciler/inventory/file.ts",
  "reconciler/inventory/open-stores.ts",
  "reconciler/inventory/store.ts",
  "reconciler/manifest/config-file.ts",
  "reconciler/manifest/document-schema.ts",
  "reconciler/manifest/built-in-document.ts",
  "reconciler/manifest/field-errors.ts",
  "reconciler/manifest/parse.ts",
  "reconciler/manifest/variables.ts",
  "reconciler/model/duration.ts",
  "reconciler/model/escape-text.ts",
  "reconciler/model/index.ts",
  "reconciler/model/plan-filters.ts",
  "reconciler/model/windows/window-schema.ts",
  "reconciler/operator/atomic-write.ts",
  "reconciler/operator/commit.ts",
  "reconciler/operator/grants.ts",
  "reconciler/operator/origins.ts",
  "reconciler/operator/path-containment.ts",
  "reconciler/policy/grants-file.ts",
  "reconciler/policy/policy-rule.ts",
  "reconciler/policy/window-check.ts",
  "reconciler/report/style.ts",
  "reconciler/verbs/apply-session.ts",
  "reconciler/verbs/preflight.ts",
  "reconciler/verbs/session.ts",
]);

/** Returns the internal modules of a library that a client imports, each with its line. */
export function internalImports(
  source: Source,
): readonly { readonly target: string; readonly line: number }[] {
  const libraries = entries[source.folder] ?? [];
  if (source.isTest) return [];
  return source.imports.flatMap(({ specifier, line }) => {
    const target = resolveImport(source.path, specifier) ?? "";
    const library = libraries.find((one) => target.startsWith(`${one}/`));
    return library === undefined || target === `${library}/index.ts` ? [] : [{ target, line }];
  });
}
