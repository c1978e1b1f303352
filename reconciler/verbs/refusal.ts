// Decides whether a plan may be applied, and reports all reasons why it may not.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import { deleteLimitExceeded } from "../engine/delete-limit.ts";
import { assertInventoryOfPlan } from "../engine/stale-plan.ts";
import type { InventoryStore } from "../inventory/store.ts";
import type { Plan } from "../model/index.ts";
import type { Severity } from "../policy/policy-names.ts";
import { policyFailure } from "../policy/policy-rule.ts";
import { closedWindowFailure } from "../policy/window-check.ts";
import { conflictFailure, type ConflictPolicy, defaultConflictPolicy } from "./field-conflicts.ts";
import { notPermittedFailure } from "./preflight.ts";
import type { Session, SessionOptions } from "./session.ts";

/** A plan to decide about. */
export interface PlanToJudge {
  readonly plan: Plan;
  /** The plan with the findings of policies. */
  readonly shown: Plan;
  readonly session: Session;
  /** Number of objects that the stack owns. */
  readonly owned: number;
  /** The id of the run that the plan undoes. */
  readonly undoOf: string | undefined;
}

/** The options of a run that decide about its plan. */
export interface RefusalOptions extends Pick<SessionOptions, "now"> {
  /** Severity that prevents the apply; errors always do. */
  readonly failOn?: Severity | undefined;
  /** The saved plan. It is applied exactly, or not at all if the current plan differs. */
  readonly savedPlan?: Plan | undefined;
  /**
   * How to resolve fields changed both in the manifests and on the server (default: fail before the first write, or
   * overwrite for a saved plan).
   */
  readonly onConflict?: ConflictPolicy | undefined;
  /** Number of deletes and replacements allowed beyond the delete limit of the stack. */
  readonly allowDeletes?: number | undefined;
}

/** Returns why a plan must not be applied; undefined if it may be. */
export function refusalOf(
  { plan, shown, session, owned, undoOf }: PlanToJudge,
  {
    failOn = "error",
    savedPlan,
    allowDeletes = 0,
    now = () => new Date(),
    ...options
  }: RefusalOptions,
): Failure | undefined {
  const { policy } = session.desired.stack;
  const { onConflict = defaultConflictPolicy(savedPlan) } = options;
  const blocked =
    closedWindowFailure(plan, session, now()) ?? notPermittedFailure(plan) ?? errorsFailure(plan);
  if (blocked !== undefined) return blocked;
  // No option of the run lifts the findings of policies, so that their refusal asks for no confirmation.
  const findings = plan.changes.length > 0 ? policyFailure(shown, failOn) : undefined;
  const excess = deleteLimitExceeded(plan, { policy, owned, allowed: allowDeletes });
  const conflicts = onConflict === "fail" ? conflictFailure(plan, undoOf) : undefined;
  const reasons = [findings, excess, conflicts].filter((reason) => reason !== undefined);
  const [first, ...others] = reasons;
  if (first === undefined || others.length === 0) return first;
  const addresses = conflicts?.details?.["addresses"];
  return new Failure(first.code, reasons.map(({ message }) => message).join("; "), {
    remedy: reasons.map(({ remedy = "" }) => remedy).join(" "),
    details: { ...first.details, ...(addresses !== undefined && { conflicts: addresses }) },
  });
}

/** Returns the failure of a plan with errors, which no approval can override. */
export function errorsFailure({ diagnostics }: Plan): Failure | undefined {
  const error = firstError(diagnostics);
  if (error === undefined) return undefined;
  const { summary, remedy = "Fix the errors, and plan again." } = error;
  return new Failure("refused", `nothing was written, because the plan has errors: ${summary}`, {
    remedy,
  });
}

/** Returns the first error, and in its summary how many more there are; undefined without an error. */
export function firstError(
  diagnostics: readonly Diagnostic[],
): Pick<Diagnostic, "summary" | "remedy"> | undefined {
  const [first, ...more] = diagnostics.filter(({ severity }) => severity === "error");
  if (first === undefined || more.length === 0) return first;
  return { ...first, summary: `${first.summary}, and ${pluralize(more.length, "more error")}` };
}

/**
 * Fails with `locked` or `stale` if another run of the stack writes, or has written since the plan was made: the objects
 * that it creates look as if no stack managed them.
 */
export async function assertUndisturbed(plan: Plan, store: InventoryStore): Promise<void> {
  if (!plan.diagnostics.some(({ code }) => code === "not-owned")) return;
  await store.requireFree();
  assertInventoryOfPlan(plan, await store.read());
}
