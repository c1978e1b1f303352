// Computes the effects of a replacement on other objects: child objects that it deletes, and references that must be
// written again.
import { address, nameOf } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { updatableReferencesOf } from "../../core/kind/references.ts";
import { cascadeParentsOf } from "../../core/kind/cascades.ts";
import type { Match } from "./match-objects.ts";
import type { Change, DesiredObject } from "../model/index.ts";

/** The impact of earlier changes on one declared object. */
export interface ReplacementImpact {
  /** True if the object itself is deleted, with a parent. */
  readonly object: boolean;
  /** Fields that refer to objects which are replaced or get another name: they must be written again. */
  readonly fields: ReadonlySet<string>;
}

/** Collects changes in layer order and returns their impact on each later object. */
export interface ReplacementImpacts {
  /** Adds a delete that runs before creates and updates. */
  addDelete(change: Change): void;
  /** Adds the change of a declared object; `takesName` if another owned object releases its key to it. */
  addChange(desiredObject: DesiredObject, change: Change, takesName: boolean): void;
  of(desiredObject: DesiredObject, match: Match): ReplacementImpact;
}

/** Creates an empty collection; `kinds` by name. */
export function createReplacementImpacts(kinds: ReadonlyMap<string, Kind>): ReplacementImpacts {
  const deletedParents = new Set<string>();
  const replaced = new Map<string, DesiredObject>();

  function addDeleted({ kind, key, from }: Change): void {
    deletedParents.add(address(kind, from?.key ?? key));
  }

  function isCascaded(kind: Kind, spec: JsonObject): boolean {
    return (
      deletedParents.size > 0 &&
      cascadeParentsOf(kind, spec, kinds).some((holder) => deletedParents.has(holder))
    );
  }

  return {
    addDelete: addDeleted,
    addChange: (desiredObject, change, takesName) => {
      if (change.action === "replace") addDeleted(change);
      // The live objects in this name belong to its former owner.
      if (change.action === "replace" || change.action === "create" || takesName) {
        replaced.set(desiredObject.address, desiredObject);
      }
    },
    of: (desiredObject, { observed }) => {
      if (observed === undefined) return { object: false, fields: new Set() };
      const replacedTargets = desiredObject.dependsOn.flatMap((need) => replaced.get(need) ?? []);
      return {
        object: isCascaded(desiredObject.kind, observed.spec),
        fields: new Set(
          replacedTargets.flatMap((target) => fieldsReferring(desiredObject, target)),
        ),
      };
    },
  };
}

/** Returns the fields of a declared object that refer to `target` by its key. */
function fieldsReferring({ kind, spec }: DesiredObject, target: DesiredObject): string[] {
  const called = nameOf(target.kind, target.spec);
  return updatableReferencesOf(kind, spec)
    .filter((reference) => reference.kind === target.kind.name && reference.value === called)
    .map(({ field }) => field);
}
