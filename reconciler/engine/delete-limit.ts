// Enforces the delete limit: how many objects one apply may delete or replace, cascades included, without approval.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { countCascaded } from "./cascade.ts";
import type { Plan, Policy } from "../model/index.ts";
import { deletions } from "../model/plan-filters.ts";

/** Returns the delete limit of a stack that owns so many objects. */
export function deleteLimitOf(
  { maxDeletes, maxDeletePercent: share }: Policy,
  owned: number,
): number {
  return share === undefined ? maxDeletes : Math.min(maxDeletes, Math.floor((owned * share) / 100));
}

/** Returns the failure for a plan that deletes more than the stack's limit and the caller's allowance; else undefined. */
export function deleteLimitExceeded(
  chosen: Pick<Plan, "changes">,
  given: { readonly budget: number; readonly allowed: number },
): Failure | undefined {
  const deleted = deletions(chosen);
  const along = countCascaded(deleted);
  const count = deleted.length + along;
  const budget = Math.max(given.budget, given.allowed);
  if (count <= budget) return undefined;
  const message = `the plan deletes or replaces ${count} objects${along > 0 ? `, ${along} of them inside others` : ""}; the stack allows ${budget}`;
  return new Failure("refused", message, {
    details: { confirmation: "deletes", count, budget },
    remedy: `review the plan, then pass --allow-deletes ${count}`,
  });
}

/** Reports in a plan that apply will need approval for its deletes. */
export function deleteLimitWarnings(plan: Plan, budget: number): Diagnostic[] {
  const excess = deleteLimitExceeded(plan, { budget, allowed: 0 });
  if (excess === undefined) return [];
  const { message: summary, remedy = "" } = excess;
  return [{ code: "delete-limit", severity: "warning", summary, remedy }];
}
