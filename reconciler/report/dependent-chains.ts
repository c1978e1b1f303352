// Groups changes that depend on a blocked or failed change, to report them once at its cause.
import type { ApplyResult, Change } from "../model/index.ts";
import { blockingDependencies } from "./blocked-text.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";

/** Changes by the address that blocks them, directly or not; in the order of the changes. */
export type DependentChains = ReadonlyMap<string, readonly Change[]>;

/** Returns the changes of a plan that are blocked only by their dependencies. */
export function blockedChains(changes: readonly Change[]): DependentChains {
  return chainsOf(changes, (change) =>
    isBlockedByDependency(change) ? blockingDependencies(change)[0] : undefined,
  );
}

/** Returns true if a change has no other reason to be blocked. */
export function isBlockedByDependency({ blockedBy }: Change): boolean {
  return blockedBy.length > 0 && blockedBy.every(({ code }) => code === "dependency");
}

/** Returns the changes of an apply that were skipped because a dependency failed. */
export function skippedChains({
  plan,
  outcomes,
}: Pick<ApplyResult, "plan" | "outcomes">): DependentChains {
  const results = new Map(outcomes.map(({ address, result }) => [address, result]));
  const isUndone = (address: string): boolean => (results.get(address) ?? "done") !== "done";
  return chainsOf(plan.changes, ({ address, dependsOn }) =>
    results.get(address) === "skipped" ? dependsOn.find(isUndone) : undefined,
  );
}

/** Formats `and 7 that depend on it: A, B, C, D, E and 2 more`; empty for none. */
export function dependentsText(behind: readonly Change[] = []): readonly string[] {
  if (behind.length === 0) return [];
  const names = behind.slice(0, maxNamed).map(({ address }) => escapeInvisible(address));
  const more = behind.length > names.length ? ` and ${behind.length - names.length} more` : "";
  const verb = behind.length === 1 ? "depends" : "depend";
  return [`and ${behind.length} that ${verb} on it: ${names.join(", ")}${more}`];
}

const maxNamed = 5;

/**
 * `keptBy` maps a change to its first blocking dependency. A change in a cycle belongs to the start
 * of the cycle.
 */
function chainsOf(
  changes: readonly Change[],
  keptBy: (change: Change) => string | undefined,
): DependentChains {
  const first = new Map<string, string>();
  for (const change of changes) {
    const keeper = keptBy(change);
    if (keeper !== undefined) first.set(change.address, keeper);
  }
  const roots = new Map<string, string>();
  const rootOf = (from: string): string => {
    const path = new Set<string>();
    let keeper = from;
    for (
      let next = first.get(keeper);
      next !== undefined && !path.has(keeper);
      next = first.get(keeper)
    ) {
      path.add(keeper);
      keeper = roots.get(keeper) ?? next;
    }
    for (const address of path) roots.set(address, keeper);
    return keeper;
  };
  const dependent = changes.filter((change) => first.has(change.address));
  return Map.groupBy(dependent, (change) => rootOf(change.address));
}
