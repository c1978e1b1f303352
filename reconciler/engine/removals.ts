// What happens to owned objects that are no longer declared: deleted where the policy prunes, kept and told otherwise.
import { isUnavailable, type Capability } from "../../core/capability.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { address, keyOf, scopeOf } from "../../core/identity.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import { decideOwnership, type OwnershipDecision } from "../../core/ownership.ts";
import { preconditionOf } from "./digest.ts";
import type { Fingerprints } from "../../core/fingerprints.ts";
import { recordedMetadata } from "../model/windows/window-subjects.ts";
import type { Action, Change, Entry } from "../model/index.ts";
import { missingText } from "./server-support.ts";
import { parentsOf } from "./parent-renames.ts";

/** An inventory entry whose address no document has. */
export interface UndeclaredEntry {
  readonly address: string;
  readonly entry: Entry;
  /** Undefined when this version has no such kind; such an object is always kept. */
  readonly kind: Kind | undefined;
  readonly observed: ObservedObject | undefined;
  /** The address of the document that now declares the object, if one does. */
  readonly movedTo: string | undefined;
}

/** What planning removals needs to know. */
export interface RemovalContext {
  readonly prune: boolean;
  /** The stack declares nothing at all, and nobody has said that it may be emptied. */
  readonly emptiesStack: boolean;
  readonly capability: (kind: Kind) => Capability;
  readonly layerOf: (kind: Kind) => number;
  readonly fingerprints: Fingerprints;
}

/** The changes for everything that is ours and unwanted, with what is to be said of it. */
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
  const deleted = new Map(sweeping.map(({ kind, key, address: at }) => [address(kind, key), at]));
  const carried = changes.map((change) =>
    withCascadedBy(change, owned.get(change.address)?.kind, { deleted, byName, context }),
  );
  return { changes: carried, diagnostics: removalNotes(carried, owned, context) };
}

function removal(
  { address: at, entry, kind, observed, movedTo }: UndeclaredEntry,
  context: RemovalContext,
): Change {
  const { action, abandoned } = removalAction({ entry, kind, observed, movedTo }, context);
  // It, or what it is in, may have another name than when it was recorded.
  const { key, scope } =
    kind === undefined || observed === undefined
      ? entry
      : { key: keyOf(kind, observed.spec), scope: scopeOf(kind, observed.spec) };
  return {
    action,
    address: at,
    kind: entry.kind,
    name: entry.name,
    key,
    scope,
    id: observed?.id ?? entry.id,
    from: undefined,
    fields: [],
    direction: "pending",
    desired: undefined,
    precondition:
      kind === undefined
        ? { absent: true }
        : preconditionOf(kind, observed, {
            fields: Object.keys(entry.lastApplied),
            of: context.fingerprints.of,
          }),
    layer: kind === undefined ? 0 : context.layerOf(kind),
    ...(movedTo !== undefined && { movedTo }),
    ...(abandoned && { abandoned }),
    previousMetadata: recordedMetadata(entry),
    // What we know of the object is let go of only once it is recorded under its new address.
    dependsOn: movedTo === undefined ? [] : [movedTo],
    cascadedBy: undefined,
    blockedBy: [],
    notVerifiable: [],
  };
}

/** What is let go of once its document is gone. */
function isAbandoned(entry: Entry | undefined): boolean {
  const { protect, onRemoval } = entry?.guards ?? {};
  return onRemoval === "orphan" && protect !== true;
}

/** What was applied last counts, since the document is gone: protection first, then what it asked for its removal. */
function removalAction(
  { entry, kind, observed, movedTo }: Omit<UndeclaredEntry, "address">,
  context: RemovalContext,
): { readonly action: Action; readonly abandoned?: true } {
  if (movedTo !== undefined) return { action: "forget" };
  if (kind === undefined) return { action: "orphan" };
  const { protect, onRemoval } = entry.guards ?? {};
  const decision = decideOwnership({
    declared: false,
    live: observed !== undefined,
    owner: "us",
    adopt: false,
    prune: context.prune && !context.emptiesStack && (onRemoval !== "orphan" || protect === true),
    release: isAbandoned(entry) && !context.emptiesStack,
  });
  if (decision === "release") return { action: "forget", abandoned: true };
  return { action: removalActions[decision] ?? "orphan" };
}

const removalActions: Partial<Record<OwnershipDecision, Action>> = {
  prune: "delete",
  forget: "forget",
};

/** A delete of what its parent takes along needs no call of its own. */
function withCascadedBy(
  change: Change,
  kind: Kind | undefined,
  {
    deleted,
    byName,
    context,
  }: {
    deleted: ReadonlyMap<string, string>;
    byName: ReadonlyMap<string, Kind>;
    context: RemovalContext;
  },
): Change {
  if (change.action !== "delete" || kind === undefined) return change;
  const carriedBy = parentsOf(kind, change.scope, byName)
    .map(({ parentAddress: at }) => deleted.get(at))
    .find((at) => at !== undefined);
  if (carriedBy !== undefined) return { ...change, cascadedBy: carriedBy };
  const capability = context.capability(kind).delete;
  return isUnavailable(capability) ? { ...change, blockedBy: [missingText(capability)] } : change;
}

function removalNotes(
  changes: readonly Change[],
  owned: ReadonlyMap<string, UndeclaredEntry>,
  context: RemovalContext,
): Diagnostic[] {
  const orphans = changes.filter((change) => change.action === "orphan");
  const blocked = changes.filter(
    (change) => change.action === "delete" && change.blockedBy.length > 0,
  );
  const leaving = ({ address: at }: Change): boolean => isAbandoned(owned.get(at)?.entry);
  const guarded =
    context.emptiesStack && orphans.length > 0 && (context.prune || orphans.some(leaving));
  return [
    ...(guarded ? [emptyStackWarning(orphans.length)] : []),
    ...orphans
      .filter((one) => !guarded || owned.get(one.address)?.kind === undefined)
      .map((change) => orphanNote(change, owned.get(change.address)?.kind !== undefined)),
    ...blocked.map(cannotDeleteError),
  ];
}

function emptyStackWarning(count: number): Diagnostic {
  return {
    code: "empty-input",
    severity: "warning",
    summary: `the stack declares nothing, so ${count === 1 ? "its one object is" : `its ${count} objects are`} kept`,
    remedy:
      "pass --allow-empty where that is meant, or approve it where a controller asks for it, to delete or let go of them as their documents said",
  };
}

function orphanNote({ address: at }: Change, known: boolean): Diagnostic {
  return {
    code: "orphan",
    severity: "info",
    address: at,
    summary: known
      ? `${at} is no longer declared and is kept`
      : `${at} is of a kind that this version does not know, and is kept`,
    remedy: known
      ? "set policy.prune in the Stack to delete what is no longer declared"
      : "use a version that knows it",
  };
}

function cannotDeleteError({ address: at, blockedBy }: Change): Diagnostic {
  return {
    code: "not-supported",
    severity: "error",
    address: at,
    summary: `${at} cannot be deleted: ${blockedBy.join("; ")}`,
    remedy: "declare it again, or remove it on the server by other means",
  };
}
