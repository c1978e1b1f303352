// Work that waits for other work: told once, at what keeps it all, and not once for each change behind that.
import type { ApplyResult, Change } from "../model/index.ts";
import { escapeInvisible } from "./escape-text.ts";

/** What waits, by the address that keeps it however many steps away; in the order of the changes. */
export type DependentChains = ReadonlyMap<string, readonly Change[]>;

/** Of a plan: changes that nothing blocks but that what they need is blocked. */
export function blockedChains(changes: readonly Change[]): DependentChains {
  return chainsOf(changes, (change) =>
    isBlockedByDependency(change) ? change.blockedBy[0] : undefined,
  );
}

/** True for a change that has no reason of its own not to be carried out. */
export function isBlockedByDependency({ blockedBy, dependsOn: needs }: Change): boolean {
  return blockedBy.length > 0 && blockedBy.every((reason) => needs.includes(reason));
}

/** Of an apply: changes that were skipped since what they need was not done. */
export function skippedChains({
  plan,
  outcomes,
}: Pick<ApplyResult, "plan" | "outcomes">): DependentChains {
  const results = new Map(outcomes.map(({ address, result }) => [address, result]));
  const isUndone = (address: string): boolean => (results.get(address) ?? "done") !== "done";
  return chainsOf(plan.changes, ({ address, dependsOn: needs }) =>
    results.get(address) === "skipped" ? needs.find(isUndone) : undefined,
  );
}

/** `and 7 that depend on it: A, B, C, D, E and 2 more`; nothing where nothing does. */
export function dependentsText(behind: readonly Change[] = []): readonly string[] {
  if (behind.length === 0) return [];
  const names = behind.slice(0, maxNamed).map(({ address }) => escapeInvisible(address));
  const more = behind.length > names.length ? ` and ${behind.length - names.length} more` : "";
  const verb = behind.length === 1 ? "depends" : "depend";
  return [`and ${behind.length} that ${verb} on it: ${names.join(", ")}${more}`];
}

const maxNamed = 5;

/** `keptBy` is what a change waits for first; what waits in a circle waits for where that began. */
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
    let at = from;
    for (let next = first.get(at); next !== undefined && !path.has(at); next = first.get(at)) {
      path.add(at);
      at = roots.get(at) ?? next;
    }
    for (const one of path) roots.set(one, at);
    return at;
  };
  const chains = new Map<string, Change[]>();
  for (const change of changes) {
    if (!first.has(change.address)) continue;
    const root = rootOf(change.address);
    const chain = chains.get(root);
    if (chain === undefined) chains.set(root, [change]);
    else chain.push(change);
  }
  return chains;
}
