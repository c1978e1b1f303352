// Runs apply, undo and promote: makes a fresh plan, checks it, has it approved, and executes it.
import { type Diagnostic, hasErrors } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { applyPlan, inventoryOfPlan } from "../engine/apply.ts";
import { authorOf } from "../operator/author.ts";
import { conflictsIn } from "../model/plan-filters.ts";
import { combinedRefusal } from "./combined-refusal.ts";
import { deleteLimitExceeded } from "../engine/delete-limit.ts";
import type { ApplyResult, Author, LiveState, Plan } from "../model/index.ts";
import { type PolicyEvaluator, withPolicyFindings, policyFailure } from "../policy/policy-rule.ts";
import type { Severity } from "../policy/policy-names.ts";
import {
  type ConflictPolicy,
  conflictFailure,
  defaultConflictPolicy,
  keepingConflicts,
} from "./field-conflicts.ts";
import { planWithPreflight, assertPermitted } from "./preflight.ts";
import {
  adoptionsIn,
  emptiesStack,
  assertPlanFor,
  assertSamePlan,
  replacementsIn,
} from "../engine/saved-plan-check.ts";
import {
  type ObjectLocations,
  addressesByKeyOf,
  type planSession,
  type Session,
  type VerbResult,
  type VerbOptions,
} from "./session.ts";
import { closedFailure, planWindowStatus } from "../policy/window-check.ts";

/** Options of plans in addition to the options of every verb. */
export interface PlanOptions extends VerbOptions {
  /** Additional checks; their diagnostics follow the diagnostics of the plan. */
  readonly evaluatePolicies?: PolicyEvaluator | undefined;
}

/** The manifests of a plan that is shown. */
interface PlanContext extends Pick<ObjectLocations, "addressesByKey"> {
  readonly diagnostics: readonly Diagnostic[];
}

/** Options of an apply. */
export interface ApplyOptions extends PlanOptions {
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
  /** Receives the plan first, even if it is refused, with the diagnostics of the manifests. */
  readonly onPlan?: ((plan: Plan, about: PlanContext) => void) | undefined;
  /**
   * Returns who makes the run and why, which may depend on the plan (default: the current user).
   */
  readonly author?: Partial<Author> | ((plan: Plan) => Partial<Author>) | undefined;
  /** Called before any write; `false` ends the run. */
  readonly approve: (plan: Plan) => Promise<boolean>;
}

/** The same within a session. */
export interface SessionApplyOptions extends Omit<ApplyOptions, "approve"> {
  /** Omitted if the plan is already approved. */
  readonly approve?: ApplyOptions["approve"] | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The additional inputs of an undo. */
export interface UndoContext {
  /** The run to undo. */
  readonly undoOf: string;
  /** Diagnostics for changes that cannot be undone. */
  readonly notes: readonly Diagnostic[];
}

/** The plan and its result. */
export interface SessionApplyResult {
  readonly plan: Plan;
  /** Undefined if the plan was not approved. */
  readonly applied: ApplyResult | undefined;
  /** The observed objects that the plan was computed from. */
  readonly live: LiveState;
}

/** Plans in a session, runs every safety check, has the plan approved, and executes it. */
export async function applySession(
  session: Session,
  options: SessionApplyOptions,
  undoing?: UndoContext,
): Promise<VerbResult<SessionApplyResult>> {
  const { diagnostics, savedPlan, onConflict = defaultConflictPolicy(savedPlan) } = options;
  const planned = await planOrReplan(session, options);
  if (!planned.ok) return planned;
  const { live } = planned;
  const isKept = planned.desired !== session.desired;
  const isEmpty = planned.plan.changes.length === 0 && !isKept;
  const notes = [
    ...(undoing?.notes ?? []),
    ...(undoing !== undefined && isEmpty ? [nothingToUndo(undoing)] : []),
  ];
  const reported = [...planned.plan.diagnostics, ...notes];
  const agreed = notes.length === 0 ? planned.plan : { ...planned.plan, diagnostics: reported };
  // A plan with errors is refused because of them, before other checks.
  const isFaulty = hasErrors(agreed.diagnostics);
  if (isFaulty && agreed.diagnostics.some(({ code }) => code === "not-owned"))
    await assertUndisturbed(agreed, session);
  const { policy } = session.desired.stack;
  const limit = { policy, owned: planned.ownedCount, allowed: options.allowDeletes ?? 0 };
  const excess = isFaulty ? undefined : deleteLimitExceeded(agreed, limit);
  const closed = closedWindowFailure(agreed, session, options);
  const shown = withPolicyFindings(agreed, options.evaluatePolicies);
  options.onPlan?.(shown, { addressesByKey: addressesByKeyOf(session.desired), diagnostics });
  if (closed !== undefined) throw closed;
  assertPermitted(agreed);
  const isFailing = onConflict === "fail" && !isFaulty;
  const conflicts = isFailing ? conflictFailure(agreed, undoing?.undoOf) : undefined;
  const isJudged = agreed.changes.length > 0 && !isFaulty;
  const findings = isJudged ? policyFailure(shown, options.failOn ?? "error") : undefined;
  const refusal = combinedRefusal({ findings, excess, conflicts });
  if (refusal !== undefined) throw refusal;
  const { approve = () => Promise.resolve(true) } = options;
  if (agreed.changes.length > 0 && !(await approve(shown))) {
    return { ok: true, plan: agreed, applied: undefined, live, diagnostics };
  }
  // A window may have closed while the user was asked.
  const late = closedWindowFailure(agreed, session, options);
  if (late !== undefined) throw late;
  const { stack } = session.desired;
  const { author } = options;
  const resolvedAuthor = typeof author === "function" ? author(agreed) : author;
  const applied = await applyPlan(agreed, {
    ...session,
    desired: planned.desired,
    freshLiveState: planned.isFresh ? live : undefined,
    signal: options.signal,
    progress: options.progress,
    now: options.now,
    author: () => authorOf(resolvedAuthor, { env: options.env, stack }),
    undoOf: undoing?.undoOf,
  });
  const { warnings = [] } = applied;
  return { ok: true, plan: agreed, applied, live, diagnostics: [...diagnostics, ...warnings] };
}

function nothingToUndo({ undoOf }: UndoContext): Diagnostic {
  const summary = `nothing of run ${undoOf} is left that svc can undo`;
  return { code: "nothing-to-undo", severity: "info", summary };
}

/**
 * Fails with `locked` or `stale` if another run of the stack writes, or has written since the plan was made: the objects that
 * it creates look as if no stack managed them.
 */
async function assertUndisturbed(plan: Plan, { store }: Session): Promise<void> {
  await store.requireFree();
  await inventoryOfPlan(plan, store);
}

/** Returns why the plan cannot run now; a run that has begun is allowed to finish. */
function closedWindowFailure(
  agreed: Plan,
  session: Session,
  { now = () => new Date() }: VerbOptions,
): Failure | undefined {
  const windowStatus = planWindowStatus(agreed, session, now());
  return windowStatus.closures.length === 0 ? undefined : closedFailure(windowStatus);
}

/** Plans afresh, also for a saved plan, which has to be equal. */
async function planOrReplan(
  session: Session,
  options: SessionApplyOptions,
): Promise<VerbResult<PlanToApply>> {
  const { savedPlan, approve } = options;
  // Approval may take time, so objects are observed again afterwards.
  if (savedPlan === undefined) {
    const planned = await planWithPreflight(session, options);
    const isKept =
      planned.ok && options.onConflict === "keep" && conflictsIn(planned.plan).length > 0;
    const isFresh = approve === undefined;
    if (!isKept) return toPlanToApply(planned, { desired: session.desired, isFresh });
    const desired = keepingConflicts(session.desired, planned.plan);
    const kept = await planWithPreflight({ ...session, desired }, options);
    return toPlanToApply(kept, { desired, isFresh });
  }
  assertPlanFor(savedPlan, session.desired);
  if (options.targets !== undefined) throw targetsOfSavedPlanError();
  if (options.onConflict === "keep") throw keepOfSavedPlanError();
  const planned = await planWithPreflight(session, {
    ...options,
    adopt: adoptionsIn(savedPlan),
    replace: replacementsIn(savedPlan, session.desired),
    targets: savedPlan.targets,
    allowEmpty: emptiesStack(savedPlan),
  });
  if (planned.ok) assertSamePlan(savedPlan, planned.plan);
  return toPlanToApply(planned, { desired: session.desired, isFresh: approve === undefined });
}

function keepOfSavedPlanError(): Failure {
  return new Failure(
    "usage",
    "a saved plan overwrites the live values that it shows as conflicts",
    {
      remedy: "Apply the manifests with --on-conflict keep, without the saved plan.",
    },
  );
}

function targetsOfSavedPlanError(): Failure {
  return new Failure("usage", "a saved plan cannot be limited to targets when it is applied", {
    remedy: "Plan again with --target, or leave it out.",
  });
}

/** A plan to execute. */
interface PlanToApply {
  readonly plan: Plan;
  /** The desired state from which it was computed; its objects name the fields whose live values are kept. */
  readonly desired: Session["desired"];
  readonly live: LiveState;
  /** Set if no approval was needed, so that objects are not observed again. */
  readonly isFresh: boolean;
  /** Number of objects that the stack owns. */
  readonly ownedCount: number;
}

type PlanSessionResult = Awaited<ReturnType<typeof planSession>>;

function toPlanToApply(
  planned: PlanSessionResult,
  context: Pick<PlanToApply, "desired" | "isFresh">,
): VerbResult<PlanToApply> {
  if (!planned.ok) return planned;
  const { plan, live, inventory, diagnostics } = planned;
  return {
    ok: true,
    plan,
    live,
    ...context,
    ownedCount: Object.keys(inventory.entries).length,
    diagnostics,
  };
}
