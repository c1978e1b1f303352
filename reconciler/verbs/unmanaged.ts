// What exists on a server that nobody declared: neither this stack, nor another one of the same inventory store.
import { address } from "../../core/identity.ts";
import type { Kind } from "../../core/kind.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { CachedReader } from "../../lifecycle/reader.ts";
import type { Inventory, LiveObjects } from "../model/index.ts";
import type { Session } from "./session.ts";
import { survey } from "./survey.ts";
import { resolveParentRenames } from "../engine/parent-renames.ts";

/** A live object that no document declares. */
export interface Unmanaged {
  readonly kind: string;
  /** The natural key as text. */
  readonly key: string;
  /** The service's id, where it gives one and only one object has the key. */
  readonly id: string | undefined;
}

/** The object in a word: its kind and natural key. */
export function labelOf({ kind, key }: Unmanaged): string {
  return address(kind, key);
}

/** What was found, and of which kinds nothing could be. */
export interface UnmanagedResult {
  /** By kind, in the order of the reference, and by natural key. */
  readonly objects: readonly Unmanaged[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Lists every collection of every kind that the server can list, and leaves out what is declared or owned. */
export async function findUnmanaged(
  session: Session,
  seen: {
    readonly inventory: Inventory;
    readonly reader: CachedReader;
    readonly signal: AbortSignal | undefined;
  },
): Promise<UnmanagedResult> {
  const { kinds, apiDiscovery: offer } = session;
  const { live, unlistable: blind } = await survey({
    kinds,
    apiDiscovery: offer,
    allFields: false,
    ...seen,
  });
  const claimed = claims(session, seen.inventory, live);
  const objects: Unmanaged[] = [];
  for (const kind of kinds) {
    const found = live.get(kind.name);
    for (const one of found === undefined ? [] : objectsOf(found, claimed)) {
      const owner = await session.store.owner(session.client.origin, one.kind, one.key);
      if (owner === undefined) objects.push(one);
    }
  }
  return { objects, diagnostics: blind.map(notListableNote) };
}

/** The keys and ids that this stack declares or owns, each with its kind before it. */
interface Claims {
  readonly keys: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
}

function claims(
  { desired, kinds }: Session,
  inventory: Inventory,
  live: Parameters<typeof resolveParentRenames>[2],
): Claims {
  const placeOf = resolveParentRenames(
    inventory,
    new Map(kinds.map((kind) => [kind.name, kind])),
    live,
  );
  const entries = Object.values(inventory.entries);
  const wished = desired.objects.map(({ kind, key }) => address(kind.name, key));
  const owned = entries.map((entry) => address(entry.kind, placeOf(entry).key));
  const ids = entries.flatMap(({ kind, id }) => (id === undefined ? [] : [address(kind, id)]));
  return { keys: new Set([...wished, ...owned]), ids: new Set(ids) };
}

function objectsOf({ kind, byKey, ambiguous }: LiveObjects, claimed: Claims): readonly Unmanaged[] {
  const isFree = ({ key, id }: Pick<Unmanaged, "key" | "id">): boolean =>
    !claimed.keys.has(address(kind.name, key)) &&
    (id === undefined || !claimed.ids.has(address(kind.name, id)));
  const single = [...byKey].map(([key, { id }]) => ({ kind: kind.name, key, id }));
  const several = [...ambiguous.keys()].map((key) => ({ kind: kind.name, key, id: undefined }));
  return [...single, ...several]
    .filter(isFree)
    .toSorted((left, right) => (left.key < right.key ? -1 : 1));
}

function notListableNote({ name }: Kind): Diagnostic {
  return {
    code: "not-readable",
    severity: "info",
    summary: `this server has no way to list objects of kind ${name}, so none that nobody declared is told`,
  };
}
