// Finds which parents cascade to an object, and which object a create implies.
import { membersOf } from "../../core/kind/fields.ts";
import { address, keyOf, keyOfNamed, scopeOf } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { member, memoizePerSchema } from "../../core/schema/schema.ts";
import type { DesiredObject } from "./index.ts";
import { parentsOf } from "./parent-renames.ts";

/** Kinds by name. */
type Kinds = ReadonlyMap<string, Kind>;

/** A field besides the key that refers to a cascading parent, such as the owner of an API key. */
export interface CascadeReference {
  readonly field: string;
  /** The kind of the parent. */
  readonly parentKind: string;
}

const cascadeReferencesIn = memoizePerSchema((spec): readonly CascadeReference[] =>
  membersOf(spec).flatMap(({ name, traits: { cascadeDelete, refersTo } }) =>
    cascadeDelete === true && refersTo !== undefined ? [{ field: name, parentKind: refersTo }] : [],
  ),
);

/** Returns the fields through which other objects cascade to this kind; empty for most. */
export function cascadeReferencesOf(kind: Kind): readonly CascadeReference[] {
  return cascadeReferencesIn(kind.spec);
}

/** Returns kind and natural key of the observed parents in such fields. */
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

/** An object that the server creates together with another. */
interface ImpliedObject {
  /** Kind and natural key. */
  readonly objectAddress: string;
  /** Kind and natural key of its parent. */
  readonly parents: readonly string[];
}

/** Returns the object that the server creates together with this one, if any. */
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

/** Returns kind and natural key of every object whose delete cascades to one with this spec. */
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

/** True if deleting an object of this kind can cascade. */
export function canCascade(name: string, kinds: readonly Kind[]): boolean {
  return kinds.some(
    (kind) =>
      (kind.name === name && kind.cascades) ||
      cascadeReferencesOf(kind).some(({ parentKind: holder }) => holder === name),
  );
}

/** Lets an object depend on the declared object that its create would imply, so that the latter is created and owned first. */
export function withImpliedDependencies(
  objects: readonly DesiredObject[],
): readonly DesiredObject[] {
  const kinds = new Map(objects.map(({ kind }) => [kind.name, kind]));
  const addresses = new Map(
    objects.map((object) => [address(object.kind.name, object.key), object.address]),
  );
  return objects.map((object) => {
    const implied = impliedObjectOf(object.kind, object.spec, kinds);
    return withDependencies(object, [implied && addresses.get(implied.objectAddress)]);
  });
}

/** Returns the object with more dependencies; undefined ones are ignored. */
export function withDependencies(
  object: DesiredObject,
  more: readonly (string | undefined)[],
): DesiredObject {
  const added = more.filter((one) => one !== undefined && !object.dependsOn.includes(one));
  if (added.length === 0) return object;
  return {
    ...object,
    dependsOn: [...object.dependsOn, ...added.filter((one) => one !== undefined)].toSorted(),
  };
}
