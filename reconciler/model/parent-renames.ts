// Finds the current key of recorded objects whose parents were renamed since.
import { type KeyReference, keyReferences } from "../../core/kind/cascades.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { keyOf, nameOf, parseKey, scopeOf, scopeText } from "../../core/kind/identity.ts";
import { canonical, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind, ScopeKey } from "../../core/kind/kind.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import { entriesByKind } from "./stack-index.ts";
import { layersOfKinds, withReferredKinds } from "./kind-layers.ts";
import type { Entry, Inventory, LiveObjects } from "./index.ts";

/** Natural key and scope. */
export type ObjectIdentity = Pick<Entry, "key" | "scope">;

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
  return parents.toSorted((left, right) => (layer.get(left) ?? 0) - (layer.get(right) ?? 0));
}

/** True if an object can be renamed in place; otherwise a rename replaces it and its children are deleted. */
export const canBeRenamed = memoizePerObject((kind: Kind): boolean => {
  const parts = kind.key.filter((name) => !kind.scope.includes(name));
  return fieldsOf(kind).some(
    ({ name, traits }) => parts.includes(name) && traits.onChange !== "replace",
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

/** Returns a function that finds the current key of an entry's object from the parents that were observed; the recorded key if nothing changed. */
export function resolveParentRenames(
  { entries }: Inventory,
  kinds: Kinds,
  { live }: { readonly live: ReadonlyMap<string, Pick<LiveObjects, "byId">> },
): (entry: Entry) => ObjectIdentity {
  const renames: Renames = new Map();
  const recorded = entriesByKind(entries);
  for (const name of renamableParents(recorded.keys(), kinds)) {
    const kind = kinds.get(name);
    for (const entry of kind === undefined ? [] : (recorded.get(name) ?? [])) {
      const seen = entry.id === undefined ? undefined : live.get(name)?.byId.get(entry.id)?.spec;
      const now = seen ?? applyRenames(renames, kinds, entry)?.spec;
      if (kind !== undefined && now !== undefined) recordRename(renames, kind, { was: entry, now });
    }
  }
  return (entry) => {
    const now = applyRenames(renames, kinds, entry);
    return now === undefined ? entry : { key: now.key, scope: now.scope };
  };
}

/** An object recorded as `before`, and as `after` from now on. */
interface RenamedEntry {
  readonly before: Entry;
  readonly after: Entry;
}

/**
 * Entries by address, in which those inside a renamed object follow it. They are found by an index, which the first rename
 * makes: most runs rename nothing.
 */
export class RenamableEntries extends Map<string, Entry> {
  readonly #kinds: Kinds;
  /** Addresses by the parents in the keys. Entries that moved or were deleted since may still be listed. */
  #inside: Map<string, Set<string>> | undefined;

  constructor(entries: Iterable<readonly [address: string, entry: Entry]>, kinds: Kinds) {
    super();
    this.#kinds = kinds;
    for (const [name, entry] of entries) this.set(name, entry);
  }

  override set(name: string, entry: Entry): this {
    if (this.#inside !== undefined) this.#list(this.#inside, name, entry);
    return super.set(name, entry);
  }

  /** Changes the keys that contain the name of a renamed object, at any depth. Returns their entries. */
  rename(renamed: RenamedEntry): ReadonlyMap<string, Entry> {
    const inside = (this.#inside ??= this.#index());
    const next = new Map<string, Entry>();
    const waiting = [renamed];
    for (const rename of waiting) {
      const renames = renamesOf(rename, this.#kinds);
      for (const name of [...renames.keys()].flatMap((parent) => [...(inside.get(parent) ?? [])])) {
        const before = this.get(name);
        const moved = before && applyRenames(renames, this.#kinds, before);
        if (before === undefined || moved === undefined) continue;
        const { key, scope, names } = moved;
        const after = { ...before, key, scope, lastApplied: { ...before.lastApplied, ...names } };
        this.set(name, after);
        next.set(name, after);
        waiting.push({ before, after });
      }
      // None is inside the old name any more.
      for (const parent of renames.keys()) inside.delete(parent);
    }
    return next;
  }

  #index(): Map<string, Set<string>> {
    const inside = new Map<string, Set<string>>();
    for (const [name, entry] of this) this.#list(inside, name, entry);
    return inside;
  }

  #list(inside: Map<string, Set<string>>, name: string, entry: Entry): void {
    const kind = this.#kinds.get(entry.kind);
    const spec = kind && keyReferences(kind).length > 0 ? parseKey(kind, entry.key) : undefined;
    if (kind === undefined || spec === undefined) return;
    for (const { parent } of namedParents(kind, spec, this.#kinds)) {
      const names = inside.get(parent);
      if (names === undefined) inside.set(parent, new Set([name]));
      else names.add(name);
    }
  }
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
  const changed = namedParents(kind, spec, kinds).flatMap(({ field, parent }) => {
    const now = renames.get(parent);
    return now === undefined ? [] : [[field, now] as const];
  });
  if (changed.length === 0) return undefined;
  const names: JsonObject = Object.fromEntries(changed);
  const renamed = { ...spec, ...names };
  return { spec: renamed, names, key: keyOf(kind, renamed), scope: scopeOf(kind, renamed) };
}

interface NamedParent {
  readonly field: string;
  /** As in {@link Renames}. */
  readonly parent: string;
}

/** Returns the parents that a key names. */
function namedParents(kind: Kind, spec: JsonObject, kinds: Kinds): readonly NamedParent[] {
  return keyReferences(kind).flatMap(({ name: field, parent: parentName }) => {
    const parent = kinds.get(parentName);
    const value = spec[field];
    if (parent === undefined || value === undefined) return [];
    const inOne = parent.scope.every((one) => spec[one] !== undefined);
    return inOne ? [{ field, parent: renameKey(parent, scopeOf(parent, spec), value) }] : [];
  });
}

function renameKey(kind: Kind, scope: ScopeKey, name: JsonValue): string {
  return canonical([kind.name, scopeText(scope), name]);
}

function parentOf({ parent }: KeyReference): string {
  return parent;
}
