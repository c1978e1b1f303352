// Finds cycles of imports: files that depend on each other cannot be read, tested or moved one by one.
import type { Source } from "./source.ts";
import { resolveImport } from "./repository-files.ts";

/** Returns every set of sources that import each other in a cycle, each sorted. Imports of types count too. */
export function importCycles(sources: readonly Source[]): readonly (readonly string[])[] {
  const paths = new Set(sources.map(({ path }) => path));
  const next = new Map(
    sources.map(({ path, imports }) => {
      const targets = imports.map(({ specifier }) => resolveImport(path, specifier) ?? "");
      return [path, targets.filter((target) => paths.has(target))];
    }),
  );
  return strongComponents(next).filter((one) => one.length > 1);
}

interface TarjanMark {
  readonly index: number;
  low: number;
  isOpen: boolean;
}

/** Returns the strongly connected components of a graph by Tarjan's algorithm, from the successors of each node. */
function strongComponents(next: ReadonlyMap<string, readonly string[]>): string[][] {
  const marks = new Map<string, TarjanMark>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): TarjanMark => {
    const mark: TarjanMark = { index: marks.size, low: marks.size, isOpen: true };
    marks.set(node, mark);
    open.push(node);
    for (const target of next.get(node) ?? []) {
      const known = marks.get(target);
      if (known === undefined) mark.low = Math.min(mark.low, visit(target).low);
      else if (known.isOpen) mark.low = Math.min(mark.low, known.index);
    }
    if (mark.low === mark.index) {
      const component = open.splice(open.indexOf(node));
      for (const one of component) {
        const its = marks.get(one);
        if (its !== undefined) its.isOpen = false;
      }
      found.push(component.toSorted());
    }
    return mark;
  };
  for (const node of next.keys()) if (!marks.has(node)) visit(node);
  return found;
}
