// Finds the current key of recorded objects whose parents were renamed since.
import { fieldsOf } from "../../core/fields.ts";
import {
  address,
  keyOf,
  keyOfNamed,
  nameOf,
  parseKey,
  scopeOf,
  scopeText,
} from "../../core/identity.ts";
import { canonical, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind, ScopeKey } from "../../core/kind.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import { member } from "../../core/schema.ts";
import { entriesByKind } from "./inventory-entries.ts";
import { layersOfKinds, withReferredKinds } from "./kind-layers.ts";
import type { Entry, Inventory, LiveState } from "./index.ts";

/** Natural key and scope. */
export type ObjectIdentity = Pick<Entry, "key" | "scope">;

/** The present keys and scopes of entries in parents outside the stack that were renamed. */
export type MovedEntries = ReadonlyMap<Entry, ObjectIdentity>;

/** Kinds by name. */
type Kinds = ReadonlyMap<string, Kind>;

/** Returns the current names of objects, by kind, scope and recorded name. */
type Renames = Map<string, JsonValue>;

/**
 * Returns the kinds of recorded objects that can be renamed while other recorded objects have their name in the key, in order
 * of dependency.
 */
export function renamableParents(recorded: Iterable<string>, kinds: Kinds): readonly string[] {
  const names = new Set(recorded);
  const holders = [...names].flatMap((name) => kinds.get(name) ?? []);
  const named = new Set(holders.flatMap((kind) => keyReferences(kind).map(parentOf)));
  const parents = [...named].filter((name) => names.has(name) && mayBeRenamed(name, kinds));
  const layer = layersOfKinds(withReferredKinds(parents, kinds));
  return parents.toSorted((one, other) => (layer.get(one) ?? 0) - (layer.get(other) ?? 0));
}

/** True if an object can be renamed in place; else a rename replaces it and its children are deleted. */
export const canBeRenamed = memoizePerObject((kind: Kind): boolean => {
  const own = kind.key.filter((name) => !kind.scope.includes(name));
  return fieldsOf(kind).some(
    ({ name, traits }) => own.includes(name) && traits.onChange !== "replace",
  );
});

/** An object that cannot be renamed itself may have the name of a parent that can. */
function mayBeRenamed(name: string, kinds: Kinds): boolean {
  const kind = kinds.get(name);
  if (kind === undefined) return false;
  return (
    canBeRenamed(kind) || keyReferences(kind).some(({ parent }) => mayBeRenamed(parent, kinds))
  );
}

/**
 * Returns a function that finds the current key of an entry's object from the parents that were observed, and from the
 * places of `moved`; the recorded key if nothing changed.
 */
export function resolveParentRenames(
  { entries }: Inventory,
  kinds: Kinds,
  {
    live,
    moved = new Map(),
  }: { readonly live: LiveState; readonly moved?: MovedEntries | undefined },
): (entry: Entry) => ObjectIdentity {
  const renames: Renames = new Map();
  const placed = (entry: Entry): Entry => {
    const place = moved.get(entry);
    return place === undefined ? entry : { ...entry, ...place };
  };
  const recorded = entriesByKind(entries);
  for (const name of renamableParents(recorded.keys(), kinds)) {
    const kind = kinds.get(name);
    for (const entry of kind === undefined ? [] : (recorded.get(name) ?? [])) {
      const was = placed(entry);
      const seen = was.id === undefined ? undefined : live.get(name)?.byId.get(was.id)?.spec;
      const now = seen ?? applyRenames(renames, kinds, was)?.spec;
      if (kind !== undefined && now !== undefined) recordRename(renames, kind, { was, now });
    }
  }
  return (entry) => {
    const was = placed(entry);
    const now = applyRenames(renames, kinds, was);
    return now === undefined ? was : { key: now.key, scope: now.scope };
  };
}

/** An object recorded as `before`, and as `after` from now on. */
interface RenamedEntry {
  readonly before: Entry;
  readonly after: Entry;
}

/** Returns the entries whose keys contain the name of a renamed object, at any depth, with their new keys. */
export function entriesRenamedWith(
  entries: ReadonlyMap<string, Entry>,
  kinds: Kinds,
  { before: was, after: is }: RenamedEntry,
): ReadonlyMap<string, Entry> {
  const next = new Map<string, Entry>();
  const waiting: RenamedEntry[] = [{ before: was, after: is }];
  for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
    const renames = renamesOf(one, kinds);
    for (const [at, entry] of renames.size === 0 ? [] : entries) {
      const before = next.get(at) ?? entry;
      const moved = applyRenames(renames, kinds, before);
      if (moved === undefined) continue;
      const { key, scope, names } = moved;
      const after = { ...before, key, scope, lastApplied: { ...before.lastApplied, ...names } };
      next.set(at, after);
      waiting.push({ before: before, after: after });
    }
  }
  return next;
}

function renamesOf({ before: was, after: is }: RenamedEntry, kinds: Kinds): Renames {
  const kind = kinds.get(is.kind);
  const now = kind && parseKey(kind, is.key);
  const renames: Renames = new Map();
  if (kind !== undefined && now !== undefined) recordRename(renames, kind, { was, now });
  return renames;
}

function recordRename(
  renames: Renames,
  kind: Kind,
  { was, now }: { readonly was: Entry; readonly now: JsonObject },
): void {
  const before = parseKey(kind, was.key);
  const [from, to] = [before && nameOf(kind, before), nameOf(kind, now)];
  if (from === undefined || to === undefined || canonical(from) === canonical(to)) return;
  renames.set(renameKey(kind, was.scope, from), to);
}

interface RenamedIdentity extends ObjectIdentity {
  /** The fields of the key, and the changed ones among them. */
  readonly spec: JsonObject;
  readonly names: JsonObject;
}

/** Undefined if no parent of the entry has a new name. */
function applyRenames(renames: Renames, kinds: Kinds, entry: Entry): RenamedIdentity | undefined {
  const kind = renames.size === 0 ? undefined : kinds.get(entry.kind);
  const spec = kind && parseKey(kind, entry.key);
  if (kind === undefined || spec === undefined) return undefined;
  const changed = keyReferences(kind).flatMap(({ name, parent: parentName }) => {
    const parent = kinds.get(parentName);
    const value = spec[name];
    if (parent === undefined || value === undefined) return [];
    const inOne = parent.scope.every((field) => spec[field] !== undefined);
    const now = inOne ? renames.get(renameKey(parent, scopeOf(parent, spec), value)) : undefined;
    return now === undefined ? [] : [[name, now] as const];
  });
  if (changed.length === 0) return undefined;
  const names: JsonObject = Object.fromEntries(changed);
  const moved = { ...spec, ...names };
  return { spec: moved, names, key: keyOf(kind, moved), scope: scopeOf(kind, moved) };
}

function renameKey(kind: Kind, scope: ScopeKey, name: JsonValue): string {
  return canonical([kind.name, scopeText(scope), name]);
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

interface KeyReference {
  readonly name: string;
  /** Returns the kind that the field refers to. */
  readonly parent: string;
}

function parentOf({ parent }: KeyReference): string {
  return parent;
}

function keyReferences(kind: Kind): KeyReference[] {
  return fieldsOf(kind).flatMap(({ name, traits }) =>
    traits.refersTo !== undefined && kind.key.includes(name)
      ? [{ name, parent: traits.refersTo }]
      : [],
  );
}
