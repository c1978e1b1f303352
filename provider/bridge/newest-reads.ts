// Reads objects that were just created from the first items of lists that have new objects first.
import type { ReadOnlyClient } from "../../client/types.ts";
import { keyOf } from "../../core/kind/identity.ts";
import type { ObservedObject } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { hasServerId } from "../../core/kind/shape.ts";
import { observe, type ObservedObjects } from "../../lifecycle/observe.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import { collectionName, type ReadTarget } from "./read-target.ts";

/** Reads of objects that were just created, which share the lists. */
export interface NewestReads {
  /** Returns undefined for an object that has to be looked for in the whole list. */
  read(target: ReadTarget): Promise<ObservedObject | undefined>;
}

/**
 * Returns a function that reads the first items of lists, for targets that are read together. If a run lists all
 * objects each time that it creates a few, the number of objects that it reads grows with the square. A list whose first items lack
 * an object has another order, and is read as a whole from then on. So is one in which a target is not new.
 */
export function createNewestReads(client: ReadOnlyClient) {
  const otherwiseOrdered = new Set<string>();
  return (targets: readonly ReadTarget[]): NewestReads => {
    const lists = new Map<string, Promise<ObservedObjects>>();
    const together = Map.groupBy(targets, collectionName);
    return {
      read: async (target) => {
        const name = collectionName(target);
        const round = together.get(name) ?? [];
        if (otherwiseOrdered.has(name) || !round.every(({ isNew }) => isNew)) return undefined;
        const list = lists.get(name) ?? readNewest(client, round);
        if (list === undefined) return undefined;
        lists.set(name, list);
        const found = objectOf(target, await list);
        if (found === undefined) otherwiseOrdered.add(name);
        return found;
      },
    };
  };
}

/** Reads the first items of the collection of all targets. Returns undefined if its list does not have new objects first. */
function readNewest(
  client: ReadOnlyClient,
  targets: readonly ReadTarget[],
): Promise<ObservedObjects> | undefined {
  const [first] = targets;
  const list = first?.kind.bindings.observe.items;
  if (first === undefined || list === undefined) return undefined;
  const most = Math.max(limits.newestReadLeast, targets.length * limits.newestRead);
  const reader = createCachedReader({
    ...client,
    all: (operation, input, options) =>
      client.all(operation, input, operation.id === list.id ? { ...options, most } : options),
  });
  const interest = new Set(targets.flatMap(({ requestedFields }) => [...requestedFields]));
  return observe(first.kind, [first.scope], { reader, interest, wanted: () => false });
}

/** Finds the object, by its ID if it has one: the first items do not show whether other objects have its key too. */
function objectOf({ kind, key, id }: ReadTarget, { byId, byKey }: ObservedObjects) {
  const found = hasServerId(kind) ? byId.get(id ?? "") : byKey.get(key ?? "");
  return found !== undefined && keyOf(kind, found.spec) === key ? found : undefined;
}
