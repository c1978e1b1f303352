// Checks that the parents of an empty list exist.
import { Failure } from "../../core/errors.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { nameOf, scopeOf } from "../../core/kind/identity.ts";
import { canonical, equal, type JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { Bridge } from "./bridge.ts";

/** A kind whose objects are listed, and a lookup of the other kinds. */
export interface ListedKind {
  readonly kind: Kind;
  readonly kindNamed: (name: string) => Kind | undefined;
}

/** Fails with `not_found` if a parent of the collection does not exist. An empty list would hide a mistyped name. */
export async function requireParents(
  { kind, kindNamed }: ListedKind,
  inputs: JsonObject,
  bridge: Pick<Bridge, "list">,
): Promise<void> {
  for (const { name, traits } of fieldsOf(kind).filter((one) => kind.scope.includes(one.name))) {
    const parent = kindNamed(traits.refersTo ?? "");
    if (parent === undefined) continue;
    const within = parent.scope.map((own) => [own, inputs[traits.within?.[own] ?? own]] as const);
    const siblings = await bridge.list(parent, scopeOf(parent, Object.fromEntries(within)));
    if (siblings.some(({ spec }) => equal(nameOf(parent, spec), inputs[name]))) continue;
    throw new Failure(
      "not_found",
      `${parent.name} ${canonical(inputs[name] ?? null)} does not exist.`,
    );
  }
}
