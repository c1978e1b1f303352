// Sorts owned objects that are no longer declared into layers: an object is in a later layer than those that it refers to.
import { address, keyOf } from "../../core/kind/identity.ts";
import type { Kind } from "../../core/kind/kind.ts";
import {
  dependencyLayers,
  type GraphNode,
  layerById,
  referencesOf,
} from "../../core/kind/references.ts";
import { kindNodes, withReferredKinds } from "../model/kind-layers.ts";
import { referencedObject } from "../model/recorded-fields.ts";
import type { UndeclaredEntry } from "./removals.ts";

/** An object without a document, of a known kind. */
type Removed = Pick<UndeclaredEntry, "address" | "entry" | "observed"> & { readonly kind: Kind };

/**
 * Returns the layers of objects, from 0, by address. Objects of one kind have the layer of their kind, except where they refer
 * to each other, as folders do.
 */
export function removalLayers(
  leftovers: readonly UndeclaredEntry[],
  kinds: ReadonlyMap<string, Kind>,
): ReadonlyMap<string, number> {
  const removed = leftovers.flatMap(({ kind, ...rest }) => (kind ? [{ ...rest, kind }] : []));
  const byKind = Map.groupBy(removed, ({ kind }) => kind.name);
  const nodes = kindNodes(withReferredKinds(byKind.keys(), kinds)).flatMap(({ id, needs }) => {
    const objects = byKind.get(id) ?? [];
    return [
      ...objectNodes(objects, needs, kinds),
      // What refers to a kind is in a later layer than all its objects.
      { id, needs: [...needs, ...objects.map((one) => one.address)] },
    ];
  });
  return layerById(dependencyLayers(nodes).layers);
}

function objectNodes(
  objects: readonly Removed[],
  needs: readonly string[],
  kinds: ReadonlyMap<string, Kind>,
): readonly GraphNode[] {
  const specOf = ({ entry, observed }: Removed) => observed?.spec ?? entry.lastApplied;
  const addresses = new Map(
    objects.map((one) => [address(one.kind.name, keyOf(one.kind, specOf(one))), one.address]),
  );
  return objects.map((one) => {
    const spec = specOf(one);
    const beside = referencesOf(one.kind, spec)
      .filter(({ kind }) => kind === one.kind.name)
      .flatMap((reference) => addresses.get(referencedObject(reference, spec, kinds) ?? "") ?? []);
    return { id: one.address, needs: [...needs, ...beside] };
  });
}
