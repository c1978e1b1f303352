// Finds objects of a stack that exceed a limit of the server, such as the policies on one object.
import { canonical } from "../../core/json.ts";
import type { ObjectLimit } from "../../core/kind/related-objects.ts";
import { scopeOf } from "../../core/kind/identity.ts";
import type { DesiredObject } from "../model/index.ts";

type DeclaredObject = Pick<DesiredObject, "kind" | "address" | "spec">;

/** Objects of one scope that are too many. */
export interface Excess {
  /** The first one beyond the limit. */
  readonly object: DeclaredObject;
  readonly count: number;
  readonly limit: ObjectLimit;
}

/** Returns the scopes with more objects than their limit. See `limit` of a kind. */
export function excessObjects(objects: readonly DeclaredObject[]): readonly Excess[] {
  const limited = objects.filter(({ kind }) => kind.limit !== undefined);
  const byScope = Map.groupBy(limited, ({ kind, spec }) =>
    canonical([kind.limit?.what ?? "", scopeOf(kind, spec)]),
  );
  return [...byScope.values()].flatMap((all): Excess[] => {
    const limit = all[0]?.kind.limit;
    const object = limit && all[limit.max];
    return limit === undefined || object === undefined
      ? []
      : [{ object, count: all.length, limit }];
  });
}
