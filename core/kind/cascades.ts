// Finds the parents of an object, which of them cascade to it, what lies inside it, and which object a create implies.
import type { JsonObject } from "../json.ts";
import { memoizePerObject } from "../memoize.ts";
import { member, memoizePerSchema } from "../schema/schema.ts";
import { fieldsOf, membersOf } from "./fields.ts";
import { address, keyOf, keyOfNamed, nameText, scopeOf } from "./identity.ts";
import type { Kind, ScopeKey } from "./kind.ts";

/** Kinds by name. */
type Kinds = Pick<ReadonlyMap<string, Kind>, "get">;

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

/** A parent object in a scope. */
export interface Parent {
  readonly kind: string;
  /** Kind and natural key. */
  readonly parentAddress: string;
  readonly key: string;
  /** The field of the scope that names it. */
  readonly field: string;
}

/** Returns the parent objects in a scope whose kinds are known. */
export function parentsOf(kind: Kind, scope: ScopeKey, kinds: Kinds): readonly Parent[] {
  return keyReferences(kind).flatMap(({ name, parent }) => {
    const value = member(scope, name);
    const known = value === undefined ? undefined : kinds.get(parent);
    const key = known && value !== undefined ? keyOfNamed(known, value, scope) : undefined;
    if (key === undefined) return [];
    return [{ kind: parent, parentAddress: address(parent, key), key, field: name }];
  });
}

/** A field of the key that refers to a parent. */
export interface KeyReference {
  readonly name: string;
  /** Returns the kind that the field refers to. */
  readonly parent: string;
}

/** Returns the fields of the key that refer to parents. */
export const keyReferences = memoizePerObject((kind: Kind): readonly KeyReference[] =>
  fieldsOf(kind).flatMap(({ name, traits }) =>
    traits.refersTo !== undefined && kind.key.includes(name)
      ? [{ name, parent: traits.refersTo }]
      : [],
  ),
);

/** Returns the collection of a kind that belongs to an object, inside it or by a reference; undefined if there is none. */
export function scopeInParent(kind: Kind, holder: Kind, spec: JsonObject): ScopeKey | undefined {
  const bond = cascadeReferencesOf(kind).find(({ parentKind }) => parentKind === holder.name);
  const via = innermostField(kind, holder) ?? bond?.field;
  if (via === undefined) return undefined;
  const beside = kind.scope.includes(via) ? { ...spec, [via]: nameText(holder, spec) } : spec;
  const known = kind.scope.every((name) => member(beside, name) !== undefined);
  return known ? scopeOf(kind, beside) : undefined;
}

/** Returns the field that names the object in which the collections of a kind lie, if that is an object of this kind. */
function innermostField(kind: Kind, holder: Kind): string | undefined {
  const last = kind.scope.at(-1);
  const inner = fieldsOf(kind).find(({ name }) => name === last)?.traits.refersTo;
  return holder.cascades && inner === holder.name ? last : undefined;
}
