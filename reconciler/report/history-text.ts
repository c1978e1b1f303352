// Formats the runs of a stack as text.
import type { History, PastRun } from "../verbs/history.ts";
import type { RunRecord } from "../model/index.ts";
import { actions } from "../model/actions.ts";
import { actionStyles, plannedText } from "./actions.ts";

/** Formats one line per run, newest first; with `changes`, the changed objects below each run. */
export function historyText({ stack, runs }: History, changes: boolean): string {
  if (runs.length === 0) return `Stack ${stack} has no runs.`;
  return runs.flatMap((run) => [runHeader(run), ...(changes ? changesOf(run) : [])]).join("\n");
}

function runHeader(run: PastRun): string {
  const { id, by, message, commit, dirty, startedAt } = run;
  const time = `${startedAt.slice(0, 16).replace("T", " ")} UTC`;
  const why = message === undefined ? "" : `  ${JSON.stringify(message)}`;
  const from =
    commit === undefined ? "" : `  ${commit.slice(0, 12)}${dirty === true ? "-dirty" : ""}`;
  return `${id}  ${time}  ${by}  ${runSummary(run)}${from}${why}`;
}

function runSummary(run: PastRun): string {
  const { verb, undoes, endedAt, counts, incomplete = 0, changes, finishedBy } = run;
  if (verb === "move") return "inventory move";
  const done = actions
    .filter((action) => counts[action] !== undefined)
    .map((action) => {
      const label = endedAt === undefined ? plannedText(action) : actionStyles[action].done;
      return `${counts[action]} ${label}`;
    });
  const partial = changes?.filter(({ result }) => result === "partial").length ?? 0;
  const parts = [
    ...(done.length + partial === 0 ? ["nothing changed"] : done),
    ...(partial === 0 ? [] : [`${partial} partly written`]),
    ...(incomplete === partial ? [] : [`${incomplete - partial} not done`]),
    ...(endedAt === undefined ? [finishedBy ? `finished by ${finishedBy}` : "not finished"] : []),
  ];
  return `${verb === "undo" ? `undo of ${undoes ?? "a run"}` : verb}: ${parts.join(", ")}`;
}

const resultTexts = { partial: "partly written", failed: "failed", skipped: "skipped" } as const;

function changesOf({ changes }: RunRecord): string[] {
  if (changes === undefined) return ["    the changes of this run are no longer stored"];
  return changes.map(({ action, address, formerAddress, result }) => {
    const notes = [
      ...(formerAddress === undefined ? [] : [`entry moved from ${formerAddress}`]),
      ...(result === undefined || result === "done" ? [] : [resultTexts[result]]),
    ];
    const tail = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
    return `    ${actionStyles[action].verb} ${address}${tail}`;
  });
}
