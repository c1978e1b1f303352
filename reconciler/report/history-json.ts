// Formats the runs of a stack as JSON.
import type { JsonObject } from "../../core/json.ts";
import type { History, PastRun } from "../verbs/history.ts";
import { commandJson } from "./command-output-schema.ts";

/** Formats the runs as `svc history --json` prints them; see schemas/command-output.json. */
export function historyJson({ stack, runs }: History): JsonObject {
  return commandJson("history", { stack, runs: runs.map(runJson) });
}

/** Returns a run whose message has the name of the option that sets it. */
function runJson({ message, ...run }: PastRun) {
  return { ...run, reason: message };
}
