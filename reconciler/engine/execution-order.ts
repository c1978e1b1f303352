// Decides the order of the changes of a plan: references, natural keys that pass from one object to another, and deletes.
import { fieldsOf } from "../../core/kind/fields.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { dependencyLayers, layerById } from "../../core/kind/references.ts";
import { objectsByAddress } from "../model/stack-index.ts";
import type { Match } from "./match-objects.ts";
import type { Change, DesiredObject } from "../model/index.ts";

/** The order that references and released keys impose. */
export interface DeclaredOrder {
  /** The layer of each declared object by address, from 0. */
  readonly layers: ReadonlyMap<string, number>;
  /** The address that must release a key first, by the address that waits for it. */
  readonly waitsFor: ReadonlyMap<string, string>;
  /** Addresses that wait for each other's keys in a cycle. */
  readonly circular: ReadonlySet<string>;
}

/** Orders declared objects. `matchOf` finds the current owner of a key. Cycles of references were refused before. */
export function declaredOrderOf(
  desiredObjects: readonly DesiredObject[],
  matchOf: (desiredObject: DesiredObject) => Match,
): DeclaredOrder {
  const byAddress = objectsByAddress(desiredObjects);
  const waits = new Map<string, string>();
  for (const desiredObject of desiredObjects) {
    const { conflictingObject, namesakeOwner } = matchOf(desiredObject);
    const owner = conflictingObject?.owner ?? namesakeOwner;
    if (owner !== undefined && owner !== desiredObject.address)
      waits.set(desiredObject.address, owner);
  }
  const circular = new Set<string>();
  for (;;) {
    const nodes = desiredObjects.map(({ address, dependsOn: needs }) => {
      const first = waits.get(address);
      return { id: address, needs: first === undefined ? needs : [...needs, first] };
    });
    const { layers: layered, cycle } = dependencyLayers(nodes);
    const circle = cycle?.filter((address) => waits.has(address)) ?? [];
    if (circle.length === 0) return { layers: layerById(layered), waitsFor: waits, circular };
    for (const address of circle) {
      waits.delete(address);
      const kind = byAddress.get(address)?.kind;
      // Replacements of one batch delete all objects before they create any.
      if (kind === undefined || !isReplacedByKey(kind)) circular.add(address);
    }
  }
}

function isReplacedByKey(kind: Kind): boolean {
  const fields = fieldsOf(kind).filter(({ name }) => kind.key.includes(name));
  return fields.every(({ traits }) => traits.onChange === "replace");
}

/**
 * Sorts creates and updates by layer, then deletes in reverse; within a layer in document order. A delete that releases
 * a key for another object comes first.
 */
export function inExecutionOrder(changes: readonly Change[]): Change[] {
  const needed = new Set(changes.flatMap(({ dependsOn: needs }) => needs));
  const rank = ({ desired, address, action, layer }: Change): number => {
    if (desired !== undefined) return layer;
    return action === "delete" && needed.has(address) ? -1 : 1e9 - layer;
  };
  return changes.toSorted((left, right) => rank(left) - rank(right));
}
