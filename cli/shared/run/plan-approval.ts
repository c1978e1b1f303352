// Asks for confirmation of a plan, and separately for its deletes and replacements.
import { hasErrors } from "../../../core/diagnostics.ts";
import { cascadeText } from "../../../reconciler/engine/cascade.ts";
import type { Change, Plan } from "../../../reconciler/model/index.ts";
import { conflictsIn, deletions, writes } from "../../../reconciler/model/plan-filters.ts";
import { confirm } from "./prompt.ts";

/** How to approve a plan. */
export interface ApprovalOptions {
  /**
   * Set by a flag or a saved plan: no confirmation is needed. The delete limit is enforced before.
   */
  readonly preapproved: boolean;
  readonly interactive: boolean;
  /** Set for the plan of an undo, whose conflicts are changes after the run. */
  readonly isUndo?: boolean | undefined;
  readonly signal: AbortSignal;
}

/**
 * Returns true if a plan needs confirmation. Plans with errors are refused anyway, and inventory-only
 * changes need none.
 */
function needsApproval(plan: Plan, { preapproved }: ApprovalOptions): boolean {
  return !preapproved && !hasErrors(plan.diagnostics) && writes(plan).length > 0;
}

/** Asks for confirmation of a plan that was shown. Returns false without a terminal. */
export async function requestApproval(plan: Plan, terms: ApprovalOptions): Promise<boolean> {
  if (!needsApproval(plan, terms)) return true;
  if (!terms.interactive) return false;
  const deleted = deletions(plan);
  const conflicts = conflictsIn(plan).length;
  const count = writes(plan).length;
  const place = terms.isUndo === true ? "after the run" : "on the server";
  const overwritten =
    conflicts === 0 ? "" : ` This overwrites changes made ${place} to ${conflicts} of them.`;
  const question = `Apply ${changesText(count)} to ${plan.basis.origin}?${overwritten}`;
  if (!(await confirm(question, terms.signal))) return false;
  return deleted.length === 0 || confirm(deletionQuestion(deleted), terms.signal);
}

const maxNamed = 10;

function deletionQuestion(deleted: readonly Change[]): string {
  const named = deleted
    .slice(0, maxNamed)
    .map((change) => `  ${change.action} ${change.address}${cascadeSuffix(change)}`);
  const more = deleted.length > maxNamed ? [`  and ${deleted.length - maxNamed} more`] : [];
  return ["These deletions cannot be undone:", ...named, ...more, "Delete them?"].join("\n");
}

function cascadeSuffix(change: Change): string {
  const inside = cascadeText(change);
  return inside === "" ? "" : `, including ${inside} inside`;
}

function changesText(count: number): string {
  return count === 1 ? "this change" : `these ${count} changes`;
}
