// Reads back what an apply wrote, and compares it with what was declared. A difference is an error of the kind,
// or a concurrent change.
import { isFailure } from "../../core/errors.ts";
import { recordedSpecOf, splitSecrets } from "../../core/spec/record.ts";
import type { CachedReader } from "../../lifecycle/reader.ts";
import type { InventoryUpdater } from "./inventory-updater.ts";
import { observeChanges } from "./stale-plan.ts";
import { compare, type FieldChange } from "../../core/spec/diff.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import type { Fingerprints } from "../../core/spec/fingerprints.ts";
import { causeOf } from "../model/changed-after-write.ts";
import type {
  ApplyResult,
  Change,
  LiveState,
  Outcome,
  PlannedField,
  ProgressEvent,
} from "../model/index.ts";
import { blocked } from "./block-reasons.ts";

/** What {@link verify} needs besides the changes and their outcomes. */
export interface VerifyContext {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly fingerprints: Fingerprints;
  readonly updater: Pick<InventoryUpdater, "entry" | "done">;
  readonly reader: CachedReader;
  readonly signal: AbortSignal;
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
}

/** What reading back showed. */
type Verified = Pick<ApplyResult, "residual" | "unverified">;

/**
 * Reads back the written objects, records the ids of new objects and returns the remaining differences, or why they could
 * not be read: that does not affect the outcomes. Skipped after an interrupt.
 */
export async function verify(
  changes: readonly Change[],
  outcomes: readonly Outcome[],
  context: VerifyContext,
): Promise<Verified> {
  const { kinds, fingerprints, updater, reader, signal, progress } = context;
  const results = new Map(outcomes.map(({ address, result }) => [address, result]));
  const written = changes.filter(
    ({ address, action }) =>
      results.get(address) === "done" && action !== "none" && action !== "forget",
  );
  if (written.length === 0) return { residual: [], unverified: undefined };
  if (signal.aborted) return { residual: [], unverified: "the run was stopped" };
  progress?.({ event: "phase", phase: "verify" });
  reader.invalidate();
  try {
    const live = await observeChanges(written, { kinds, reader, signal });
    for (const change of written) {
      const id = observedAfter(change, live)?.id;
      const entry = updater.entry(change.address);
      if (change.desired !== undefined && entry !== undefined && entry.id !== id)
        updater.done(change, id);
    }
    const left = residual(written, { live, kinds, fingerprints });
    return {
      residual: left.map((change) => withoutSecrets(change, context)),
      unverified: undefined,
    };
  } catch (error) {
    if (isFailure(error)) return { residual: [], unverified: error.message };
    throw error;
  }
}

function withoutSecrets(
  change: Change,
  { kinds, fingerprints }: Pick<VerifyContext, "kinds" | "fingerprints">,
): Change {
  const kind = kinds.get(change.kind);
  if (change.desired === undefined || kind === undefined) return change;
  return { ...change, desired: splitSecrets(kind, change.desired, fingerprints.of).visible };
}

/** Returns the differences that remain after the changes were executed, each as the change that it would take. */
export function residual(
  done: readonly Change[],
  how: { live: LiveState; kinds: ReadonlyMap<string, Kind>; fingerprints: Fingerprints },
): Change[] {
  const { live, kinds, fingerprints } = how;
  const desiredObserved = new Set(
    done
      .filter(({ desired }) => desired !== undefined)
      .map((change) => observedAfter(change, live)),
  );
  return done.flatMap((change) => {
    const kind = kinds.get(change.kind);
    if (kind === undefined || change.action === "forget") return [];
    const observed = observedAfter(change, live);
    const former = change.action === "replace" && live.get(change.kind)?.byId.get(change.id ?? "");
    if (former && !desiredObserved.has(former)) return blocked(change, [{ code: "still-exists" }]);
    return (
      remainingChange(change, {
        kind,
        observed,
        isOtherDesired: desiredObserved.has(observed),
        fingerprints,
      }) ?? []
    );
  });
}

interface RemainderContext {
  readonly kind: Kind;
  readonly observed: ObservedObject | undefined;
  /** Another declared object is this live object now: it has the key, or an id that is derived from it. */
  readonly isOtherDesired: boolean;
  readonly fingerprints: Fingerprints;
}

/**
 * Returns the live object of an executed change: by its id if it kept that, otherwise by natural key. A replaced object
 * lost its id, and another object may have it where ids are derived from references.
 */
function observedAfter(
  { kind, id, key, action }: Change,
  live: LiveState,
): ObservedObject | undefined {
  const seen = live.get(kind);
  const kept = id !== undefined && action !== "replace";
  return (kept ? seen?.byId.get(id) : undefined) ?? seen?.byKey.get(key);
}

function remainingChange(change: Change, looking: RemainderContext): Change | undefined {
  const { kind, observed, isOtherDesired: isDesired, fingerprints: making } = looking;
  const { desired, action } = change;
  if (desired === undefined) {
    // Another object may have the key, or the derived id, of a deleted one.
    const isAnother = isDesired || (change.id !== undefined && observed?.id !== change.id);
    const isDone = observed === undefined || isAnother || action !== "delete";
    return isDone ? undefined : blocked(change, [{ code: "still-exists" }]);
  }
  if (observed === undefined)
    return { ...change, action: "create", direction: "drifted", fields: [] };
  const { fingerprints } = recordedSpecOf(kind, desired, making.of);
  const recorded = { fingerprints, fingerprint: making.of };
  const fields = compare(kind, desired, observed.spec, recorded);
  if (fields.length === 0) return undefined;
  return {
    ...change,
    action: "update",
    direction: "drifted",
    fields: fields.map((field) => withCause(field, change)),
  };
}

function withCause(field: FieldChange, { fields }: Change): PlannedField {
  const cause = causeOf(field, fields.find(({ path }) => path === field.path)?.before);
  return { ...field, direction: "drifted", ...(cause !== undefined && { cause }) };
}
