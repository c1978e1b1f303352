// What is lost when something it relies on is made anew, or another by its name: objects inside what is replaced, and references to it.
import { fieldsOf } from "../../core/fields.ts";
import { address, nameOf } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { referencesOf } from "../../core/references.ts";
import { cascadeParentsOf } from "./cascade-rules.ts";
import type { Match } from "./match.ts";
import type { Change, DesiredObject } from "../model/index.ts";

/** What a wish loses by changes that come before its own. */
export interface ReplacementImpact {
  /** The object itself goes: with one of its holders, or because it is in the wrong one. */
  readonly object: boolean;
  /** Fields that refer to objects which are made anew or take a name over, so that they have to be written again. */
  readonly fields: ReadonlySet<string>;
}

/** Collects changes in the order of their layers, and tells what each later wish loses by them. */
export interface ReplacementImpacts {
  /** A delete that comes before the wishes. */
  addDelete(change: Change): void;
  /** The change that a wish was found to need; `takesName` where another object of ours gives its key up to it. */
  addChange(desiredObject: DesiredObject, change: Change, takesName: boolean): void;
  of(desiredObject: DesiredObject, match: Match): ReplacementImpact;
}

/** An empty collection; `kinds` by name. */
export function createReplacementImpacts(kinds: ReadonlyMap<string, Kind>): ReplacementImpacts {
  const gone = new Set<string>();
  const remade = new Map<string, DesiredObject>();

  function go({ kind, key, from }: Change): void {
    gone.add(address(kind, from?.key ?? key));
  }

  function goesAlong(kind: Kind, spec: JsonObject): boolean {
    return gone.size > 0 && cascadeParentsOf(kind, spec, kinds).some((holder) => gone.has(holder));
  }

  return {
    addDelete: go,
    addChange: (desiredObject, change, takesName) => {
      if (change.action === "replace") go(change);
      // What is live under a name that passes on still means the one who had it.
      if (change.action === "replace" || change.action === "create" || takesName) {
        remade.set(desiredObject.address, desiredObject);
      }
    },
    of: (desiredObject, { observed, inNamesakeParent: elsewhere }) => {
      if (observed === undefined) return { object: false, fields: new Set() };
      const anew = desiredObject.dependsOn.flatMap((need) => remade.get(need) ?? []);
      return {
        object: elsewhere || goesAlong(desiredObject.kind, observed.spec),
        fields: new Set(anew.flatMap((target) => fieldsReferring(desiredObject, target))),
      };
    },
  };
}

/** The fields in place of which a wish names `target`, by what that is called. */
function fieldsReferring({ kind, spec }: DesiredObject, target: DesiredObject): string[] {
  const called = nameOf(target.kind, target.spec);
  const fixed = new Set(
    fieldsOf(kind)
      .filter(({ traits }) => traits.onChange === "replace")
      .map(({ name }) => name),
  );
  return referencesOf(kind, spec)
    .filter((one) => one.kind === target.kind.name && one.value === called && !fixed.has(one.field))
    .map(({ field }) => field);
}
