// Decides the action on an object from whether it is declared, live and owned.

/** The state of an object before a change. */
export interface OwnershipState {
  /** Whether a document declares the object. */
  readonly declared: boolean;
  /** Whether the object exists on the server. */
  readonly live: boolean;
  /** The owner, according to the accessible inventories. */
  readonly owner: "us" | "none" | "other";
  /** Whether adopting unowned objects is allowed. */
  readonly adopt: boolean;
  /** Whether deleting owned objects that are no longer declared is allowed. */
  readonly prune: boolean;
  /** Whether the object is kept and forgotten when it is no longer declared. */
  readonly release: boolean;
}

/**
 * The decision: `sync` compares and updates; `forget` drops the entry of a deleted object, `release` the entry of an
 * existing one.
 */
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

/** Returns the decision for a state. */
export function decideOwnership(state: OwnershipState): OwnershipDecision {
  const { declared, live, owner, adopt, prune, release } = state;
  if (!declared) {
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
