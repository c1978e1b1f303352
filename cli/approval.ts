// Having a plan approved: once for its changes, and once more, apart, for what it deletes and replaces.
import { hasErrors } from "../core/diagnostics.ts";
import { alongText } from "../reconciler/planning/cascade.ts";
import type { Change, Plan } from "../reconciler/model.ts";
import { deletions, writes } from "../reconciler/planning/parts.ts";
import { ask } from "./confirm.ts";

/** How a plan is approved. */
export interface ApprovalTerms {
  /** Said yes beforehand: by a flag, or by reviewing a saved plan. Deletes over the budget are refused before this. */
  readonly given: boolean;
  readonly interactive: boolean;
  readonly signal: AbortSignal;
}

/** `unasked`: nobody is there to be asked. */
export type Approval = "approved" | "declined" | "unasked";

/** Whether there is anything to ask about; a plan with errors is refused anyway, and our own record needs no consent. */
export function needsApproval(plan: Plan, { given }: ApprovalTerms): boolean {
  return !given && !hasErrors(plan.diagnostics) && writes(plan).length > 0;
}

/** Asks about a plan that was shown. */
export async function approval(plan: Plan, terms: ApprovalTerms): Promise<Approval> {
  if (!needsApproval(plan, terms)) return "approved";
  if (!terms.interactive) return "unasked";
  const deleted = deletions(plan);
  const count = writes(plan).length;
  const yes = await ask(`Apply ${changes(count)} to ${plan.basis.origin}?`, terms.signal);
  if (!yes) return "declined";
  if (deleted.length === 0) return "approved";
  return (await ask(deletionQuestion(deleted), terms.signal)) ? "approved" : "declined";
}

const namedAtMost = 10;

function deletionQuestion(deleted: readonly Change[]): string {
  const named = deleted
    .slice(0, namedAtMost)
    .map((change) => `  ${change.action} ${change.address}${along(change)}`);
  const more = deleted.length > namedAtMost ? [`  and ${deleted.length - namedAtMost} more`] : [];
  return ["This deletes what cannot be brought back:", ...named, ...more, "Do that too?"].join(
    "\n",
  );
}

function along(change: Change): string {
  const inside = alongText(change);
  return inside === "" ? "" : ` with ${inside} inside`;
}

function changes(count: number): string {
  return count === 1 ? "this change" : `these ${count} changes`;
}
