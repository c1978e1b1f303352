// The one way to the first write, for apply, undo and promote: a plan made afresh, held against every safety of the stack, agreed to, carried out.
import { type Diagnostic, hasErrors } from "../../core/diagnostics.ts";
import type { Failure } from "../../core/errors.ts";
import { applyPlan } from "../engine/apply.ts";
import { authorOf } from "../operator/author.ts";
import { deleteLimitOf, deleteLimitExceeded } from "../engine/delete-limit.ts";
import type { ApplyResult, Author, LiveState, Plan } from "../model/index.ts";
import {
  type PolicyEvaluator,
  withPolicyFindings,
  assertPolicies,
  type Severity,
} from "../policy/policy-rule.ts";
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

/** What a plan that is shown takes beside what every verb does. */
export interface PlanOptions extends VerbOptions {
  /** What else is held against a plan: its diagnostics stand in the plan after those of its own. */
  readonly evaluatePolicies?: PolicyEvaluator | undefined;
}

/** What is asked before the first write. */
export interface ApplyOptions extends PlanOptions {
  /** From which severity on a finding keeps the plan from being applied; errors do, whatever this is. */
  readonly failOn?: Severity | undefined;
  /** The reviewed plan: just that is carried out, or nothing where the plan made now is another. */
  readonly savedPlan?: Plan | undefined;
  /** Deletes and replaces that may be carried out beyond the stack's own budget. */
  readonly allowDeletes?: number | undefined;
  /** Sees the plan first of all, also one that is then refused; `refused` where that is for its deletes, which a caller may allow. */
  readonly onPlan?:
    | ((
        plan: Plan,
        how: Pick<ObjectLocations, "addressesByKey"> & { readonly refused: boolean },
      ) => void)
    | undefined;
  /** Who makes the run, and why, which may lie in the plan; this user where nobody is named. */
  readonly author?: Partial<Author> | ((plan: Plan) => Partial<Author>) | undefined;
  /** Asked before anything is written; `false` ends the run with nothing done. */
  readonly approve: (plan: Plan) => Promise<boolean>;
}

/** The same within a session. */
export interface SessionApplyOptions extends Omit<ApplyOptions, "approve"> {
  /** Left out where somebody has agreed already, so that nobody takes their time now. */
  readonly approve?: ApplyOptions["approve"] | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** What an undo adds to an apply. */
export interface UndoContext {
  /** The run that is taken back. */
  readonly undoOf: string;
  /** What cannot be, for the plan to tell. */
  readonly notes: readonly Diagnostic[];
  /** Objects that the stack owns, of which the session may see a part. */
  readonly ownedCount: number;
}

/** What was planned, and what became of it. */
export interface SessionApplyResult {
  readonly plan: Plan;
  /** Undefined where it was not approved. */
  readonly applied: ApplyResult | undefined;
  /** The world that the plan was made from. */
  readonly live: LiveState;
}

/** Plans in a session, with every safety of the stack; has the plan approved, and carries it out. */
export async function applySession(
  session: Session,
  options: SessionApplyOptions,
  undoing?: UndoContext,
): Promise<VerbResult<SessionApplyResult>> {
  const { diagnostics } = options;
  const planned = await planOrReplan(session, options);
  if (!planned.ok) return planned;
  const { live } = planned;
  const { notes = [], ownedCount: owned = planned.ownedCount } = undoing ?? {};
  const told = [...planned.plan.diagnostics, ...notes];
  const agreed = notes.length === 0 ? planned.plan : { ...planned.plan, diagnostics: told };
  // A plan with errors of its own is refused as such, whatever else is held against it.
  const isFaulty = hasErrors(agreed.diagnostics);
  const budget = deleteLimitOf(session.desired.stack.policy, owned);
  const allowed = options.allowDeletes ?? 0;
  const excess = isFaulty ? undefined : deleteLimitExceeded(agreed, { budget, allowed });
  const closed = closedWindowFailure(agreed, session, options);
  const shown = withPolicyFindings(agreed, options.evaluatePolicies);
  options.onPlan?.(shown, {
    refused: excess !== undefined && closed === undefined,
    addressesByKey: addressesByKeyOf(session.desired),
  });
  if (closed !== undefined) throw closed;
  assertPermitted(agreed);
  if (excess !== undefined) throw excess;
  if (agreed.changes.length > 0 && !isFaulty) assertPolicies(shown, options.failOn ?? "error");
  if (agreed.changes.length > 0 && (await options.approve?.(shown)) === false) {
    return { ok: true, plan: agreed, applied: undefined, live, diagnostics };
  }
  // Whoever was asked may have taken until a window closed.
  const late = closedWindowFailure(agreed, session, options);
  if (late !== undefined) throw late;
  const { folder } = session.desired.stack;
  const { author } = options;
  const said = typeof author === "function" ? author(agreed) : author;
  const applied = await applyPlan(agreed, {
    ...session,
    freshLiveState: planned.isFresh ? live : undefined,
    signal: options.signal,
    progress: options.progress,
    now: options.now,
    author: authorOf(said, { env: options.env, folder }),
    undoOf: undoing?.undoOf,
  });
  return { ok: true, plan: agreed, applied, live, diagnostics };
}

/** Why the plan may not be carried out at this moment; a run that has begun is let end. */
function closedWindowFailure(
  agreed: Plan,
  session: Session,
  { now = () => new Date() }: VerbOptions,
): Failure | undefined {
  const opening = planWindowStatus(agreed, session, now());
  return opening.closures.length === 0 ? undefined : closedFailure(opening);
}

/** Made afresh also where a plan was saved, which has to say the same. */
async function planOrReplan(
  session: Session,
  options: SessionApplyOptions,
): Promise<VerbResult<PlanToApply>> {
  const { savedPlan: saved, approve } = options;
  // Somebody may take their time to approve it, so the world is looked at again after that.
  if (saved === undefined) {
    return toPlanToApply(await planWithPreflight(session, options), approve === undefined);
  }
  assertPlanFor(saved, session.desired);
  const made = await planWithPreflight(session, {
    ...options,
    adopt: adoptionsIn(saved),
    replace: replacementsIn(saved, session.desired),
    allowEmpty: emptiesStack(saved),
  });
  if (made.ok) assertSamePlan(saved, made.plan);
  return toPlanToApply(made, true);
}

/** A plan to carry out. */
interface PlanToApply {
  readonly plan: Plan;
  /** What it was made from. */
  readonly live: LiveState;
  /** Nobody is asked about it any more, so that needs no second look. */
  readonly isFresh: boolean;
  /** Objects that the stack owns. */
  readonly ownedCount: number;
}

type PlanSessionResult = Awaited<ReturnType<typeof planSession>>;

function toPlanToApply(made: PlanSessionResult, isFresh: boolean): VerbResult<PlanToApply> {
  if (!made.ok) return made;
  const { plan, live, inventory, diagnostics } = made;
  return {
    ok: true,
    plan,
    live,
    isFresh,
    ownedCount: Object.keys(inventory.entries).length,
    diagnostics,
  };
}
