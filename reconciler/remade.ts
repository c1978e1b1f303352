// What is lost when something it relies on is made anew: objects inside what is replaced, and references to it.
import { fieldsOf } from "../core/fields.ts";
import { address, nameOf, scopeOf } from "../core/identity.ts";
import type { Kind, ScopeKey } from "../core/kind.ts";
import { referencesOf } from "../core/references.ts";
import { member } from "../core/schema.ts";
import type { Match } from "./match.ts";
import type { Change, Wish } from "./model.ts";

/** What a wish loses by changes that come before its own. */
export interface Loss {
  /** The object itself goes, with the one that it is in, or because it is in the wrong one. */
  readonly object: boolean;
  /** Fields that refer to objects which are made anew, so that they have to be written again. */
  readonly fields: ReadonlySet<string>;
}

/** Collects changes in the order of their layers, and tells what each later wish loses by them. */
export interface Losses {
  /** A delete that comes before the wishes. */
  deleted(change: Change, kind: Kind | undefined): void;
  /** The change that a wish was found to need. */
  judged(wish: Wish, change: Change): void;
  of(wish: Wish, match: Match): Loss;
}

/** An empty collection. */
export function createLosses(): Losses {
  const swept = new Set<string>();
  const remade = new Map<string, Wish>();

  function sweep({ kind: name, key, from }: Change, kind: Kind | undefined): void {
    if (kind?.cascades === true) swept.add(address(name, from?.key ?? key));
  }

  return {
    deleted: sweep,
    judged: (wish, change) => {
      if (change.action === "replace") sweep(change, wish.kind);
      if (change.action === "replace" || change.action === "create") {
        remade.set(wish.address, wish);
      }
    },
    of: (wish, { sight, elsewhere }) => {
      if (sight === undefined) return { object: false, fields: new Set() };
      const inside = swept.size > 0 ? parentsOf(wish.kind, scopeOf(wish.kind, sight.spec)) : [];
      const anew = wish.needs.flatMap((need) => remade.get(need) ?? []);
      return {
        object: elsewhere || inside.some((parent) => swept.has(parent)),
        fields: new Set(anew.flatMap((target) => fieldsReferring(wish, target))),
      };
    },
  };
}

/** Kind and natural key of the objects that a scope names. */
export function parentsOf(kind: Kind, scope: ScopeKey): string[] {
  return fieldsOf(kind).flatMap(({ name, traits }) => {
    const value = member(scope, name);
    return traits.refersTo === undefined || value === undefined
      ? []
      : [address(traits.refersTo, value)];
  });
}

/** The fields in place of which a wish names `target`, by what that is called. */
function fieldsReferring({ kind, spec }: Wish, target: Wish): string[] {
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
