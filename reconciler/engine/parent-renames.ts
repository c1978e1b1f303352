// Where recorded objects are now: what names another object in its key is recorded under that one's name, which may be another since.
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
import { member } from "../../core/schema.ts";
import { layersOfKinds } from "./kind-layers.ts";
import type { Entry, Inventory, LiveState } from "../model/index.ts";

/** Natural key and scope. */
export type ObjectIdentity = Pick<Entry, "key" | "scope">;

/** Kinds by name. */
type Kinds = ReadonlyMap<string, Kind>;

/** What objects are called now, by their kind, their scope and the name that they were recorded under. */
type Renames = Map<string, JsonValue>;

/** Kinds whose objects others name in their keys, and go along with when they get a new name; each after those that it names. */
export function renamableParents(kinds: Kinds): readonly string[] {
  const named = new Set([...kinds.values()].flatMap((kind) => keyReferences(kind).map(parentOf)));
  const layer = layersOfKinds([...kinds.values()]);
  return [...named]
    .filter((name) => mayBeRenamed(name, kinds))
    .toSorted((one, other) => (layer.get(one) ?? 0) - (layer.get(other) ?? 0));
}

/** True where an object can get another name in place, by any part of it; else it is made anew for it, and nothing goes along. */
export function canBeRenamed(kind: Kind): boolean {
  const own = kind.key.filter((name) => !kind.scope.includes(name));
  return fieldsOf(kind).some(
    ({ name, traits }) => own.includes(name) && traits.onChange !== "replace",
  );
}

/** What cannot be renamed itself may be called after something that can. */
function mayBeRenamed(name: string, kinds: Kinds): boolean {
  const kind = kinds.get(name);
  if (kind === undefined) return false;
  return (
    canBeRenamed(kind) || keyReferences(kind).some(({ parent }) => mayBeRenamed(parent, kinds))
  );
}

/**
 * Tells where an entry's object is to be looked for, given what it may name in its key as far as that was seen: where it is
 * recorded, if nothing moved.
 */
export function resolveParentRenames(
  { entries }: Inventory,
  kinds: Kinds,
  live: LiveState,
): (entry: Entry) => ObjectIdentity {
  const renames: Renames = new Map();
  const recorded = Map.groupBy(Object.values(entries), ({ kind }) => kind);
  for (const name of renamableParents(kinds)) {
    const kind = kinds.get(name);
    for (const was of kind === undefined ? [] : (recorded.get(name) ?? [])) {
      const seen = was.id === undefined ? undefined : live.get(name)?.byId.get(was.id)?.spec;
      const now = seen ?? applyRenames(renames, kinds, was)?.spec;
      if (kind !== undefined && now !== undefined) recordRename(renames, kind, { was, now });
    }
  }
  return (entry) => {
    const moved = applyRenames(renames, kinds, entry);
    return moved === undefined ? entry : { key: moved.key, scope: moved.scope };
  };
}

/** An object that was recorded as `was`, and from now on as `is`. */
interface RenamedEntry {
  readonly before: Entry;
  readonly after: Entry;
}

/** The entries of what names a renamed object in its key, and of what is called after that, as they are to be recorded from now on. */
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
  /** The fields of the key, and those of them that are new. */
  readonly spec: JsonObject;
  readonly names: JsonObject;
}

/** Undefined where nothing that the entry's object names in its key has another name. */
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

/** An object that a scope names. */
interface Parent {
  readonly kind: string;
  /** Kind and natural key. */
  readonly parentAddress: string;
}

/** The objects that a scope names, as far as their kinds are known. */
export function parentsOf(kind: Kind, scope: ScopeKey, kinds: Kinds): readonly Parent[] {
  return keyReferences(kind).flatMap(({ name, parent }) => {
    const value = member(scope, name);
    const known = value === undefined ? undefined : kinds.get(parent);
    const key = known && value !== undefined ? keyOfNamed(known, value, scope) : undefined;
    return key === undefined ? [] : [{ kind: parent, parentAddress: address(parent, key) }];
  });
}

interface KeyReference {
  readonly name: string;
  /** The kind of what the field names. */
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
