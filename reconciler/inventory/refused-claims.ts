// Decides which objects a stack may not claim, because another stack owns them.
import type { OwnerIndex } from "./other-inventories.ts";
import type { ClaimRecord } from "./store.ts";

/** Objects of one server that a stack claims. */
export interface ClaimRequest {
  readonly origin: string;
  readonly claims: readonly ClaimRecord[];
  /** The stack that hands the objects over. */
  readonly from?: string | undefined;
}

/** Returns the owner of each claimed object that another stack owns, by address; `from` may own it. */
export function refusedClaims(
  ownerOf: OwnerIndex,
  { origin, claims, from }: ClaimRequest,
): ReadonlyMap<string, string> {
  return new Map(
    claims.flatMap(({ address, entry }) => {
      const owner = ownerOf(origin, entry);
      return owner === undefined || owner === from ? [] : [[address, owner] as const];
    }),
  );
}
