// Makes an object depend on the delete or replacement that would cascade to it.
import { address, keyOf } from "../../core/kind/identity.ts";
import type { Kind } from "../../core/kind/kind.ts";
import {
  cascadeReferencesOf,
  impliedObjectOf,
  referencedCascadeParents,
} from "../../core/kind/cascades.ts";
import type { Change, DesiredObject } from "../model/index.ts";
import { withDependencies } from "../model/implied-dependencies.ts";
import type { Match } from "./match-objects.ts";

/** Kinds by name. */
type Kinds = ReadonlyMap<string, Kind>;

/**
 * Lets an object depend on the delete or replace that would cascade to it: done later, that would delete the desired object.
 * The deleted object is one that it implies, or that a field refers to.
 */
export function withCascadeDependencies(
  objects: readonly DesiredObject[],
  {
    kinds,
    removed,
    matchOf,
  }: {
    readonly kinds: Kinds;
    /** The changes of objects that are no longer declared. */
    readonly removed: readonly Change[];
    readonly matchOf: (object: DesiredObject) => Match;
  },
): readonly DesiredObject[] {
  const cascades = (kind: Kind) =>
    kind.createsImplicitly !== undefined || cascadeReferencesOf(kind).length > 0;
  if (!objects.some(({ kind }) => cascades(kind))) return objects;
  const removedByKey = new Map<string, string>();
  const keptByKey = new Map<string, string>();
  for (const object of objects) {
    const { observed } = matchOf(object);
    const key = observed && keyOf(object.kind, observed.spec);
    if (key === undefined) continue;
    (key === object.key ? keptByKey : removedByKey).set(
      address(object.kind.name, key),
      object.address,
    );
  }
  for (const { action, kind, key, address: removedAddress, cascadedBy } of removed) {
    if (action === "delete") removedByKey.set(address(kind, key), cascadedBy ?? removedAddress);
  }
  return objects.map((object) => {
    if (!cascades(object.kind)) return object;
    const implied = impliedObjectOf(object.kind, object.spec, kinds);
    const keys = implied === undefined ? [] : [implied.objectAddress, ...implied.parents];
    const { observed } = matchOf(object);
    const parents =
      observed === undefined ? [] : referencedCascadeParents(object.kind, observed.spec, kinds);
    return withDependencies(object, [
      ...keys.map((key) => removedByKey.get(key)),
      // An object that stays may still be replaced under the same name.
      ...parents.map((parent) => removedByKey.get(parent) ?? keptByKey.get(parent)),
    ]);
  });
}
