// The runs of a stack as text: a line for each, and what it changed where that is asked.
import type { History } from "../verbs/history.ts";
import type { RunRecord } from "../model/index.ts";

/** Every run as a line, the newest first; with `changes`, below each the objects that it changed. */
export function historyText({ stack, runs }: History, changes: boolean): string {
  if (runs.length === 0) return `Nothing was applied to stack ${stack} yet.`;
  return runs.flatMap((run) => [runHeader(run), ...(changes ? changesOf(run) : [])]).join("\n");
}

function runHeader(run: RunRecord): string {
  const { id, by, message, commit, begunAt } = run;
  const at = `${begunAt.slice(0, 16).replace("T", " ")} UTC`;
  const why = message === undefined ? "" : `  ${JSON.stringify(message)}`;
  const from = commit === undefined ? "" : `  ${commit.slice(0, 12)}`;
  return `${id}  ${at}  ${by}  ${runSummary(run)}${from}${why}`;
}

const actionTexts: Readonly<Record<string, string>> = {
  create: "created",
  update: "updated",
  replace: "replaced",
  delete: "deleted",
  adopt: "adopted",
  forget: "forgotten",
  none: "recorded",
};

function runSummary({ verb, undoes, endedAt, counts, undone }: RunRecord): string {
  if (verb === "move") return "move of the inventory";
  const done = Object.entries(counts).map(
    ([action, count]) =>
      `${count} ${endedAt === undefined ? `to ${action}` : (actionTexts[action] ?? action)}`,
  );
  const parts = [
    ...(done.length === 0 ? ["nothing done"] : done),
    ...(undone === undefined ? [] : [`${undone} not done`]),
    ...(endedAt === undefined ? ["not ended"] : []),
  ];
  return `${verb === "undo" ? `undo of ${undoes ?? "a run"}` : verb}: ${parts.join(", ")}`;
}

function changesOf({ changes }: RunRecord): string[] {
  if (changes === undefined) return ["    what it changed is not kept any more"];
  return changes.map(({ action, address, result }) => {
    const ended = result === undefined || result === "done" ? "" : ` (${result})`;
    return `    ${action} ${address}${ended}`;
  });
}
