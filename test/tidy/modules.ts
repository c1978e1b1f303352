// The order of the modules: a folder of the second level imports only those that stand before it, and never in a circle.
import { posix } from "node:path";
import { importCycles } from "./import-cycles.ts";
import { resolveImport } from "./repository-files.ts";
import type { Source } from "./source.ts";

/** The modules of a folder, lowest first: each may import those before it. */
export const moduleOrder: Readonly<Record<string, readonly string[]>> = {
  reconciler: [
    "model",
    "operator",
    "manifest",
    "inventory",
    "engine",
    "policy",
    "history",
    "verbs",
    "export",
    "report",
  ],
  service: [
    "store",
    "accounts",
    "security",
    "model",
    "git",
    "query",
    "scim",
    "identity",
    "engine",
    "areas",
    "http",
    "data-plane",
    "delivery",
    "jobs",
    "server",
    "maintenance",
    "cli",
  ],
};

/** One line for every import of a module that is listed after the one that imports it. */
export function moduleProblems(source: Source): readonly string[] {
  const own = moduleOf(source.path);
  const order = moduleOrder[source.folder];
  if (own === undefined || order === undefined || source.isTest) return [];
  if (!order.includes(own)) return [`${source.path}: add "${own}" to the order of modules`];
  return source.imports.flatMap(({ specifier, line }) => {
    const target = resolveImport(source.path, specifier);
    if (!target?.startsWith(`${source.folder}/`)) return [];
    const other = moduleOf(target);
    const isLower = other !== undefined && order.indexOf(other) <= order.indexOf(own);
    return isLower ? [] : [`${source.path}:${line}: ${own} may not import ${target}`];
  });
}

/** Every set of modules, over all folders, that import each other in a circle. */
export function moduleCircles(sources: readonly Source[]): readonly (readonly string[])[] {
  const modules = new Map<string, Source>();
  for (const source of sources.filter(({ isTest, folder }) => !isTest && folder !== "test")) {
    const path = nodeOf(source.path);
    const imports = source.imports.flatMap(({ specifier, line }) => {
      const target = resolveImport(source.path, specifier);
      if (target === undefined || nodeOf(target) === path) return [];
      return [{ specifier: relativePath(path, nodeOf(target)), line }];
    });
    const known = modules.get(path);
    modules.set(path, { ...source, path, imports: [...(known?.imports ?? []), ...imports] });
  }
  return importCycles([...modules.values()]);
}

/** The module that a path belongs to: the second folder; undefined for a file directly in the first. */
function moduleOf(path: string): string | undefined {
  const parts = path.split("/");
  return parts.length > 2 ? parts[1] : undefined;
}

/** The node of a path in the graph of modules: its folders down to the second level. */
function nodeOf(path: string): string {
  return [...path.split("/").slice(0, -1).slice(0, 2), "*"].join("/");
}

function relativePath(from: string, to: string): string {
  return `./${posix.relative(posix.dirname(from), to)}`;
}
