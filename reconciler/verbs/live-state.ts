// Observes the objects that a stack declares or owns, also under parents that were renamed since.
import { type Kind, type Reader, kindsByName } from "../../core/kind/kind.ts";
import { type ObserveRequest, fieldNames, observeAll } from "../engine/observe.ts";
import { entriesByKind } from "../model/inventory-entries.ts";
import type { DesiredState, Entry, Inventory, LiveState } from "../model/index.ts";
import {
  renamableParents,
  type ObjectIdentity,
  resolveParentRenames,
} from "../model/parent-renames.ts";

/**
 * Returns everything that is declared or owned. Parents are observed first, because they may have been
 * renamed.
 */
export async function observeLiveState(
  { desired, kinds }: { readonly desired: DesiredState; readonly kinds: readonly Kind[] },
  inventory: Inventory,
  how: {
    readonly reader: Reader;
    readonly signal: AbortSignal | undefined;
  },
): Promise<LiveState> {
  const byName = kindsByName(kinds);
  const recorded = entriesByKind(inventory.entries);
  let seen: LiveState = new Map();
  let placeOf = resolveParentRenames(inventory, byName, { live: seen });
  for (const parent of renamableParents(recorded.keys(), byName)) {
    const childRequests = (recorded.get(parent) ?? []).flatMap((entry) =>
      observeRequestsFor(entry, { byName, place: placeOf(entry) }),
    );
    if (childRequests.length === 0) continue;
    seen = new Map([...seen, ...(await observeAll(childRequests, how))]);
    placeOf = resolveParentRenames(inventory, byName, { live: seen });
  }
  function* requests(): Generator<ObserveRequest> {
    for (const { kind, scope, spec, key } of desired.objects)
      yield { kind, scope, key, fields: fieldNames(spec) };
    for (const entries of recorded.values())
      for (const entry of entries)
        yield* observeRequestsFor(entry, { byName, place: placeOf(entry) });
  }
  return observeAll(requests(), how);
}

function observeRequestsFor(
  { kind: name, id, lastApplied }: Entry,
  { byName, place }: { byName: ReadonlyMap<string, Kind>; place: ObjectIdentity },
): ObserveRequest[] {
  const kind = byName.get(name);
  const { key, scope } = place;
  return kind === undefined ? [] : [{ kind, scope, key, id, fields: fieldNames(lastApplied) }];
}
