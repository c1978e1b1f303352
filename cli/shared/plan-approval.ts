// Having a plan approved: once for its changes, and once more, apart, for what it deletes and replaces.
import { hasErrors } from "../../core/diagnostics.ts";
import { cascadeText } from "../../reconciler/engine/cascade.ts";
import type { Change, Plan } from "../../reconciler/model/index.ts";
import { deletions, writes } from "../../reconciler/model/plan-filters.ts";
import { confirm } from "./prompt.ts";

/** How a plan is approved. */
export interface ApprovalOptions {
  /** Said yes beforehand: by a flag, or by reviewing a saved plan. Deletes over the budget are refused before this. */
  readonly preapproved: boolean;
  readonly interactive: boolean;
  readonly signal: AbortSignal;
}

/** `unasked`: nobody is there to be asked. */
export type Approval = "approved" | "declined" | "unasked";

/** Whether there is anything to ask about; a plan with errors is refused anyway, and our own record needs no consent. */
export function needsApproval(plan: Plan, { preapproved: given }: ApprovalOptions): boolean {
  return !given && !hasErrors(plan.diagnostics) && writes(plan).length > 0;
}

/** Asks about a plan that was shown. */
export async function requestApproval(plan: Plan, terms: ApprovalOptions): Promise<Approval> {
  if (!needsApproval(plan, terms)) return "approved";
  if (!terms.interactive) return "unasked";
  const deleted = deletions(plan);
  const count = writes(plan).length;
  const yes = await confirm(`Apply ${changesText(count)} to ${plan.basis.origin}?`, terms.signal);
  if (!yes) return "declined";
  if (deleted.length === 0) return "approved";
  return (await confirm(deletionQuestion(deleted), terms.signal)) ? "approved" : "declined";
}

const maxNamed = 10;

function deletionQuestion(deleted: readonly Change[]): string {
  const named = deleted
    .slice(0, maxNamed)
    .map((change) => `  ${change.action} ${change.address}${cascadeSuffix(change)}`);
  const more = deleted.length > maxNamed ? [`  and ${deleted.length - maxNamed} more`] : [];
  return ["This deletes what cannot be brought back:", ...named, ...more, "Do that too?"].join(
    "\n",
  );
}

function cascadeSuffix(change: Change): string {
  const inside = cascadeText(change);
  return inside === "" ? "" : ` with ${inside} inside`;
}

function changesText(count: number): string {
  return count === 1 ? "this change" : `these ${count} changes`;
}
