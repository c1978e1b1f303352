// Finds the manifests of a stack outside its folder, for a checkout that has only that folder so far.
import path from "node:path";
import { type LoadOptions, loadStackAlone } from "./load.ts";
import { splitGlob } from "./stack.ts";

/**
 * Returns the absolute paths outside the folder of the Stack where its globs begin: the folder before the first wildcard, or the
 * file of a glob without one. Empty if the Stack has errors, which loading reports.
 */
export async function sharedManifests(options: LoadOptions): Promise<readonly string[]> {
  const { stack, manifests = [] } = await loadStackAlone(options);
  if (stack === undefined) return [];
  const starts = manifests.flatMap((glob) => {
    const { base, pattern } = splitGlob(stack.folder, glob);
    return base === stack.folder ? [] : [path.join(base, literalStart(pattern))];
  });
  return [...new Set(starts)];
}

/** Returns the segments of a glob before the first with a wildcard. */
function literalStart(pattern: string): string {
  const segments = pattern.split("/");
  const first = segments.findIndex((one) => /[*?[\]{}()!+@|\\]/u.test(one));
  return segments.slice(0, first < 0 ? undefined : first).join("/");
}
