// Everything that lives on a server, declared or not, of every kind that the server can list: collection by collection, parents first.
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import { fieldsOf } from "../../core/fields.ts";
import { nameText } from "../../core/identity.ts";
import type { Kind, Reader, ScopeKey } from "../../core/kind.ts";
import { observe } from "../../lifecycle/observe.ts";
import { layersOfKinds } from "../engine/kind-layers.ts";
import type { LiveState } from "../model/index.ts";

/** What is to be seen, and how. */
export interface SurveyOptions {
  /** Every kind there is. */
  readonly kinds: readonly Kind[];
  /** Names of the kinds that are asked about; all where it is left out. Kinds that they lie in are listed for their keys. */
  readonly only?: ReadonlySet<string> | undefined;
  /** See every field, at the cost of calls of their own where the API shows it in no list; else the keys alone. */
  readonly allFields: boolean;
  readonly apiDiscovery: ApiDiscovery;
  readonly reader: Reader;
  readonly signal?: AbortSignal | undefined;
}

/** What was seen. */
export interface Survey {
  /** Of the kinds that were asked about, and of those that they lie in. */
  readonly live: LiveState;
  /** Kinds that were asked about and that this server cannot list, or only in parents that it cannot list. */
  readonly unlistable: readonly Kind[];
}

/** Lists every collection once; kinds of one layer side by side, each after those that its collections are named by. */
export async function survey(options: SurveyOptions): Promise<Survey> {
  const { kinds, apiDiscovery: offer, reader, signal, allFields: whole } = options;
  const asked = kinds.filter(({ name }) => options.only?.has(name) ?? true);
  const known = new Map(kinds.map((kind) => [kind.name, kind]));
  const needed = new Set(asked.flatMap((kind) => [kind, ...parentsOf(kind, known)]));
  const layers = Map.groupBy(needed, ({ name }) => layersOfKinds(kinds).get(name) ?? 0);
  const live: Map<string, Awaited<ReturnType<typeof observe>>> = new Map();
  for (const [, layer] of [...layers].toSorted(([left], [right]) => left - right)) {
    const listed = layer.filter((kind) => canBeListed(kind, offer, live));
    const seen = await Promise.all(
      listed.map((kind) => {
        const full = whole && asked.includes(kind);
        const interest = new Set(full ? fieldsOf(kind).map(({ name }) => name) : kind.key);
        const wanted = full ? undefined : () => false;
        return observe(kind, scopesOf(kind, live), { reader, signal, interest, wanted });
      }),
    );
    for (const one of seen) live.set(one.kind.name, one);
  }
  return { live, unlistable: asked.filter(({ name }) => !live.has(name)) };
}

/** The kinds that the collections of one are named by, through any number of steps. */
function parentsOf(kind: Kind, known: ReadonlyMap<string, Kind>): readonly Kind[] {
  return scopeFields(kind).flatMap(({ traits }) => {
    const parent = known.get(traits.refersTo ?? "");
    return parent === undefined ? [] : [parent, ...parentsOf(parent, known)];
  });
}

function scopeFields(kind: Kind) {
  const fields = new Map(fieldsOf(kind).map((field) => [field.name, field]));
  return kind.scope.flatMap((name) => fields.get(name) ?? []);
}

function canBeListed(kind: Kind, offer: ApiDiscovery, live: LiveState): boolean {
  return (
    kind.bindings.observe.needs.every((operation) => offer.has(operation)) &&
    scopeFields(kind).every(({ traits }) => live.has(traits.refersTo ?? ""))
  );
}

/** The account, or every combination of parents that belong together. */
function scopesOf(kind: Kind, live: LiveState): readonly ScopeKey[] {
  let scopes: readonly ScopeKey[] = [{}];
  for (const { name, traits } of scopeFields(kind)) {
    const parent = live.get(traits.refersTo ?? "");
    if (parent === undefined) return [];
    const within = Object.entries(traits.within ?? {});
    const sights = [...parent.byKey.values()];
    scopes = scopes.flatMap((scope) =>
      sights
        .filter(({ spec }) => within.every(([theirs, ours]) => spec[theirs] === scope[ours]))
        .map(({ spec }) => ({ ...scope, [name]: nameText(parent.kind, spec) })),
    );
  }
  return scopes;
}
