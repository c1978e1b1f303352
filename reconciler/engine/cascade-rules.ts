// With whom an object goes: the service deletes it along with any of its holders.
import { membersOf } from "../../core/fields.ts";
import { address, keyOf, keyOfNamed, scopeOf } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { member, memoizePerSchema } from "../../core/schema.ts";
import { parentsOf } from "./parent-renames.ts";

/** Kinds by name. */
type Kinds = ReadonlyMap<string, Kind>;

/** A field beside the key that names a holder, such as the owner of an API key. */
export interface CascadeReference {
  readonly field: string;
  /** The kind of what it names. */
  readonly parentKind: string;
}

const cascadeReferencesIn = memoizePerSchema((spec): readonly CascadeReference[] =>
  membersOf(spec).flatMap(({ name, traits: { cascadeDelete: goesAlong, refersTo } }) =>
    goesAlong === true && refersTo !== undefined ? [{ field: name, parentKind: refersTo }] : [],
  ),
);

/** The fields by which objects of a kind go along with others; none for most. */
export function cascadeReferencesOf(kind: Kind): readonly CascadeReference[] {
  return cascadeReferencesIn(kind.spec);
}

/** Kind and natural key of what an object goes along with by such fields, as far as they were seen. */
export function referencedCascadeParents(
  kind: Kind,
  spec: JsonObject,
  kinds: Kinds,
): readonly string[] {
  return cascadeReferencesOf(kind).flatMap(({ field, parentKind: holder }) => {
    const [name, known] = [member(spec, field), kinds.get(holder)];
    const key = known && typeof name === "string" ? keyOfNamed(known, name, spec) : undefined;
    return key === undefined ? [] : [address(holder, key)];
  });
}

/** The object that one of this spec brings along. */
interface ImpliedObject {
  /** Kind and natural key. */
  readonly objectAddress: string;
  /** Kind and natural key of what that object is in. */
  readonly parents: readonly string[];
}

/** What an object brings along; undefined for a kind that brings nothing. */
export function impliedObjectOf(
  kind: Kind,
  spec: JsonObject,
  kinds: Kinds,
): ImpliedObject | undefined {
  const { createsImplicitly: implies } = kind;
  const other = implies && kinds.get(implies.kind);
  if (implies === undefined || other === undefined) return undefined;
  const key = Object.fromEntries(
    other.key.map((name, at) => [name, member(spec, implies.key[at] ?? name) ?? null]),
  );
  return {
    objectAddress: address(other.name, keyOf(other, key)),
    parents: cascadeParentsByKey(other, key, kinds),
  };
}

/** Kind and natural key of every object that takes one of this spec along when it goes. */
export function cascadeParentsOf(kind: Kind, spec: JsonObject, kinds: Kinds): readonly string[] {
  const implied = impliedObjectOf(kind, spec, kinds);
  return [
    ...cascadeParentsByKey(kind, spec, kinds),
    ...(implied === undefined ? [] : [implied.objectAddress, ...implied.parents]),
    ...referencedCascadeParents(kind, spec, kinds),
  ];
}

function cascadeParentsByKey(kind: Kind, spec: JsonObject, kinds: Kinds): readonly string[] {
  return parentsOf(kind, scopeOf(kind, spec), kinds).flatMap(
    ({ kind: parent, parentAddress: at }) => (kinds.get(parent)?.cascades === true ? [at] : []),
  );
}

/** Whether deleting an object of the kind that is called so can take others along. */
export function canCascade(name: string, kinds: readonly Kind[]): boolean {
  return kinds.some(
    (kind) =>
      (kind.name === name && kind.cascades) ||
      cascadeReferencesOf(kind).some(({ parentKind: holder }) => holder === name),
  );
}
