// Finds live objects that neither this stack nor another one of the same inventory store declares.
import { address, listContaining } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { CachedReader } from "../../lifecycle/reader.ts";
import { declaresField, type Inventory, type LiveObjects, type LiveState } from "../model/index.ts";
import type { Session } from "./session.ts";
import { survey } from "./survey.ts";
import { resolveParentRenames } from "../model/parent-renames.ts";

/** A live object that no document declares. */
export interface Unmanaged {
  readonly kind: string;
  /** Natural key as text. */
  readonly key: string;
  /** Id at the service, if there is one and the key is unique. */
  readonly id: string | undefined;
}

/** Returns kind and natural key of the object. */
export function labelOf({ kind, key }: Unmanaged): string {
  return address(kind, key);
}

/** Result, with the kinds that could not be checked. */
export interface UnmanagedResult {
  /** By kind, in the order of the reference, then by natural key. */
  readonly objects: readonly Unmanaged[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Lists every collection of every kind that the server can list, without declared and owned objects. An entry of a list of
 * another object is not listed as well; see `inManagedList`.
 */
export async function findUnmanaged(
  session: Session,
  seen: {
    readonly inventory: Inventory;
    readonly reader: CachedReader;
    readonly signal: AbortSignal | undefined;
  },
): Promise<UnmanagedResult> {
  const { kinds, apiDiscovery } = session;
  const { live, unlistable, unidentified } = await survey({
    kinds,
    apiDiscovery,
    allFields: false,
    ...seen,
  });
  const claimed = claims(session, seen.inventory, live);
  const isListed = inManagedList(session, live);
  const found = kinds.flatMap(({ name }) => {
    const collection = live.get(name);
    return collection === undefined ? [] : objectsOf(collection, claimed, isListed);
  });
  const ownerOf = await session.store.ownersOf(session.client.origin, found);
  const objects = found.filter((object) => ownerOf(object) === undefined);
  return { objects, diagnostics: [...unlistable.map(notListableNote), ...unidentified] };
}

/** Returns keys and ids that this stack declares or owns, each with its kind. */
interface Claims {
  readonly keys: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
}

function claims({ desired, kinds }: Session, inventory: Inventory, live: LiveState): Claims {
  const placeOf = resolveParentRenames(inventory, kindsByName(kinds), { live });
  const entries = Object.values(inventory.entries);
  const declared = desired.objects.map(({ kind, key }) => address(kind.name, key));
  const owned = entries.map((entry) => address(entry.kind, placeOf(entry).key));
  const ids = entries.flatMap(({ kind, id }) => (id === undefined ? [] : [address(kind, id)]));
  return { keys: new Set([...declared, ...owned]), ids: new Set(ids) };
}

/**
 * Returns whether an object is an entry of a list that counts instead of the entry: a list that this stack declares, or
 * the list of an object that it does not declare. Another stack may declare the latter list, so it counts.
 */
function inManagedList({ desired }: Session, live: LiveState) {
  const declared = new Map(
    desired.objects.map((object) => [address(object.kind.name, object.key), object]),
  );
  const liveAddresses = new Set(
    [...live.values()].flatMap(({ kind, byKey }) =>
      [...byKey.keys()].map((key) => address(kind.name, key)),
    ),
  );
  return (kind: Kind, spec: JsonObject): boolean => {
    const { owner = "", field = "" } = listContaining(kind, spec) ?? {};
    const document = declared.get(owner);
    return document === undefined ? liveAddresses.has(owner) : declaresField(document, field);
  };
}

function objectsOf(
  { kind, byKey, ambiguous }: LiveObjects,
  claimed: Claims,
  isListed: ReturnType<typeof inManagedList>,
): readonly Unmanaged[] {
  const isFree = ({ key, id }: Pick<Unmanaged, "key" | "id">): boolean =>
    !claimed.keys.has(address(kind.name, key)) &&
    (id === undefined || !claimed.ids.has(address(kind.name, id)));
  const single = [...byKey]
    .filter(([, { spec }]) => !isListed(kind, spec))
    .map(([key, { id }]) => ({ kind: kind.name, key, id }));
  const several = [...ambiguous.keys()].map((key) => ({ kind: kind.name, key, id: undefined }));
  return [...single, ...several]
    .filter(isFree)
    .toSorted((left, right) => (left.key < right.key ? -1 : 1));
}

function notListableNote({ name }: Kind): Diagnostic {
  return {
    code: "not-readable",
    severity: "info",
    summary: `this server cannot list objects of type ${name}; undeclared ones are not reported`,
  };
}
