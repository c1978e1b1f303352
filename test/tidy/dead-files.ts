// Finds sources that no program or script imports. An import by a test alone does not count.
import { type Source, walk } from "./source.ts";
import { resolveImport } from "./repository-files.ts";

const entryPoints =
  /^(?:cli\/(?:main|install)\.ts|(?:reconciler|promotion|controller|service|web\/embed)\/index\.ts|scripts\/[^/]+\.ts|web\/(?:dashboard|controller)\/main\.tsx|bench\/[^/]+\.ts|examples\/.+\.ts|provider\/(?:bridge\/[^/]+|[^/]+\/main|[^/]+\/sdk\/index)\.ts|[^/]+\.config\.ts)$/;

/** Returns one line for every source that cannot be reached. */
export function deadFiles(all: readonly Source[]): readonly string[] {
  const byPath = new Map(all.map((source) => [source.path, source]));
  const alive = reachableFrom(
    byPath,
    all.map(({ path }) => path).filter((path) => entryPoints.test(path)),
  );
  const tested = reachableFrom(
    byPath,
    all.filter(({ isTest }) => isTest).map(({ path }) => path),
  );
  return all
    .filter(({ path, folder, isTest }) => {
      return !isTest && !alive.has(path) && !(folder === "test" && tested.has(path));
    })
    .map(({ path }) => `${path}: nothing leads here`);
}

function reachableFrom(
  byPath: ReadonlyMap<string, Source>,
  from: readonly string[],
): ReadonlySet<string> {
  const seen = new Set<string>();
  const waiting = [...from];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const source = byPath.get(path);
    if (!source || seen.has(path)) continue;
    seen.add(path);
    waiting.push(...referencedPaths(source));
  }
  return seen;
}

/** Returns the imports, and the files named by a relative path in a string (workers, spawned scripts). */
function referencedPaths({ path, imports, program }: Source): readonly string[] {
  const named = imports.map(({ specifier }) => specifier);
  walk(program, (node) => {
    if (node.type !== "Literal" || typeof node.value !== "string") return;
    if (/^\.\.?\/.+\.ts$/.test(node.value)) named.push(node.value);
  });
  return named.flatMap((specifier) => resolveImport(path, specifier) ?? []);
}
