// Limits a plan to targets: the selected resources, and everything that they depend on.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { parseAddress } from "../../core/kind/identity.ts";
import { closestMatch, didYouMean, sentences, suggestionRemedy } from "../../core/text/naming.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import { blockedByErrors } from "./block-reasons.ts";
import type { Change, DesiredObject } from "../model/index.ts";

/** The targets of a plan, and the addresses that it knows. */
export interface TargetSelection {
  /** Addresses of declared or owned objects; undefined for everything. */
  readonly targets: readonly string[] | undefined;
  readonly desiredObjects: readonly DesiredObject[];
  /** Addresses in the inventory. */
  readonly ownedAddresses: readonly string[];
}

/** The part of a plan that the targets select. */
export interface TargetedChanges {
  readonly changes: readonly Change[];
  readonly diagnostics: readonly Diagnostic[];
  /** True for an object in the plan. */
  readonly isSelected: (address: string) => boolean;
}

/** Fails with `usage` for a target that is neither declared nor owned, and names the nearest address. */
export function assertTargets({ targets, ...known }: TargetSelection): void {
  if (targets === undefined) return;
  const addresses = addressesOf(known);
  const unknown = targets.filter((target) => !addresses.has(target));
  const [first] = unknown;
  if (first === undefined) return;
  const nearest =
    closestMatch(first, addresses) ??
    [...addresses].find((candidate) => parseAddress(candidate)?.name === first);
  throw new Failure("usage", `the stack has no ${unknown.join(", ")} to target`, {
    remedy: sentences(
      nearest && suggestionRemedy(nearest, String),
      "Use addresses of documents or of objects that the stack owns: Kind/name.",
    ),
    details: { unknownTargets: unknown },
  });
}

/** Fails with `usage` for an address to replace that no document has. */
export function assertReplacements(
  replace: readonly string[],
  desiredObjects: readonly DesiredObject[],
): void {
  const declared = new Set(desiredObjects.map(({ address }) => address));
  const unknown = replace.filter((address) => !declared.has(address));
  if (unknown.length === 0) return;
  throw new Failure("usage", `the stack does not declare ${unknown.join(", ")}`, {
    remedy: sentences(
      didYouMean(unknown[0] ?? "", declared),
      "Use addresses of documents: Kind/name.",
    ),
  });
}

/** Returns the targets in the error of a plan whose stack has none of them; an empty list for any other error. */
export function unknownTargetsOf(error: unknown): readonly string[] {
  const unknown = isFailure(error, "usage") ? error.details?.["unknownTargets"] : undefined;
  return Array.isArray(unknown) ? unknown.filter((item) => typeof item === "string") : [];
}

/**
 * Returns the changes of the targets, of their dependencies, and of the objects that their replacement or deletion
 * affects. A delete is never selected because a target waits for it: the target is blocked instead.
 */
export function targetedChanges(
  changes: readonly Change[],
  selection: TargetSelection,
): TargetedChanges {
  if (selection.targets === undefined) {
    return { changes, diagnostics: [], isSelected: () => true };
  }
  const selected = selectedAddresses(changes, selection);
  const isIn = ({ address }: Change): boolean => selected.has(address);
  const leftOut = new Set(
    changes
      .filter((change) => change.action === "delete" && !isIn(change))
      .map(({ address }) => address),
  );
  const blocked = changes.filter(isIn).map((change) => withTargetBlockers(change, leftOut));
  const excluded = [...addressesOf(selection)].filter((address) => !selected.has(address)).length;
  const notes: Diagnostic[] =
    excluded === 0
      ? []
      : [
          {
            code: "not-targeted",
            severity: "info",
            summary: `${pluralize(excluded, "resource")} ${excluded === 1 ? "is" : "are"} not in this plan because of --target`,
          },
        ];
  return {
    changes: blocked.map(({ change }) => change),
    diagnostics: [...blocked.flatMap(({ diagnostics }) => diagnostics), ...notes],
    isSelected: (address) => selected.has(address),
  };
}

/**
 * Leaves out the changes that only undo live edits: a changed object keeps its live values, and a deleted one is created only
 * if another change needs it. A change that would undo a live edit for another field is a conflict. The changes are in the
 * order of their execution.
 */
export function withoutDrift(changes: readonly Change[]): readonly Change[] {
  const needed = new Set<string>();
  const kept = changes.toReversed().flatMap((change) => {
    const { address, action, direction, fields, dependsOn } = change;
    const isMixed =
      direction === "drifted" && fields.some((field) => field.direction !== direction);
    const isCreated = action === "create" && needed.has(address);
    if (direction === "drifted" && !isMixed && !isCreated) return [];
    for (const need of dependsOn) needed.add(need);
    return isMixed ? { ...change, direction: "conflict" as const } : change;
  });
  return kept.toReversed();
}

function addressesOf({
  desiredObjects,
  ownedAddresses,
}: Omit<TargetSelection, "targets">): Set<string> {
  return new Set([...desiredObjects.map(({ address }) => address), ...ownedAddresses]);
}

function selectedAddresses(
  changes: readonly Change[],
  { targets = [], desiredObjects }: TargetSelection,
): Set<string> {
  const neededBy = new Map(desiredObjects.map(({ address, dependsOn }) => [address, dependsOn]));
  const byAddress = new Map(changes.map((change) => [change.address, change]));
  const affected = affectedAddresses(changes);
  const selected = new Set<string>();
  const queue = [...targets];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (selected.has(name)) continue;
    selected.add(name);
    const change = byAddress.get(name);
    const needs = [...(neededBy.get(name) ?? []), ...(change?.dependsOn ?? [])];
    queue.push(
      ...needs.filter((need) => byAddress.get(need)?.action !== "delete"),
      ...(affected.get(name) ?? []),
    );
  }
  return selected;
}

/**
 * Returns the addresses that a change affects, by address: the former address of its object, and the objects that a
 * delete or replacement deletes or leaves with broken references.
 */
function affectedAddresses(changes: readonly Change[]): ReadonlyMap<string, readonly string[]> {
  const ending = new Set(
    changes
      .filter(({ action }) => action === "delete" || action === "replace")
      .map(({ address }) => address),
  );
  const affected = new Map<string, string[]>();
  const add = (by: string, address: string): void => {
    const targets = affected.get(by);
    if (targets) targets.push(address);
    else affected.set(by, [address]);
  };
  for (const { address, formerAddress, movedTo, cascadedBy, dependsOn } of changes) {
    if (movedTo !== undefined) add(movedTo, address);
    // Entries that exchange their addresses move together.
    if (formerAddress !== undefined) {
      add(address, formerAddress);
      add(formerAddress, address);
    }
    if (cascadedBy !== undefined) add(cascadedBy, address);
    for (const need of dependsOn) if (ending.has(need)) add(need, address);
  }
  return affected;
}

/** Blocks a change that waits for a delete which the targets leave out. */
function withTargetBlockers(
  change: Change,
  leftOut: ReadonlySet<string>,
): { readonly change: Change; readonly diagnostics: readonly Diagnostic[] } {
  const { address } = change;
  const diagnostics = change.dependsOn
    .filter((need) => leftOut.has(need))
    .map((need): Diagnostic => ({
      code: "not-targeted",
      severity: "error",
      address,
      summary: `${address} waits for the delete of ${need}, which is not in this plan`,
      remedy: `Add --target ${need}.`,
    }));
  return { change: blockedByErrors(change, diagnostics), diagnostics };
}
