// What a collection lies in, for lists that come out empty.
import { Failure } from "../../core/errors.ts";
import { fieldsOf } from "../../core/fields.ts";
import { nameOf, scopeOf } from "../../core/identity.ts";
import { canonical, equal, type JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import type { Bridge } from "./bridge.ts";

/** A kind whose objects are listed, and the others by name. */
export interface ListedKind {
  readonly kind: Kind;
  readonly kindNamed: (name: string) => Kind | undefined;
}

/** Fails with `not_found` where what the collection lies in is not there: an empty list would hide a mistyped name. */
export async function requireParents(
  { kind, kindNamed }: ListedKind,
  given: JsonObject,
  bridge: Pick<Bridge, "list">,
): Promise<void> {
  for (const { name, traits } of fieldsOf(kind).filter((one) => kind.scope.includes(one.name))) {
    const parent = kindNamed(traits.refersTo ?? "");
    if (parent === undefined) continue;
    const within = parent.scope.map((own) => [own, given[traits.within?.[own] ?? own]] as const);
    const there = await bridge.list(parent, scopeOf(parent, Object.fromEntries(within)));
    if (there.some(({ spec }) => equal(nameOf(parent, spec), given[name]))) continue;
    throw new Failure("not_found", `There is no ${parent.name} ${canonical(given[name] ?? null)}.`);
  }
}
