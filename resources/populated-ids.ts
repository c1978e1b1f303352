// The groups and roles that have users.
import type { ScopeKey } from "../core/kind/kind.ts";
import { memoizePerObject } from "../core/memoize.ts";

interface Counted {
  readonly name: string;
  readonly id: number;
  readonly userCount?: number | undefined;
}

/** Returns the IDs by name of the groups or roles that have users. The users of the others need not be listed. */
export const populatedIds = memoizePerObject(
  (items: readonly Counted[]): ReadonlyMap<string, number> =>
    new Map(items.flatMap(({ name, id, userCount }) => (userCount === 0 ? [] : [[name, id]]))),
);

/** Returns how many of the scopes name a group that has users. */
export function countPopulated(groups: readonly Counted[], scopes: readonly ScopeKey[]): number {
  const ids = populatedIds(groups);
  return scopes.filter(({ group = "" }) => ids.has(group)).length;
}
