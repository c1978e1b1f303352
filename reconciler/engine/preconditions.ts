// Checks under the lock that a plan still holds: server, inventory, live objects and secrets are those that it was made from.
import { equal } from "../../core/json.ts";
import { containsSecret } from "../../core/kind/fields.ts";
import type { Kind, Reader } from "../../core/kind/kind.ts";
import type { Fingerprints } from "../../core/spec/fingerprints.ts";
import { maskSecrets } from "../../core/spec/record.ts";
import { removedFields } from "../../core/spec/removed-rights.ts";
import type { InventoryStore } from "../inventory/store.ts";
import { objectsByAddress } from "../model/desired-objects.ts";
import type { Change, DesiredState, Inventory, LiveState, Plan } from "../model/index.ts";
import { inventoryDigest, preconditionHolds } from "./digest.ts";
import { withIgnoredFields } from "./ignore-rules.ts";
import { fieldNames, observeAll, observedObjectOf, type ObserveRequest } from "./observe.ts";
import { staleError, staleInventoryError, staleSecretsError } from "./saved-plan-check.ts";

type Kinds = ReadonlyMap<string, Kind>;

/** Reads the inventory that the plan was made from. Fails with `stale` if another run has written it since. */
export async function inventoryOfPlan({ basis }: Plan, store: InventoryStore): Promise<Inventory> {
  const inventory = await store.read();
  if (inventoryDigest(inventory) === basis.inventory) return inventory;
  throw staleInventoryError();
}

/** Reads the collections of these changes once. */
export function observeChanges(
  changes: readonly Change[],
  { kinds, ...how }: { kinds: Kinds; reader: Reader; signal: AbortSignal },
): Promise<LiveState> {
  return observeAll(
    changes.flatMap((change) => requestsFor(change, kinds)),
    how,
  );
}

function requestsFor(change: Change, kinds: Kinds): ObserveRequest[] {
  const kind = kinds.get(change.kind);
  if (kind === undefined) return [];
  const watched = "fields" in change.precondition ? change.precondition.fields : [];
  const fields = [...fieldNames(change.desired ?? {}), ...watched];
  const scopes = change.from === undefined ? [change.scope] : [change.scope, change.from.scope];
  const { key, id } = change;
  return scopes.map((scope) => ({ kind, scope, fields, key, id }));
}

/** Fails with `stale` if a live object is not as the plan found it. */
export function assertPreconditions(
  { changes }: Plan,
  live: LiveState,
  { kinds, fingerprints: { of } }: { kinds: Kinds; fingerprints: Fingerprints },
): void {
  const stale = changes.filter((change) => {
    const kind = kinds.get(change.kind);
    if (kind === undefined || change.action === "forget" || change.action === "orphan")
      return false;
    const observed = observedObjectOf(kind, change, live);
    return !preconditionHolds(change.precondition, { kind, of }, observed);
  });
  if (stale.length > 0) throw staleError(stale.map(({ address }) => ({ address })));
}

/** What {@link withSecrets} needs besides a plan. */
interface SecretContext {
  /** Contains the secrets that the plan omits. */
  readonly desired: DesiredState;
  readonly kinds: Kinds;
  readonly fingerprints: Fingerprints;
  readonly now: Date;
}

/**
 * Puts the secrets of the manifests back into the changes. Fails with `stale` if one is not that of the plan, as its
 * fingerprint there shows.
 */
export function withSecrets(
  plan: Plan,
  live: LiveState,
  { desired, kinds, fingerprints, now }: SecretContext,
): readonly Change[] {
  const desiredObjects = objectsByAddress(desired.objects);
  const stale: string[] = [];
  const changes = plan.changes.map((change) => {
    const { secrets = {}, address } = change;
    const kind = kinds.get(change.kind);
    if (change.desired === undefined || kind === undefined || !containsSecret(kind.spec))
      return change;
    const declared = desiredObjects.get(address);
    const observed = observedObjectOf(kind, change, live);
    const spec =
      (declared && observed ? withIgnoredFields(declared, observed, now) : declared)?.spec ?? {};
    if (!equal(maskSecrets(kind, spec, fingerprints.of).secretFingerprints, secrets))
      stale.push(address);
    const { taken } = removedFields(kind, change.desired, spec);
    return { ...change, desired: { ...spec, ...taken } };
  });
  if (stale.length > 0) throw staleSecretsError(stale);
  return changes;
}
