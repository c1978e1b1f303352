// Wanted? Live? Ours? -> what happens to an object: the one table that decides it.

/** What is known of an object before anything happens to it. */
export interface OwnershipState {
  /** A document declares it. */
  readonly declared: boolean;
  /** The service shows it. */
  readonly live: boolean;
  /** Who made it, by the inventories in reach. */
  readonly owner: "us" | "none" | "other";
  /** Taking over what nobody owns is allowed. */
  readonly adopt: boolean;
  /** Deleting what is ours and no longer declared is allowed. */
  readonly prune: boolean;
  /** It was asked for that what is no longer declared stays, and is no longer ours. */
  readonly release: boolean;
}

/** What happens: `sync` compares and updates, `forget` only drops the record of what is gone, `release` of what stays. */
export type OwnershipDecision =
  | "create"
  | "sync"
  | "adopt"
  | "reject-unmanaged"
  | "reject-other-stack"
  | "prune"
  | "release"
  | "orphan"
  | "forget"
  | "ignore";

/** What happens to an object in this state; every state has exactly one answer. */
export function decideOwnership(state: OwnershipState): OwnershipDecision {
  const { declared: wanted, live, owner, adopt, prune, release } = state;
  if (!wanted) {
    if (owner !== "us") return "ignore";
    if (!live) return "forget";
    if (release) return "release";
    return prune ? "prune" : "orphan";
  }
  if (!live) return "create";
  if (owner === "us") return "sync";
  if (owner === "other") return "reject-other-stack";
  return adopt ? "adopt" : "reject-unmanaged";
}
