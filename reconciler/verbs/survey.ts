// Lists every live object of every kind that the server can list, by collection, parents first.
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { nameText } from "../../core/kind/identity.ts";
import { type Kind, type Reader, type ScopeKey, kindsByName } from "../../core/kind/kind.ts";
import { observe } from "../../lifecycle/observe.ts";
import { layersOfKinds } from "../model/kind-layers.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import { firstNames } from "../../core/text/first-names.ts";
import type { LiveState } from "../model/index.ts";

/** The kinds and scopes to list. */
export interface SurveyOptions {
  /** Every kind. */
  readonly kinds: readonly Kind[];
  /**
   * Names of the requested kinds (default: all). Kinds of their parents are listed for their keys.
   */
  readonly only?: ReadonlySet<string> | undefined;
  /**
   * Set to read every field, with extra calls if lists do not contain it; otherwise only keys are
   * read.
   */
  readonly allFields: boolean;
  readonly apiDiscovery: ApiDiscovery;
  readonly reader: Reader;
  readonly signal?: AbortSignal | undefined;
}

/** Result of a survey. */
export interface Survey {
  /** Objects of the requested kinds and of their parents' kinds. */
  readonly live: LiveState;
  /** Requested kinds that the server cannot list, directly or because of their parents. */
  readonly unlistable: readonly Kind[];
  /** Warnings about objects without a natural key, which are not in `live`. */
  readonly unidentified: readonly Diagnostic[];
}

/** Lists every collection once; kinds of a layer in parallel, after their parents. */
export async function survey(options: SurveyOptions): Promise<Survey> {
  const { kinds, apiDiscovery: offer, reader, signal, allFields } = options;
  const selected = kinds.filter(({ name }) => options.only?.has(name) ?? true);
  const byName = kindsByName(kinds);
  const needed = new Set(selected.flatMap((kind) => [kind, ...parentsOf(kind, byName)]));
  const layers = Map.groupBy(needed, ({ name }) => layersOfKinds(kinds).get(name) ?? 0);
  const live: Map<string, Awaited<ReturnType<typeof observe>>> = new Map();
  for (const [, layer] of [...layers].toSorted(([left], [right]) => left - right)) {
    const listed = layer.filter((kind) => canBeListed(kind, offer, live));
    const seen = await Promise.all(
      listed.map((kind) => {
        const full = allFields && selected.includes(kind);
        const interest = new Set(full ? fieldsOf(kind).map(({ name }) => name) : kind.key);
        const wanted = full ? undefined : () => false;
        const scopes = scopesOf(kind, live);
        // Every collection of a kind is listed.
        const isListedAnyway = () => [...needed].some(({ name }) => name === kind.entryOf?.kind);
        return observe(kind, scopes, { reader, signal, interest, wanted, isListedAnyway });
      }),
    );
    for (const collection of seen) live.set(collection.kind.name, collection);
  }
  const listed = selected.filter(({ name }) => live.has(name));
  const unidentified = await Promise.all(
    listed.map((kind) => unidentifiedWarnings(kind, scopesOf(kind, live), reader)),
  );
  return {
    live,
    unlistable: selected.filter(({ name }) => !live.has(name)),
    unidentified: unidentified.flat(),
  };
}

/** Reports the objects of a kind that no manifest can declare. */
async function unidentifiedWarnings(
  kind: Kind,
  scopes: readonly ScopeKey[],
  reader: Reader,
): Promise<readonly Diagnostic[]> {
  const { unidentified } = kind.bindings.observe;
  if (unidentified === undefined) return [];
  const { lack, partsOfThem } = unidentified;
  const objects = (
    await Promise.all(scopes.map((scope) => unidentified.list(reader, scope)))
  ).flat();
  const [first] = objects;
  if (first === undefined) return [];
  const labels = firstNames(objects.map(({ label }) => label));
  return [
    {
      code: "not-exported",
      severity: "warning",
      summary: `${pluralize(objects.length, kind.name)} without ${lack} cannot be declared, and neither can ${partsOfThem}: ${labels}`,
      remedy: `Give ${objects.length === 1 ? "it" : "each"} ${lack}. ${first.remedy}`,
    },
  ];
}

/** Returns the parent kinds of a kind, directly or not. */
function parentsOf(kind: Kind, byName: ReadonlyMap<string, Kind>): readonly Kind[] {
  return scopeFields(kind).flatMap(({ traits }) => {
    const parent = byName.get(traits.refersTo ?? "");
    return parent === undefined ? [] : [parent, ...parentsOf(parent, byName)];
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

/** Returns the account, or every valid combination of parents. */
function scopesOf(kind: Kind, live: LiveState): readonly ScopeKey[] {
  let scopes: readonly ScopeKey[] = [{}];
  for (const { name, traits } of scopeFields(kind)) {
    const parent = live.get(traits.refersTo ?? "");
    if (parent === undefined) return [];
    const within = Object.entries(traits.within ?? {});
    const observedObjects = [...parent.byKey.values()];
    scopes = scopes.flatMap((scope) =>
      observedObjects
        .filter(({ spec }) => within.every(([theirs, ours]) => spec[theirs] === scope[ours]))
        .map(({ spec }) => ({ ...scope, [name]: nameText(parent.kind, spec) })),
    );
  }
  return scopes;
}
