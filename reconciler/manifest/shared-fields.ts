// Finds fields of one live object that two documents set, to different values or as a list and its entries.
import { address, keyOf, listContaining } from "../../core/identity.ts";
import { canonical, equal, type JsonValue } from "../../core/json.ts";
import { member } from "../../core/schema.ts";
import { declaresField, type DesiredObject } from "../model/index.ts";

type DeclaredObject = Pick<DesiredObject, "kind" | "address" | "spec">;

/** A field that two objects of a stack set differently. */
export interface SharedFieldConflict {
  readonly object: DeclaredObject;
  /** The object that owns the field, or the first that sets it. */
  readonly other: DeclaredObject;
  readonly field: string;
}

/** Returns the conflicts between objects and those that their writes also change. See `createsImplicitly.sets` of a kind. */
export function sharedFieldConflicts(
  objects: readonly DeclaredObject[],
): readonly SharedFieldConflict[] {
  const sharing = objects.filter(({ kind }) => kind.createsImplicitly?.sets !== undefined);
  if (sharing.length === 0) return [];
  const impliedKinds = new Set(sharing.map(({ kind }) => kind.createsImplicitly?.kind));
  const owners = objects.filter(({ kind }) => impliedKinds.has(kind.name));
  const first = new Map(owners.map((owner) => [identityOf(owner, owner.kind), owner]));
  const setters = new Map<string, DeclaredObject>();
  return sharing.flatMap((object) => {
    const { createsImplicitly: implied } = object.kind;
    if (implied === undefined) return [];
    const identity = identityOf(object, { name: implied.kind, key: implied.key });
    return (implied.sets ?? []).flatMap((field): SharedFieldConflict[] => {
      const value = valueOf(object, field);
      if (value === undefined) return [];
      const owner = first.get(identity);
      const isOwned = owner !== undefined && valueOf(owner, field) !== undefined;
      const setter = canonical([identity, field]);
      const other = isOwned ? owner : (setters.get(setter) ?? object);
      setters.set(setter, other);
      return equal(valueOf(other, field), value) ? [] : [{ object, other, field }];
    });
  });
}

/** Returns the objects that are also entries of a list that another object declares. See `entryOf` of a kind. */
export function listedEntryConflicts(
  objects: readonly DeclaredObject[],
): readonly SharedFieldConflict[] {
  const entries = objects.filter(({ kind }) => kind.entryOf !== undefined);
  if (entries.length === 0) return [];
  const listKinds = new Set(entries.map(({ kind }) => kind.entryOf?.kind));
  const lists = objects.filter(({ kind }) => listKinds.has(kind.name));
  const owners = new Map(
    lists.map((owner) => [address(owner.kind.name, keyOf(owner.kind, owner.spec)), owner]),
  );
  return entries.flatMap((object): SharedFieldConflict[] => {
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
