// Finds fields of one live object that two resources of a run declare: with different values, or as a list and its entries.
import { address, keyOf, listContaining } from "../../core/kind/identity.ts";
import { canonical, equal, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { normalize } from "../../core/spec/normalize.ts";

/** Returns the fields of a kind that objects of other kinds also set, or to which they add entries. */
export function sharedFieldsOf(kinds: Iterable<Kind>, { name }: Kind): ReadonlySet<string> {
  const fields = [...kinds].flatMap(({ entryOf, sharesFields }) => [
    ...(entryOf?.kind === name ? [entryOf.field] : []),
    ...(sharesFields?.kind === name ? Object.values(sharesFields.fields) : []),
  ]);
  return new Set(fields);
}

/** A declared object: its known fields, and those of its kind that other kinds share. */
export interface DeclaredObject {
  readonly kind: Kind;
  readonly spec: JsonObject;
  readonly sharedFields: ReadonlySet<string>;
}

/** A field that two resources declare. */
export interface FieldConflict {
  /** The top-level field of the object that was declared last. */
  readonly field: string;
  readonly message: string;
}

interface Claim {
  /** The field of the object that claims. */
  readonly field: string;
  /** Undefined if the object is an entry of the list. */
  readonly value: JsonValue | undefined;
}

/** Remembers which fields the resources of one run declare. */
export class DeclaredFields {
  /** Claims by the object that makes them, for each field of a live object. */
  readonly #claims = new Map<string, Map<string, Claim>>();
  readonly #fieldsOf = new Map<string, readonly string[]>();

  /** Adds an object, in place of what it declared before, and returns its conflicts. Objects whose key is not known are skipped. */
  add(object: DeclaredObject): readonly FieldConflict[] {
    const { kind } = object;
    const spec = normalize(kind, object.spec);
    if (kind.key.some((name) => (spec[name] ?? null) === null)) return [];
    const by = address(kind.name, keyOf(kind, spec));
    this.#forget(by);
    const claims = claimsOf(kind, spec, object.sharedFields);
    this.#fieldsOf.set(by, [...claims.keys()]);
    return [...claims].flatMap(([place, claim]) => {
      const others = this.#claims.get(place) ?? new Map<string, Claim>();
      this.#claims.set(place, others);
      const found = [...others].find(([, other]) => areInConflict(claim, other));
      others.set(by, claim);
      return found === undefined ? [] : [conflictWith(by, claim, found)];
    });
  }

  /** Forgets a deleted object. */
  remove(kind: Kind, spec: JsonObject): void {
    this.#forget(address(kind.name, keyOf(kind, spec)));
  }

  #forget(by: string): void {
    for (const place of this.#fieldsOf.get(by) ?? []) this.#claims.get(place)?.delete(by);
  }
}

/** Returns what an object declares, by the live object and its field. */
function claimsOf(
  kind: Kind,
  spec: JsonObject,
  sharedFields: ReadonlySet<string>,
): ReadonlyMap<string, Claim> {
  const claims = new Map<string, Claim>();
  const claim = (owner: string, of: string, { field, value }: Claim) => {
    if ((value ?? undefined) !== undefined) claims.set(canonical([owner, of]), { field, value });
  };
  const self = address(kind.name, keyOf(kind, spec));
  for (const field of sharedFields) claim(self, field, { field, value: spec[field] });
  const { sharesFields: shared, key } = kind;
  if (shared !== undefined) {
    const owner = address(shared.kind, keyOf({ ...kind, key: shared.key }, spec));
    for (const [field, theirs] of Object.entries(shared.fields))
      claim(owner, theirs, { field, value: spec[field] });
  }
  const list = listContaining(kind, spec);
  if (list !== undefined)
    claims.set(canonical([list.owner, list.field]), { field: key.at(-1) ?? "", value: undefined });
  return claims;
}

function areInConflict({ value }: Claim, other: Claim): boolean {
  if (value === undefined || other.value === undefined) return value !== other.value;
  return !equal(value, other.value);
}

function conflictWith(
  by: string,
  { field, value }: Claim,
  [other, theirs]: readonly [string, Claim],
): FieldConflict {
  if (value === undefined) {
    const message = `${by} is an entry of ${theirs.field} of ${other}, which replaces all entries. Remove ${theirs.field} there, or add the entry to that list.`;
    return { field, message };
  }
  if (theirs.value === undefined) {
    const message = `${other} is an entry of this list, which replaces all entries. Remove the list, or add the entry to it.`;
    return { field, message };
  }
  return {
    field,
    message: `${other} sets the same field to another value. Set it in one of the two.`,
  };
}
