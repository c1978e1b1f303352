// The order of the modules: a folder of a listed one imports only those that are listed before it. No cycles are allowed on the second or third level.
import { posix } from "node:path";
import { importCycles } from "./import-cycles.ts";
import { resolveImport } from "./repository-files.ts";
import type { Source } from "./source.ts";

/** The modules of a folder, lowest first: each may import those before it. `""` are the files directly in the folder. */
export const moduleOrder: Readonly<Record<string, readonly string[]>> = {
  core: ["", "limits", "text", "system", "schema", "operation", "kind", "spec", "data-model"],
  "cli/shared": ["", "lookup", "output", "connection", "options", "run", "wait", "help", "release"],
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
    "rollups",
    "sql-text",
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

/** Returns one line for every import of a module that is listed after the importing one. */
export function moduleProblems(source: Source): readonly string[] {
  if (source.isTest) return [];
  return Object.entries(moduleOrder).flatMap(([folder, order]) => {
    const own = moduleOf(source.path, folder);
    // Files directly in a folder may import all its modules unless the order lists them.
    if (own === undefined || (own === "" && !order.includes(own))) return [];
    if (!order.includes(own)) return [`${source.path}: add "${own}" to the order of modules`];
    return source.imports.flatMap(({ specifier, line }) => {
      const target = resolveImport(source.path, specifier);
      const other = target === undefined ? undefined : moduleOf(target, folder);
      if (other === undefined) return [];
      const isLower = order.includes(other) && order.indexOf(other) <= order.indexOf(own);
      return isLower ? [] : [`${source.path}:${line}: ${own || folder} may not import ${target}`];
    });
  });
}

/** Returns every set of modules, over all folders, that import each other in a cycle. */
export function moduleCycles(sources: readonly Source[]): readonly (readonly string[])[] {
  return cyclesOf(sources, (path) => [...foldersOf(path).slice(0, 2), "*"].join("/"));
}

/**
 * Returns every set of parts of modules that import each other in a cycle. The files directly in a module are a part of
 * it, too.
 */
export function partCycles(sources: readonly Source[]): readonly (readonly string[])[] {
  return cyclesOf(sources, (path) => [...foldersOf(path).slice(0, 3), "*"].join("/"));
}

/** Returns the cycles between nodes, each of which stands for the files of some folders. */
function cyclesOf(
  sources: readonly Source[],
  nodeOf: (path: string) => string,
): readonly (readonly string[])[] {
  const nodes = new Map<string, Source>();
  for (const source of sources.filter(({ isTest, folder }) => !isTest && folder !== "test")) {
    const path = nodeOf(source.path);
    const imports = source.imports.flatMap(({ specifier, line }) => {
      const target = resolveImport(source.path, specifier);
      const other = target === undefined ? undefined : nodeOf(target);
      if (other === undefined || other === path) return [];
      return [{ specifier: relativePath(path, other), line }];
    });
    const known = nodes.get(path);
    nodes.set(path, { ...source, path, imports: [...(known?.imports ?? []), ...imports] });
  }
  return importCycles([...nodes.values()]);
}

/** The module of `folder` that holds a path: its next folder, or "" if there is none; undefined for a path elsewhere. */
function moduleOf(path: string, folder: string): string | undefined {
  if (!path.startsWith(`${folder}/`)) return undefined;
  const inside = path.slice(folder.length + 1);
  return inside.slice(0, Math.max(0, inside.indexOf("/")));
}

function foldersOf(path: string): readonly string[] {
  return path.split("/").slice(0, -1);
}

function relativePath(from: string, to: string): string {
  return `./${posix.relative(posix.dirname(from), to)}`;
}
