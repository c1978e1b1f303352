// With whom an object goes: the service deletes it along with any of its holders.
import { membersOf } from "../../core/fields.ts";
import { address, keyOf, keyOfNamed, scopeOf } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { member, perSchema } from "../../core/schema.ts";
import { parentsOf } from "./whereabouts.ts";

/** Kinds by name. */
type Kinds = ReadonlyMap<string, Kind>;

/** A field beside the key that names a holder, such as the owner of an API key. */
export interface Bond {
  readonly field: string;
  /** The kind of what it names. */
  readonly holder: string;
}

const bondsIn = perSchema((spec): readonly Bond[] =>
  membersOf(spec).flatMap(({ name, traits: { goesAlong, refersTo } }) =>
    goesAlong === true && refersTo !== undefined ? [{ field: name, holder: refersTo }] : [],
  ),
);

/** The fields by which objects of a kind go along with others; none for most. */
export function bondsOf(kind: Kind): readonly Bond[] {
  return bondsIn(kind.spec);
}

/** Kind and natural key of what an object goes along with by such fields, as far as they were seen. */
export function bondedTo(kind: Kind, spec: JsonObject, kinds: Kinds): readonly string[] {
  return bondsOf(kind).flatMap(({ field, holder }) => {
    const [name, known] = [member(spec, field), kinds.get(holder)];
    const key = known && typeof name === "string" ? keyOfNamed(known, name, spec) : undefined;
    return key === undefined ? [] : [address(holder, key)];
  });
}

/** The object that one of this spec brings along. */
interface Implied {
  /** Kind and natural key. */
  readonly at: string;
  /** Kind and natural key of what that object is in. */
  readonly within: readonly string[];
}

/** What an object brings along; undefined for a kind that brings nothing. */
export function impliedBy(kind: Kind, spec: JsonObject, kinds: Kinds): Implied | undefined {
  const { implies } = kind;
  const other = implies && kinds.get(implies.kind);
  if (implies === undefined || other === undefined) return undefined;
  const key = Object.fromEntries(
    other.key.map((name, at) => [name, member(spec, implies.key[at] ?? name) ?? null]),
  );
  return { at: address(other.name, keyOf(other, key)), within: holdersByKey(other, key, kinds) };
}

/** Kind and natural key of every object that takes one of this spec along when it goes. */
export function holdersOf(kind: Kind, spec: JsonObject, kinds: Kinds): readonly string[] {
  const implied = impliedBy(kind, spec, kinds);
  return [
    ...holdersByKey(kind, spec, kinds),
    ...(implied === undefined ? [] : [implied.at, ...implied.within]),
    ...bondedTo(kind, spec, kinds),
  ];
}

function holdersByKey(kind: Kind, spec: JsonObject, kinds: Kinds): readonly string[] {
  return parentsOf(kind, scopeOf(kind, spec), kinds).flatMap(({ kind: parent, at }) =>
    kinds.get(parent)?.cascades === true ? [at] : [],
  );
}

/** Whether deleting an object of the kind that is called so can take others along. */
export function canTakeAlong(name: string, kinds: readonly Kind[]): boolean {
  return kinds.some(
    (kind) =>
      (kind.name === name && kind.cascades) || bondsOf(kind).some(({ holder }) => holder === name),
  );
}
