// Finds the objects of a stack that are not on the server as far as the credential may see, but may exist.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { address, scopeText } from "../../core/kind/identity.ts";
import { type Kind, kindsByName, type Reader } from "../../core/kind/kind.ts";
import { hiddenFailure } from "../../lifecycle/hidden-objects.ts";
import { observedObjectOf } from "../engine/observe.ts";
import type { Inventory, LiveState } from "../model/index.ts";
import { listEntries } from "../model/stack-index.ts";
import { resolveParentRenames } from "../model/parent-renames.ts";

/** An inventory with the live objects. */
export interface SeenInventory {
  readonly inventory: Inventory;
  readonly live: LiveState;
  readonly kinds: readonly Kind[];
}

const outOfScope = { code: "out-of-scope", severity: "error" } as const;

const wayOut = "To go on with other objects meanwhile, name them by --target.";

/**
 * Returns an error for each owned object that was not found and may exist: only an object that the
 * credential may read, and that is not on the server, is gone. Leaves out what the plan does not select.
 */
export async function outOfScopeErrors(
  { inventory, live, kinds }: SeenInventory,
  reader: Reader,
  selected: ReadonlySet<string> | undefined,
): Promise<readonly Diagnostic[]> {
  const byName = kindsByName(kinds);
  const placeOf = resolveParentRenames(inventory, byName, { live });
  const absent = listEntries(inventory.entries).flatMap(([recorded, entry]) => {
    const kind = byName.get(entry.kind);
    if (kind === undefined || entry.pending || !live.has(kind.name)) return [];
    const { key, scope } = placeOf(entry);
    const named = { key, ...(entry.id !== undefined && { id: entry.id }) };
    return observedObjectOf(kind, named, live) ? [] : [{ recorded, kind, key, scope }];
  });
  const missing = absent.filter(({ recorded }) => selected?.has(recorded) !== false);
  const collections = Map.groupBy(missing, ({ kind, scope }) =>
    address(kind.name, scopeText(scope)),
  );
  const errors = [...collections.values()].map(async (objects): Promise<readonly Diagnostic[]> => {
    const [first] = objects;
    // The objects of a collection are hidden by the same limit.
    if (first === undefined || (await hiddenFailure(first, reader)) === undefined) return [];
    const failures = objects.map(async (object): Promise<readonly Diagnostic[]> => {
      const failure = await hiddenFailure(object, reader);
      if (failure === undefined) return [];
      const { message: summary, remedy = "" } = failure;
      return [{ ...outOfScope, address: object.recorded, summary, remedy: `${remedy} ${wayOut}` }];
    });
    return (await Promise.all(failures)).flat();
  });
  return (await Promise.all(errors)).flat();
}
