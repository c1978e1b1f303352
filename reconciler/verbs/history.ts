// Lists the runs of a stack from its inventory.
import { Failure } from "../../core/errors.ts";
import { firstNames } from "../../core/text/first-names.ts";
import { didYouMean, sentences } from "../../core/text/naming.ts";
import { openStores } from "../inventory/open-stores.ts";
import type { InventoryOptions } from "./inventory-admin.ts";
import { loadStackAlone } from "../manifest/load.ts";
import type { RunRecord, Stack } from "../model/index.ts";
import { stackCommand } from "../model/shell-command.ts";
import type { VerbResult } from "./session.ts";

/** Result of {@link history}. */
export interface History {
  readonly stack: string;
  /** Newest first. */
  readonly runs: readonly PastRun[];
}

/** A run in a history. */
export type PastRun = RunRecord & {
  /** Of a run without an end: the later run that made the remaining changes. */
  readonly finishedBy?: string;
};

/**
 * Returns the last runs of a stack, newest first. Reads only the Stack document, and calls the server
 * only if it stores the inventory.
 */
export async function history(
  options: InventoryOptions & { readonly last?: number | undefined },
): Promise<VerbResult<History>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  await using stores = openStores(stack, options);
  const { runs = [] } = await (await stores.stackStore()).read();
  const newest = withFinishers(runs).toReversed().slice(0, options.last);
  return { ok: true, stack: stack.name, runs: newest, diagnostics };
}

/** Names the run that finished each killed one: the next apply without failures that changes an object of it. */
function withFinishers(runs: readonly RunRecord[]): readonly PastRun[] {
  return runs.map((run, index) => {
    if (run.endedAt !== undefined || run.changes === undefined) return run;
    const addresses = new Set(run.changes.map(({ address }) => address));
    const later = runs
      .slice(index + 1)
      .find(
        ({ verb, endedAt, incomplete, changes = [] }) =>
          verb === "apply" &&
          endedAt !== undefined &&
          incomplete === undefined &&
          changes.some(({ address }) => addresses.has(address)),
      );
    return later === undefined ? run : { ...run, finishedBy: later.id };
  });
}

/**
 * Returns the run with this id or unique prefix. Fails with `not_found`, and with `usage` for an
 * ambiguous prefix.
 */
export function findRun(
  runs: readonly RunRecord[],
  id: string,
  stack: Pick<Stack, "name" | "displayPath">,
): RunRecord {
  const list = `\`${stackCommand(stack, "history")}\` lists the runs.`;
  const exact = runs.find((run) => run.id === id);
  const begun = runs.filter((run) => id !== "" && run.id.startsWith(id));
  const [only, ...others] = id.length < shortestPrefix ? [] : begun;
  const match = exact ?? (others.length === 0 ? only : undefined);
  if (match !== undefined) return match;
  if (begun.length === 1) throw shortPrefixError(id, begun[0]);
  if (begun.length > 1) throw ambiguousRunError(id, begun, list);
  const ids = runs.map((run) => run.id);
  throw new Failure("not_found", `no run ${id} in the inventory of stack ${stack.name}`, {
    remedy: didYouMean(id, ids) ?? list,
  });
}

/** Characters of the shortest prefix of a run's id. */
const shortestPrefix = 4;

function shortPrefixError(id: string, run: RunRecord | undefined): Failure {
  const message = `${id} is too short to name a run: use at least ${shortestPrefix} characters`;
  return new Failure("usage", message, {
    remedy: `The run that begins with it is ${run?.id ?? ""}.`,
  });
}

function ambiguousRunError(id: string, begun: readonly RunRecord[], list: string): Failure {
  const newest = begun
    .map((run) => run.id)
    .toSorted()
    .toReversed();
  return new Failure("usage", `${newest.length} runs begin with ${id}: ${firstNames(newest)}`, {
    remedy: sentences("Use a longer prefix.", list),
  });
}
