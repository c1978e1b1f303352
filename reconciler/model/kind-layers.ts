// Sorts kinds into layers by their references.
import { fieldsOf } from "../../core/kind/fields.ts";
import type { Kind } from "../../core/kind/kind.ts";
import {
  dependencyLayers,
  type GraphNode,
  layerById,
  referredKinds,
} from "../../core/kind/references.ts";

/**
 * Returns the kinds with these names, and all kinds that they refer to. Their layers are the same as among all kinds.
 */
export function withReferredKinds(
  names: Iterable<string>,
  kinds: ReadonlyMap<string, Kind>,
): readonly Kind[] {
  const parents = new Map<string, Kind>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const kind = kinds.get(name);
    if (kind === undefined || parents.has(name)) continue;
    parents.set(name, kind);
    waiting.push(...referredKinds(kind));
  }
  return [...parents.values()];
}

/** Returns the layer of each kind by name, from 0: referenced kinds come first. */
export function layersOfKinds(kinds: readonly Kind[]): ReadonlyMap<string, number> {
  return layerById(dependencyLayers(kindNodes(kinds)).layers);
}

/** Returns each kind by name, with the others that it refers to. */
export function kindNodes(kinds: readonly Kind[]): readonly GraphNode[] {
  const names = new Set(kinds.map((kind) => kind.name));
  return kinds.map((kind) => ({
    id: kind.name,
    needs: fieldsOf(kind)
      .map(({ traits }) => traits.refersTo)
      .filter((name) => name !== undefined && name !== kind.name && names.has(name)) as string[],
  }));
}
