// What became of a stack run by run, from its inventory.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { closestMatch } from "../../core/naming.ts";
import { openStores } from "../inventory/open-stores.ts";
import type { InventoryOptions } from "./inventory-admin.ts";
import { loadStackAlone } from "../manifest/load.ts";
import type { RunRecord } from "../model/index.ts";
import type { VerbResult } from "./session.ts";

/** What {@link history} came to. */
export interface History {
  readonly stack: string;
  /** The newest first. */
  readonly runs: readonly RunRecord[];
}

/** The last runs on a stack, the newest first; `last` of them where that is given. Reads the Stack document alone, and asks a server only where that keeps the inventory. */
export async function history(
  options: InventoryOptions & { readonly last?: number | undefined },
): Promise<VerbResult<History>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  await using stores = openStores(stack, options);
  const { runs = [] } = await (await stores.stackStore()).read();
  const newest = runs.toReversed().slice(0, options.last);
  return { ok: true, stack: stack.name, runs: newest, diagnostics };
}

/** The run with this id, or whose id alone begins so. Fails with `not_found`, and with `usage` where several begin so. */
export function findRun(runs: readonly RunRecord[], id: string): RunRecord {
  const exact = runs.find((run) => run.id === id);
  const begun = runs.filter((run) => id.length >= 4 && run.id.startsWith(id));
  const found = exact ?? (begun.length === 1 ? begun[0] : undefined);
  if (found !== undefined) return found;
  if (begun.length > 1) throw ambiguousRunError(id, begun);
  const meant = closestMatch(
    id,
    runs.map((run) => run.id),
  );
  throw new Failure("not_found", `the inventory remembers no run ${id}`, {
    remedy: meant === undefined ? "`svc history` lists the runs" : `did you mean ${meant}?`,
  });
}

function ambiguousRunError(id: string, begun: readonly RunRecord[]): Failure {
  const newest = begun
    .map((run) => run.id)
    .toSorted()
    .toReversed();
  const named = newest.slice(0, limits.placesNamed).join(", ");
  const more =
    newest.length > limits.placesNamed ? ` and ${newest.length - limits.placesNamed} more` : "";
  return new Failure("usage", `${newest.length} runs begin with ${id}: ${named}${more}`, {
    remedy: "give more of the id; `svc history` lists the runs",
  });
}
