// Finds fields of one live object that two documents set, to different values or as a list and its entries.
import { address, keyOf, listContaining } from "../../core/kind/identity.ts";
import { canonical, equal, type JsonValue } from "../../core/json.ts";
import { member } from "../../core/schema/schema.ts";
import { declaresField, type DesiredObject } from "../model/index.ts";

type DeclaredObject = Pick<DesiredObject, "kind" | "address" | "spec">;

/** A field that two objects of a stack set. */
export interface FieldConflict {
  readonly object: DeclaredObject;
  /** The object that owns the field, or the first that sets it. */
  readonly other: DeclaredObject;
  /** The field in `object`; of an entry of a list, the list in `other`. */
  readonly field: string;
}

/** A field that two objects of a stack set differently. */
export interface SharedFieldConflict extends FieldConflict {
  /** The fields that both set. */
  readonly of: { readonly kind: string; readonly field: string };
}

/** An object, and the value that it gives a field. */
interface Setter {
  readonly object: DeclaredObject;
  readonly value: JsonValue;
}

/** Returns the conflicts between objects and the objects with which they share fields. See `sharesFields` of a kind. */
export function sharedFieldConflicts(
  objects: readonly DeclaredObject[],
): readonly SharedFieldConflict[] {
  const sharing = objects.filter(({ kind }) => kind.sharesFields !== undefined);
  if (sharing.length === 0) return [];
  const ownerKinds = new Set(sharing.map(({ kind }) => kind.sharesFields?.kind));
  const owners = objects.filter(({ kind }) => ownerKinds.has(kind.name));
  const owner = new Map(owners.map((object) => [identityOf(object, object.kind), object]));
  const first = new Map<string, Setter>();
  return sharing.flatMap((object) => {
    const { sharesFields: shared } = object.kind;
    if (shared === undefined) return [];
    const identity = identityOf(object, { name: shared.kind, key: shared.key });
    return Object.entries(shared.fields).flatMap(([field, theirs]): SharedFieldConflict[] => {
      const value = valueOf(object, field);
      if (value === undefined) return [];
      const place = canonical([identity, theirs]);
      const setter = setterOf(owner.get(identity), theirs) ?? first.get(place) ?? { object, value };
      first.set(place, setter);
      const of = { kind: shared.kind, field: theirs };
      return equal(setter.value, value) ? [] : [{ object, other: setter.object, field, of }];
    });
  });
}

function setterOf(object: DeclaredObject | undefined, field: string): Setter | undefined {
  const value = object && valueOf(object, field);
  return object === undefined || value === undefined ? undefined : { object, value };
}

/** Returns the objects that are also entries of a list that another object declares. See `entryOf` of a kind. */
export function listedEntryConflicts(objects: readonly DeclaredObject[]): readonly FieldConflict[] {
  const entries = objects.filter(({ kind }) => kind.entryOf !== undefined);
  if (entries.length === 0) return [];
  const listKinds = new Set(entries.map(({ kind }) => kind.entryOf?.kind));
  const lists = objects.filter(({ kind }) => listKinds.has(kind.name));
  const owners = new Map(
    lists.map((owner) => [address(owner.kind.name, keyOf(owner.kind, owner.spec)), owner]),
  );
  return entries.flatMap((object): FieldConflict[] => {
    const { owner = "", field = "" } = listContaining(object.kind, object.spec) ?? {};
    const other = owners.get(owner);
    return other !== undefined && declaresField(other, field) ? [{ object, other, field }] : [];
  });
}

/** Returns equal text for objects with the same kind and natural key. */
function identityOf(
  { spec }: DeclaredObject,
  { name, key }: { readonly name: string; readonly key: readonly string[] },
): string {
  return canonical([name, ...key.map((field) => member(spec, field) ?? null)]);
}

function valueOf({ spec }: DeclaredObject, field: string): JsonValue | undefined {
  return member(spec, field) ?? undefined;
}
