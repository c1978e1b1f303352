// After an apply: what was written, read again. A difference is a fault of the kind, or somebody else's hand.
import { compare, type FieldChange } from "../../core/diff.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import type { Fingerprints } from "../../core/fingerprints.ts";
import { causeOf } from "../model/difference-cause.ts";
import type { Change, LiveState, PlannedField } from "../model/index.ts";
import { entryFor } from "../inventory/entry.ts";

/** What still differs of changes that were carried out, each as the change that it would take. */
export function residual(
  done: readonly Change[],
  how: { live: LiveState; kinds: ReadonlyMap<string, Kind>; fingerprints: Fingerprints },
): Change[] {
  const { live, kinds, fingerprints } = how;
  const wished = new Set(
    done
      .filter(({ desired }) => desired !== undefined)
      .map((change) => observedAfter(change, live)),
  );
  return done.flatMap((change) => {
    const kind = kinds.get(change.kind);
    if (kind === undefined || change.action === "forget") return [];
    const observed = observedAfter(change, live);
    const former = change.action === "replace" && live.get(change.kind)?.byId.get(change.id ?? "");
    if (former && !wished.has(former)) return { ...change, blockedBy: ["it still exists"] };
    return (
      remainingChange(change, {
        kind,
        observed,
        isOtherDesired: wished.has(observed),
        fingerprints,
      }) ?? []
    );
  });
}

interface VerifyContext {
  readonly kind: Kind;
  readonly observed: ObservedObject | undefined;
  /** Something else was wished for, and is this object now: it has the key, or an id that is made of what it names. */
  readonly isOtherDesired: boolean;
  readonly fingerprints: Fingerprints;
}

/**
 * The object of a change once it was carried out: by its id where it kept that, else by natural key. What was replaced gave
 * its id up, and where ids are made of what they name, another object may have that one by now.
 */
export function observedAfter(
  { kind, id, key, action }: Change,
  live: LiveState,
): ObservedObject | undefined {
  const seen = live.get(kind);
  const kept = id !== undefined && action !== "replace";
  return (kept ? seen?.byId.get(id) : undefined) ?? seen?.byKey.get(key);
}

function remainingChange(change: Change, looking: VerifyContext): Change | undefined {
  const { kind, observed, isOtherDesired: isWished, fingerprints: making } = looking;
  const { desired, action } = change;
  if (desired === undefined) {
    // Another object may have been given the key of one that is gone, or its very id.
    const isAnother = isWished || (change.id !== undefined && observed?.id !== change.id);
    const gone = observed === undefined || isAnother || action !== "delete";
    return gone ? undefined : { ...change, blockedBy: ["it still exists"] };
  }
  if (observed === undefined)
    return { ...change, action: "create", direction: "drifted", fields: [] };
  const { fingerprints } = entryFor({
    ...change,
    kind,
    spec: desired,
    fingerprints: making,
    pending: false,
    at: "",
  });
  const known = { fingerprints, fingerprint: making.of };
  const fields = compare(kind, desired, observed.spec, known);
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
