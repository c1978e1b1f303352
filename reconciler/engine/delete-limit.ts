// Enforces the delete limit: how many objects one apply may delete or replace, cascades included, without approval.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { countCascaded } from "./cascade.ts";
import type { Plan, Policy } from "../model/index.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import { deletions } from "../model/plan-filters.ts";

/** The inputs from which the delete limit of a stack is computed. */
export interface DeleteLimit {
  readonly policy: Pick<Policy, "maxDeletes" | "maxDeletePercent" | "limitedByGrants">;
  /** The number of objects that the stack owns. */
  readonly owned: number;
}

/** Returns the number of objects that one apply may delete or replace. */
export function deleteLimitOf({ policy, owned }: DeleteLimit): number {
  return Math.min(policy.maxDeletes, shareOf({ policy, owned }));
}

/** A limit of 100 % never applies: a delete can cascade to more objects than the stack owns. */
function shareOf({ policy: { maxDeletePercent: share = 100 }, owned }: DeleteLimit): number {
  return share >= 100 ? Infinity : Math.floor((owned * share) / 100);
}

/** The grants of the operator that limit deletes. */
export type DeleteGrant = "maxDeletes" | "maxDeletePercent";

/** A refusal that an approval of the deletes lifts. */
export interface DeleteLimitRefusal extends Failure {
  readonly details: {
    readonly confirmation: "deletes";
    readonly count: number;
    readonly deleteLimit: number;
    /** The grant that the limit comes from. */
    readonly grant?: DeleteGrant;
  };
}

/** Returns whether a plan is refused for too many deletes, and an approval of them lifts the refusal. */
export function needsDeleteApproval(refusal: Failure | undefined): refusal is DeleteLimitRefusal {
  return refusal?.details?.["confirmation"] === "deletes";
}

/**
 * Returns the failure for a plan that deletes more than the stack's limit and the caller's allowance; otherwise
 * undefined.
 */
export function deleteLimitExceeded(
  chosen: Pick<Plan, "changes">,
  { allowed, ...limit }: DeleteLimit & { readonly allowed: number },
): Failure | undefined {
  const deleted = deletions(chosen);
  const cascaded = countCascaded(deleted);
  const count = deleted.length + cascaded;
  const ownLimit = deleteLimitOf(limit);
  const deleteLimit = Math.max(ownLimit, allowed);
  if (count <= deleteLimit) return undefined;
  const inside = cascaded > 0 ? `, ${cascaded} of them inside others` : "";
  const isOwn = deleteLimit === ownLimit;
  const grant = isOwn ? limitingGrant(limit) : undefined;
  const text = `${grant === undefined ? "the stack" : `grants.${grant}`} allows ${ownLimit}${shareText(limit)}`;
  const passed = `--allow-deletes allows ${allowed}`;
  const limits = allowed === 0 ? [text] : isOwn ? [text, passed] : [passed];
  const message = `the plan deletes or replaces ${pluralize(count, "object")}${inside}; ${limits.join("; ")}`;
  const details = { confirmation: "deletes", count, deleteLimit, ...(grant && { grant }) } as const;
  return new Failure("refused", message, {
    details: details satisfies DeleteLimitRefusal["details"],
    remedy: `Review the plan, then pass --allow-deletes ${count}.`,
  });
}

/** Returns the operator's grant that the limit comes from; undefined if the stack sets it. */
function limitingGrant({ policy, owned }: DeleteLimit): DeleteGrant | undefined {
  const isShare = shareOf({ policy, owned }) < policy.maxDeletes;
  const limit = isShare ? "maxDeletePercent" : "maxDeletes";
  return policy.limitedByGrants?.includes(limit) === true ? limit : undefined;
}

/** Explains a limit that is a share of a small stack. */
function shareText({ policy, owned }: DeleteLimit): string {
  if (shareOf({ policy, owned }) >= policy.maxDeletes) return "";
  const objects = owned === 1 ? "the 1 object" : `the ${owned} objects`;
  return `, which is ${policy.maxDeletePercent}% of ${objects} it owns, rounded down`;
}

/** Reports in a plan that apply will need approval for its deletes. */
export function deleteLimitWarnings(plan: Plan, limit: DeleteLimit): Diagnostic[] {
  const excess = deleteLimitExceeded(plan, { ...limit, allowed: 0 });
  if (excess === undefined) return [];
  const { message: summary } = excess;
  const remedy = `Review the plan, then pass --allow-deletes ${Number(excess.details?.["count"])} to \`svc apply\`.`;
  return [{ code: "delete-limit", severity: "warning", summary, remedy }];
}
