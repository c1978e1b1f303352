// Finds objects that are gone because a parent outside the stack was renamed or deleted on the server.
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import { isFailure } from "../../core/errors.ts";
import { address, nameText, parseKey, scopeOf } from "../../core/identity.ts";
import { type Kind, kindsByName, type ScopeKey } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import { observeAll, observedObjectOf, type ObserveRequest } from "../engine/observe.ts";
import { listEntries } from "../model/inventory-entries.ts";
import type { DesiredState, Entry, Inventory, LiveState, MissingParent } from "../model/index.ts";
import { type Parent, parentsOf, resolveParentRenames } from "../model/parent-renames.ts";

interface Known {
  readonly desired: Pick<DesiredState, "objects">;
  readonly kinds: readonly Kind[];
  readonly apiDiscovery: Pick<ApiDiscovery, "has">;
  readonly inventory: Inventory;
  readonly live: LiveState;
}

interface GoneObject {
  readonly recorded: string;
  readonly entry: Entry;
  readonly kind: Kind;
  readonly scope: ScopeKey;
  readonly parents: readonly Parent[];
}

type Reading = Parameters<typeof observeAll>[1];

/**
 * Returns the parents that are not on the server under their recorded names, by the recorded addresses of the owned objects in
 * them. Reads nothing unless an owned object in a parent of no document and no entry is gone.
 */
export async function missingParents(
  known: Known,
  reading: Reading,
): Promise<ReadonlyMap<string, MissingParent>> {
  const kinds = kindsByName(known.kinds);
  const gone = goneObjects(known, kinds);
  const requests = new Map(
    gone.flatMap(({ parents }) =>
      parents.flatMap((parent) => {
        const request = requestFor(kinds, parent, known.apiDiscovery);
        return request === undefined ? [] : [[parent.parentAddress, request] as const];
      }),
    ),
  );
  const found = new Map<string, MissingParent>();
  if (requests.size === 0) return found;
  const seen = await readableOnly(observeAll(requests.values(), reading));
  if (seen === undefined) return found;
  const renames = new Map<string, string | undefined>();
  for (const one of gone) {
    const parent = one.parents.find(({ kind, key, parentAddress }) => {
      const live = seen.get(kind);
      const exists = live?.byKey.has(key) === true || live?.ambiguous.has(key) === true;
      return requests.has(parentAddress) && !exists;
    });
    if (parent === undefined) continue;
    const { kind, field, parentAddress } = parent;
    if (!renames.has(parentAddress))
      renames.set(parentAddress, await newNameOf(one, parent, { seen, reading, kinds }));
    const name = one.scope[field] ?? "";
    found.set(one.recorded, { kind, field, name, newName: renames.get(parentAddress) });
  }
  return found;
}

/** Returns undefined if the credential may not list the parents, which nothing else of the plan needs. */
async function readableOnly(live: Promise<LiveState>): Promise<LiveState | undefined> {
  try {
    return await live;
  } catch (error) {
    if (isFailure(error, "forbidden")) return undefined;
    throw error;
  }
}

/** Returns the owned objects that are not on the server, with their parents of no document and no entry. */
function goneObjects({ desired, inventory, live }: Known, kinds: ReadonlyMap<string, Kind>) {
  const placeOf = resolveParentRenames(inventory, kinds, live);
  const gone = listEntries(inventory.entries).flatMap(([recorded, entry]) => {
    const kind = kinds.get(entry.kind);
    const { key, scope } = placeOf(entry);
    if (kind === undefined || entry.pending) return [];
    if (observedObjectOf(kind, { key, ...(entry.id !== undefined && { id: entry.id }) }, live))
      return [];
    const parents = parentsOf(kind, scope, kinds);
    return parents.length === 0 ? [] : [{ recorded, entry, kind, scope, parents }];
  });
  if (gone.length === 0) return [];
  const own = new Set([
    ...desired.objects.map(({ kind, key }) => address(kind.name, key)),
    ...listEntries(inventory.entries).map(([, entry]) => address(entry.kind, placeOf(entry).key)),
  ]);
  return gone.map((one): GoneObject => ({
    ...one,
    parents: one.parents.filter(({ parentAddress }) => !own.has(parentAddress)),
  }));
}

function requestFor(
  kinds: ReadonlyMap<string, Kind>,
  { kind: name, key }: Parent,
  apiDiscovery: Known["apiDiscovery"],
): ObserveRequest | undefined {
  const kind = kinds.get(name);
  if (kind?.bindings.observe.needs.every((operation) => apiDiscovery.has(operation)) !== true)
    return undefined;
  const fields = kind && parseKey(kind, key);
  return fields && { kind, key, scope: scopeOf(kind, fields), fields: [] };
}

/** Returns the name of the object that contains what a missing parent contained; undefined if there is none, or none was found. */
async function newNameOf(
  { kind, entry, scope }: GoneObject,
  { kind: parentKind, field }: Parent,
  {
    seen,
    reading,
    kinds,
  }: {
    readonly seen: LiveState;
    readonly reading: Reading;
    readonly kinds: ReadonlyMap<string, Kind>;
  },
): Promise<string | undefined> {
  const parent = kinds.get(parentKind);
  const { id, key } = entry;
  if (parent === undefined || id === undefined) return undefined;
  const names = [...(seen.get(parentKind)?.byId.values() ?? [])]
    .filter(({ spec }) => parent.scope.every((part) => spec[part] === scope[part]))
    .map(({ spec }) => nameText(parent, spec));
  for (const name of names.slice(0, limits.renameCandidates)) {
    const request = { kind, key, id, scope: { ...scope, [field]: name }, fields: [] };
    const live = await observeAll([request], reading);
    if (live.get(kind.name)?.byId.has(id) === true) return name;
  }
  return undefined;
}
