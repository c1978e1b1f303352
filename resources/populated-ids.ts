// The groups and roles that have users.
import { memoizePerObject } from "../core/memoize.ts";

/** Returns the IDs by name of the groups or roles that have users. The users of the others need not be listed. */
export const populatedIds = memoizePerObject(
  (
    items: readonly {
      readonly name: string;
      readonly id: number;
      readonly userCount?: number | undefined;
    }[],
  ): ReadonlyMap<string, number> =>
    new Map(items.flatMap(({ name, id, userCount }) => (userCount === 0 ? [] : [[name, id]]))),
);
