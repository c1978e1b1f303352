// Adds the reasons why a change is blocked.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { BlockReason, Change } from "../model/index.ts";

/** Returns the change blocked by these error diagnostics about it, each code once. */
export function blockedByErrors(change: Change, errors: readonly Diagnostic[]): Change {
  return blocked(
    change,
    errors.map(({ code }) => ({ code })),
  );
}

/** Returns the change with these reasons added, each once; the change itself for none. */
export function blocked(change: Change, reasons: readonly BlockReason[]): Change {
  if (reasons.length === 0) return change;
  const all = new Map([...change.blockedBy, ...reasons].map((reason) => [keyOf(reason), reason]));
  return { ...change, blockedBy: [...all.values()] };
}

function keyOf(reason: BlockReason): string {
  return reason.code === "dependency" ? `dependency ${reason.address}` : reason.code;
}
