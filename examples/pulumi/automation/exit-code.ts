// The exit code of a run, as `svc plan` and `svc drift` have it.
import type { OpMap } from "@pulumi/pulumi/automation/index.js";

/** Steps that change nothing, neither on the server nor in what is declared. */
const quiet: ReadonlySet<string> = new Set(["same", "read", "refresh"]);

/** 2 where a preview found something to do, else 0. */
export function exitCodeOf(summary: OpMap): 0 | 2 {
  const busy = Object.entries(summary).some(([step, count]) => count > 0 && !quiet.has(step));
  return busy ? 2 : 0;
}
