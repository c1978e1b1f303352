// Keys that pass from one object of a stack to another: who has to let go before whom, and what cannot be done in one run.
import { fieldsOf } from "../../core/fields.ts";
import type { Kind } from "../../core/kind.ts";
import { dependencyLayers } from "../../core/references.ts";
import type { Match } from "./match.ts";
import type { DesiredObject } from "../model/index.ts";

/** The order that references and handed-over keys impose. */
export interface ExecutionOrder {
  /** The layer of each wish by address, from 0. */
  readonly layers: ReadonlyMap<string, number>;
  /** The address that has to give up the key of a wish first, where one does. */
  readonly waitsFor: ReadonlyMap<string, string>;
  /** Wishes that can only have their keys in a circle, so that none can be first. */
  readonly circular: ReadonlySet<string>;
}

/** Orders wishes; `matchOf` tells who has their keys now. Documents that refer to each other in a circle were refused before. */
export function executionOrderOf(
  desiredObjects: readonly DesiredObject[],
  matchOf: (desiredObject: DesiredObject) => Match,
): ExecutionOrder {
  const byAddress = new Map(
    desiredObjects.map((desiredObject) => [desiredObject.address, desiredObject]),
  );
  const waits = new Map<string, string>();
  for (const desiredObject of desiredObjects) {
    const owner = matchOf(desiredObject).conflictingObject?.owner;
    if (owner !== undefined) waits.set(desiredObject.address, owner);
  }
  const circular = new Set<string>();
  for (;;) {
    const nodes = desiredObjects.map(({ address, dependsOn: needs }) => {
      const first = waits.get(address);
      return { id: address, needs: first === undefined ? needs : [...needs, first] };
    });
    const { layers: layered, cycle } = dependencyLayers(nodes);
    const circle = cycle?.filter((address) => waits.has(address)) ?? [];
    if (circle.length === 0) return { layers: layerByName(layered), waitsFor: waits, circular };
    for (const address of circle) {
      waits.delete(address);
      const kind = byAddress.get(address)?.kind;
      // Objects that are replaced together are all deleted before any of them is made.
      if (kind === undefined || !isReplacedByKey(kind)) circular.add(address);
    }
  }
}

function isReplacedByKey(kind: Kind): boolean {
  const fields = fieldsOf(kind).filter(({ name }) => kind.key.includes(name));
  return fields.every(({ traits }) => traits.onChange === "replace");
}

function layerByName(layered: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  return new Map(layered.flatMap((ids, layer) => ids.map((id) => [id, layer] as const)));
}
