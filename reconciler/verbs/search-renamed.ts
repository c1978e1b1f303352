// Searches the objects of a kind for the content of a parent that may have been renamed on the server.
import { isFailure } from "../../core/errors.ts";
import { address, keyOf, nameText, scopeOf, scopeText } from "../../core/kind/identity.ts";
import type { Kind, ScopeKey } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { observeAll, type ObserveRequest } from "../engine/observe.ts";
import type { Entry, LiveObjects, MissingParent } from "../model/index.ts";
import { canBeRenamed, type Parent } from "../model/parent-renames.ts";

/** An owned object that is gone with a parent. */
export interface LostObject {
  /** The address of its entry. */
  readonly recorded: string;
  readonly entry: Entry;
  readonly kind: Kind;
  readonly key: string;
  readonly scope: ScopeKey;
  readonly parent: Parent;
  readonly parentKind: Kind;
  /** The addresses of its parents in the missing one that can be renamed too. */
  readonly inner: readonly string[];
}

/** The live objects of kinds of parents; undefined for a kind that the credential may not list. */
export type SeenParents = ReadonlyMap<string, LiveObjects | undefined>;

type Reading = Parameters<typeof observeAll>[1];

/** Returns the text of a kind and a scope. */
export function placeText({ name }: Kind, scope: ScopeKey): string {
  return address(name, scopeText(scope));
}

/** Returns undefined if the credential may not read the objects. Nothing else in the plan needs them. */
export async function observeReadable(
  requests: readonly ObserveRequest[],
  { name }: Kind,
  reading: Reading,
): Promise<LiveObjects | undefined> {
  try {
    return (await observeAll(requests, reading)).get(name);
  } catch (error) {
    if (isFailure(error, "forbidden")) return undefined;
    throw error;
  }
}

/** Returns the names of live parents by kind and scope: first those that no document and no entry names, as of `named`. */
export function candidatesByPlace(
  seen: SeenParents,
  named: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const objects = [...seen.values()].flatMap((live) =>
    [...(live?.byId.values() ?? [])].flatMap(({ spec }) =>
      live === undefined ? [] : [{ kind: live.kind, spec }],
    ),
  );
  const isNamed = ({ kind, spec }: (typeof objects)[number]) =>
    named.has(address(kind.name, keyOf(kind, spec)));
  const { true: known = [], false: others = [] } = Object.groupBy(objects, (one) =>
    isNamed(one) ? "true" : "false",
  );
  const places = Map.groupBy([...others, ...known], ({ kind, spec }) =>
    placeText(kind, scopeOf(kind, spec)),
  );
  return new Map(
    [...places].map(([place, all]) => [place, all.map(({ kind, spec }) => nameText(kind, spec))]),
  );
}

interface Evidence {
  /** The names of live parents; undefined if the credential may not list them. */
  readonly candidates: readonly string[] | undefined;
  /** The names under which objects of missing parents were found, by the address of the parent. */
  readonly newNames: Map<string, Set<string>>;
}

/**
 * Decides whether missing parents of one kind and scope were renamed or deleted. Searches each candidate once for all
 * lost objects.
 */
export async function searchRenamed(
  lost: readonly LostObject[],
  { candidates, newNames }: Evidence,
  reading: Reading,
): Promise<readonly (readonly [recorded: string, parent: MissingParent])[]> {
  const searched = (candidates ?? []).slice(0, limits.renameCandidates);
  const byKind = Map.groupBy(
    lost.filter(({ entry, parentKind }) => entry.id !== undefined && canBeRenamed(parentKind)),
    ({ kind }) => kind,
  );
  // The client bounds the calls in flight.
  const results = await Promise.all(
    searched.flatMap((name) =>
      [...byKind].map(([kind, objects]) => foundIn(name, { kind, objects, reading })),
    ),
  );
  for (const { name, parents } of results.flatMap((found) => found ?? []))
    for (const parent of parents) addName(newNames, parent, name);
  const isWhole =
    searched.length === candidates?.length && results.every((found) => found !== undefined);
  const deleted = new Set<string>();
  return lost
    .toSorted((one, other) => one.inner.length - other.inner.length)
    .map((one) => {
      const { kind, field, parentAddress } = one.parent;
      const [newName, ...more] = newNames.get(parentAddress) ?? [];
      const isSearched = one.entry.id !== undefined && one.inner.length === 0;
      const isDeleted =
        !canBeRenamed(one.parentKind) ||
        (newName === undefined && isWhole && (isSearched || searched.length === 0)) ||
        one.inner.some((at) => deleted.has(at));
      if (isDeleted) deleted.add(address(one.kind.name, one.key));
      const isRenamed = !isDeleted && more.length === 0;
      const name = one.scope[field] ?? "";
      return [
        one.recorded,
        { kind, field, name, isDeleted, newName: isRenamed ? newName : undefined },
      ];
    });
}

/** Adds a name under which an object of a missing parent was found. */
export function addName(names: Evidence["newNames"], parent: string, name: string): void {
  names.set(parent, (names.get(parent) ?? new Set()).add(name));
}

interface Search {
  readonly kind: Kind;
  /** Lost objects of the kind, with IDs. */
  readonly objects: readonly LostObject[];
  readonly reading: Reading;
}

/** Returns the missing parents whose objects are in the candidate of a name; undefined if the credential may not read it. */
async function foundIn(
  name: string,
  { kind, objects, reading }: Search,
): Promise<{ readonly name: string; readonly parents: readonly string[] } | undefined> {
  const requests = objects.map(({ key, entry: { id }, scope, parent }) => {
    return { kind, key, id, scope: { ...scope, [parent.field]: name }, fields: [] };
  });
  const live = await observeReadable(requests, kind, reading);
  if (live === undefined) return undefined;
  const found = objects.filter(({ entry }) => live.byId.has(entry.id ?? ""));
  return { name, parents: [...new Set(found.map(({ parent }) => parent.parentAddress))] };
}
