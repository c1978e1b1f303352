// Lists the live objects that a delete of others takes along.
import type { ApiDiscovery } from "../client/api-discovery.ts";
import { cascadeParentsOf, cascadeReferencesOf, scopeInParent } from "../core/kind/cascades.ts";
import { parseAddress, parseKey, scopeText } from "../core/kind/identity.ts";
import { type Kind, kindsByName, type Reader, type ScopeKey } from "../core/kind/kind.ts";
import { observe } from "./observe.ts";

/** How to read the objects. */
export interface ContainmentContext {
  readonly kinds: readonly Kind[];
  readonly apiDiscovery: Pick<ApiDiscovery, "has">;
  readonly reader: Reader;
  readonly signal: AbortSignal | undefined;
}

/** Kind and natural key of a deleted object, with the address of the change that deletes it. */
export type CascadeParents = ReadonlyMap<string, string>;

/** A child of a deleted object. */
export interface ContainedObject {
  readonly kind: string;
  readonly key: string;
  readonly id: string | undefined;
  /** The address of the change that deletes it. */
  readonly by: string;
}

/**
 * Lists the objects in child collections, and those elsewhere that refer to a deleted parent. Collections that the server
 * does not offer count as empty.
 */
export async function objectsInside(
  holders: CascadeParents,
  context: ContainmentContext,
): Promise<ContainedObject[]> {
  const { kinds, apiDiscovery: offer, reader, signal } = context;
  const byName = kindsByName(kinds);
  const readable = kinds.filter((kind) =>
    kind.bindings.observe.needs.every((one) => offer.has(one)),
  );
  const seen = await Promise.all(
    readable.map(async (kind) => {
      const scopes = scopesInParents(kind, holders, byName);
      if (scopes.length === 0) return [];
      const interest = new Set(cascadeReferencesOf(kind).map(({ field }) => field));
      const options = { reader, signal, interest, wanted: () => interest.size > 0 };
      const { byKey, ambiguous } = await observe(kind, scopes, options);
      const all = [...byKey].map(([key, { id, spec }]) => ({ key, id, spec }));
      const alike = [...ambiguous.keys()].map((key) => {
        return { key, id: undefined, spec: parseKey(kind, key) ?? {} };
      });
      return [...all, ...alike].flatMap(({ key, id, spec }) => {
        const holder = cascadeParentsOf(kind, spec, byName).find((one) => holders.has(one));
        const by = holder === undefined ? undefined : holders.get(holder);
        return by === undefined ? [] : [{ kind: kind.name, key, id, by }];
      });
    }),
  );
  return seen.flat();
}

/** Lists the collections that may contain cascaded objects. */
function scopesInParents(
  kind: Kind,
  holders: CascadeParents,
  kinds: ReadonlyMap<string, Kind>,
): readonly ScopeKey[] {
  const scopes = new Map<string, ScopeKey>();
  for (const at of holders.keys()) {
    const parsed = parseAddress(at);
    const holder = parsed && kinds.get(parsed.kind);
    const spec = holder && parseKey(holder, parsed?.name ?? "");
    const scope = holder && spec && scopeInParent(kind, holder, spec);
    if (scope !== undefined) scopes.set(scopeText(scope), scope);
  }
  return [...scopes.values()];
}
