// Finds the objects of a stack that are not on the server as far as the credential may see, but may exist.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { address, scopeText } from "../../core/kind/identity.ts";
import { type Kind, kindsByName, type Reader } from "../../core/kind/kind.ts";
import { hiddenFailure } from "../../lifecycle/hidden-objects.ts";
import { observedObjectOf } from "../engine/observe.ts";
import type { Inventory, LiveState } from "../model/index.ts";
import { listEntries } from "../model/inventory-entries.ts";
import { resolveParentRenames } from "../model/parent-renames.ts";

/** An inventory with the live objects. */
export interface SeenInventory {
  readonly inventory: Inventory;
  readonly live: LiveState;
  readonly kinds: readonly Kind[];
}

/**
 * Returns an error for each collection in which owned objects were not found that may exist: only an object that the
 * credential may read, and that is not on the server, is gone. Leaves out what the plan does not cover.
 */
export async function outOfScopeErrors(
  { inventory, live, kinds }: SeenInventory,
  reader: Reader,
  covered: ReadonlySet<string> | undefined,
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
  const missing = absent.filter(({ recorded }) => covered?.has(recorded) !== false);
  const collections = Map.groupBy(missing, ({ kind, scope }) =>
    address(kind.name, scopeText(scope)),
  );
  const errors = [...collections.values()].map(async (objects): Promise<readonly Diagnostic[]> => {
    const [first, ...others] = objects;
    const failure = first && (await hiddenFailure(first, reader));
    if (failure === undefined) return [];
    const more = others.length === 0 ? "" : `; the same holds for ${others.length} more`;
    const { message, remedy } = failure;
    const said = { summary: `${message}${more}`, remedy: remedy ?? "" };
    return [{ code: "out-of-scope", severity: "error", address: first?.recorded ?? "", ...said }];
  });
  return (await Promise.all(errors)).flat();
}
