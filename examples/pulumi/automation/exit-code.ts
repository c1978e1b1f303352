// The exit code of a run, with the meaning that `svc plan` and `svc drift` give it.
import type { OpMap } from "@pulumi/pulumi/automation/index.js";

/** Steps that change neither the server nor the desired state. */
const quiet: ReadonlySet<string> = new Set(["same", "read", "refresh"]);

/** Returns 2 if a preview found changes, otherwise 0. */
export function exitCodeOf(summary: OpMap): 0 | 2 {
  const busy = Object.entries(summary).some(([step, count]) => count > 0 && !quiet.has(step));
  return busy ? 2 : 0;
}
