// Plans owned objects that are no longer declared: deletes them if the policy prunes, otherwise keeps and reports them.
import { isUnavailable, type Capability } from "../../core/kind/capability.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { managerRefusal } from "../../core/kind/external-manager.ts";
import { address, keyOf, scopeOf } from "../../core/kind/identity.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { isSingleton } from "../../core/kind/shape.ts";
import { decideOwnership, type OwnershipDecision } from "../../core/kind/decide-ownership.ts";
import { blockedByErrors } from "./block-reasons.ts";
import { preconditionOf } from "./digest.ts";
import type { Fingerprints } from "../../core/spec/fingerprints.ts";
import { recordedMetadata } from "../model/window-subjects.ts";
import type { Action, Change, Entry, PlannedField } from "../model/index.ts";
import { missingText } from "./server-support.ts";
import { parentsOf } from "../../core/kind/cascades.ts";

/** An inventory entry without a document. */
export interface UndeclaredEntry {
  readonly address: string;
  readonly entry: Entry;
  /** Undefined if this version does not know the kind; such an object is always kept. */
  readonly kind: Kind | undefined;
  readonly observed: ObservedObject | undefined;
  /** The address that declares the object now, also as an entry of a list, if any. */
  readonly movedTo: string | undefined;
  /** True if an undo would delete an object that a later run changed. */
  readonly isChangedAfterRun: boolean;
  /** The fields that were changed on the server since the last apply: deleting them is a conflict. */
  readonly edits: readonly PlannedField[];
  /** True if a Removed document names the address, or another stack adopted the object. */
  readonly isReleased: boolean;
}

/** Input to {@link removals}. */
export interface RemovalContext {
  readonly prune: boolean;
  /** True if the stack declares nothing and the user did not allow that. */
  readonly emptiesStack: boolean;
  readonly capability: (kind: Kind) => Capability;
  readonly layerOf: (objectAddress: string) => number;
  readonly fingerprints: Fingerprints;
}

/** Plans the changes for all owned objects that are not declared, with diagnostics. */
export function removals(
  leftovers: readonly UndeclaredEntry[],
  context: RemovalContext,
): { changes: Change[]; diagnostics: Diagnostic[] } {
  const changes = leftovers.map((leftover) => removal(leftover, context));
  const owned = new Map(leftovers.map((leftover) => [leftover.address, leftover]));
  const sweeping = changes.filter(
    (change) => change.action === "delete" && owned.get(change.address)?.kind?.cascades === true,
  );
  const byName = new Map(leftovers.flatMap(({ kind }) => (kind ? [[kind.name, kind]] : [])));
  const deleted = new Map(
    sweeping.map(({ kind, key, address: ownedAddress }) => [address(kind, key), ownedAddress]),
  );
  const cascaded = changes.map((change) =>
    withCascadedBy(change, owned.get(change.address)?.kind, { deleted, byName }),
  );
  const errors = new Map(
    cascaded.map((change) => [
      change.address,
      refusedDelete(change, owned.get(change.address), context),
    ]),
  );
  return {
    changes: cascaded.map((change) => blockedByErrors(change, errors.get(change.address) ?? [])),
    diagnostics: [...removalNotes(cascaded, owned, context), ...[...errors.values()].flat()],
  };
}

function removal(leftover: UndeclaredEntry, context: RemovalContext): Change {
  const { address: ownedAddress, entry, kind, observed, movedTo } = leftover;
  const { action, abandoned } = removalAction(leftover, context);
  const edits = action === "delete" ? leftover.edits : [];
  const isConflict = edits.length > 0 || (action === "delete" && leftover.isChangedAfterRun);
  // The object or its parent may have another name than the recorded one.
  const { key, scope } =
    kind === undefined || observed === undefined
      ? entry
      : { key: keyOf(kind, observed.spec), scope: scopeOf(kind, observed.spec) };
  return {
    action,
    address: ownedAddress,
    kind: entry.kind,
    name: entry.name,
    key,
    scope,
    id: observed?.id ?? entry.id,
    from: undefined,
    fields: edits,
    direction: isConflict ? "conflict" : "pending",
    desired: undefined,
    precondition:
      kind === undefined
        ? { absent: true }
        : preconditionOf(kind, observed, {
            fields: Object.keys(entry.lastApplied),
            of: context.fingerprints.of,
          }),
    layer: context.layerOf(ownedAddress),
    ...(movedTo !== undefined && { movedTo }),
    ...(abandoned && { abandoned }),
    previousMetadata: recordedMetadata(entry),
    // Drops the entry only after the object is recorded under its new address.
    dependsOn: movedTo === undefined ? [] : [movedTo],
    cascadedBy: undefined,
    blockedBy: [],
    notVerifiable: [],
  };
}

/** Plans to forget an object whose document is gone. */
function isAbandoned({ entry, kind }: Partial<Pick<UndeclaredEntry, "entry" | "kind">>): boolean {
  const { protect, onRemoval } = entry?.lifecycle ?? {};
  const isKept = onRemoval === "orphan" || (kind !== undefined && isSingleton(kind));
  return isKept && protect !== true;
}

/** Uses the rules applied last, since the document is gone: first `protect`, then `onRemoval`. */
function removalAction(
  { entry, kind, observed, movedTo, isReleased }: UndeclaredEntry,
  context: RemovalContext,
): { readonly action: Action; readonly abandoned?: true } {
  if (movedTo !== undefined) return { action: "forget" };
  if (isReleased) return { action: "forget", ...(observed !== undefined && { abandoned: true }) };
  if (kind === undefined) return { action: "orphan" };
  // Its document has not followed yet.
  if (entry.movedFrom !== undefined && observed !== undefined) return { action: "orphan" };
  const isAbandonable = isAbandoned({ entry, kind });
  const decision = decideOwnership({
    declared: false,
    live: observed !== undefined,
    owner: "us",
    adopt: false,
    prune: context.prune && !context.emptiesStack && !isAbandonable,
    release: isAbandonable && !context.emptiesStack,
  });
  if (decision === "release") return { action: "forget", abandoned: true };
  return { action: removalActions[decision] ?? "orphan" };
}

const removalActions: Partial<Record<OwnershipDecision, Action>> = {
  prune: "delete",
  forget: "forget",
};

/** Marks a delete that a parent's delete cascades to, because it needs no call. */
function withCascadedBy(
  change: Change,
  kind: Kind | undefined,
  { deleted, byName }: { deleted: ReadonlyMap<string, string>; byName: ReadonlyMap<string, Kind> },
): Change {
  if (change.action !== "delete" || kind === undefined) return change;
  const deletedParent = parentsOf(kind, change.scope, byName)
    .map(({ parentAddress }) => deleted.get(parentAddress))
    .find((parentAddress) => parentAddress !== undefined);
  return deletedParent === undefined ? change : { ...change, cascadedBy: deletedParent };
}

function removalNotes(
  changes: readonly Change[],
  owned: ReadonlyMap<string, UndeclaredEntry>,
  context: RemovalContext,
): Diagnostic[] {
  const entryOf = ({ address: ownedAddress }: Change): Entry | undefined =>
    owned.get(ownedAddress)?.entry;
  const kept = changes.filter((change) => change.action === "orphan");
  const received = kept.filter((change) => entryOf(change)?.movedFrom !== undefined);
  const orphans = kept.filter(
    ({ address: ownedAddress }) => owned.get(ownedAddress)?.entry.movedFrom === undefined,
  );
  const leaving = ({ address: ownedAddress }: Change): boolean =>
    isAbandoned(owned.get(ownedAddress) ?? {});
  const guarded =
    context.emptiesStack && orphans.length > 0 && (context.prune || orphans.some(leaving));
  return [
    ...received.map((change) => receivedNote(change, entryOf(change)?.movedFrom)),
    ...(guarded ? [emptyStackWarning(orphans.length)] : []),
    ...orphans
      .filter((change) => !guarded || owned.get(change.address)?.kind === undefined)
      .map((change) => orphanNote(change, owned.get(change.address)?.kind !== undefined)),
  ];
}

function emptyStackWarning(count: number): Diagnostic {
  return {
    code: "empty-input",
    severity: "warning",
    summary: `the stack declares nothing; ${count === 1 ? "its one object is" : `its ${count} objects are`} kept`,
    remedy:
      "Check the globs of the Stack: the first plan with a document deletes or forgets what it does not declare. To do so now, pass --allow-empty, or approve it if a controller asks.",
  };
}

function receivedNote({ address: ownedAddress }: Change, stack = ""): Diagnostic {
  return {
    code: "orphan",
    severity: "info",
    address: ownedAddress,
    summary: `${ownedAddress} was handed over by stack ${JSON.stringify(stack)}, and no document of this stack declares it yet; it is kept`,
    remedy:
      "Move its document to this stack and apply; to stop managing it, name it in a Removed document.",
  };
}

function orphanNote({ address: ownedAddress }: Change, isKnown: boolean): Diagnostic {
  return {
    code: "orphan",
    severity: "info",
    address: ownedAddress,
    summary: isKnown
      ? `${ownedAddress} is no longer declared and is kept`
      : `${ownedAddress} has a resource type that this version does not know; it is kept`,
    remedy: isKnown
      ? "Set policy.prune in the Stack to delete what is no longer declared."
      : "Use a version of svc that knows it.",
  };
}

/** Returns the error of a delete that the API does not support. A cascading delete of a parent needs no operation. */
function refusedDelete(
  { action, address: ownedAddress, cascadedBy }: Change,
  { kind, observed }: Partial<Pick<UndeclaredEntry, "kind" | "observed">> = {},
  context: RemovalContext,
): readonly Diagnostic[] {
  if (action !== "delete" || kind === undefined || cascadedBy !== undefined) return [];
  const refusal = observed && managerRefusal(kind, observed);
  if (refusal)
    return [{ code: "managed-elsewhere", severity: "error", address: ownedAddress, ...refusal }];
  const capability = context.capability(kind).delete;
  if (!isUnavailable(capability)) return [];
  return [
    {
      code: "not-supported",
      severity: "error",
      address: ownedAddress,
      summary: `${ownedAddress} cannot be deleted: ${missingText(capability)}`,
      remedy: "Declare it again, or delete it on the server by other means.",
    },
  ];
}
