// Sorts kinds into layers by their references.
import { fieldsOf } from "../../core/fields.ts";
import type { Kind } from "../../core/kind.ts";
import { dependencyLayers, layerById } from "../../core/references.ts";

/** Returns the layer of each kind by name, from 0: referenced kinds come first. */
export function layersOfKinds(kinds: readonly Kind[]): ReadonlyMap<string, number> {
  const known = new Set(kinds.map((kind) => kind.name));
  const nodes = kinds.map((kind) => ({
    id: kind.name,
    needs: fieldsOf(kind)
      .map(({ traits }) => traits.refersTo)
      .filter((name) => name !== undefined && name !== kind.name && known.has(name)) as string[],
  }));
  return layerById(dependencyLayers(nodes).layers);
}
