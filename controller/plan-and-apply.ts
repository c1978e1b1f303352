// Plans a source, and in apply mode applies the plan. A plan beyond the delete limit waits for an approval.
import type { Diagnostic } from "../core/diagnostics.ts";
import { Failure } from "../core/errors.ts";
import {
  applyProposal,
  type Author,
  changedOnServer,
  countCascaded,
  type DeleteGrant,
  errorsFailure,
  hasServerChanges,
  needsDeleteApproval,
  planSession,
  type ProposalOptions,
  propose,
  type Session,
  withLastChanges,
  withPolicyFindings,
} from "../reconciler/sessions.ts";
import { decisionOf, type PlanDecision, saveHeldPlan, heldPlanId } from "./held-plans.ts";
import type { Source } from "./config.ts";
import {
  type Decision,
  driftCounts,
  type Reconciliation,
  type ReconciliationContext,
  type ReconciliationDetails,
  type ReconciliationOutcome,
  type ReconciliationRun,
} from "./reconciliation.ts";
import {
  type ApplyResult,
  type Change,
  type Plan,
  type VerbOptions,
  type VerbResult,
  deletions,
  evaluatePolicies,
  reachesSeverity,
} from "../reconciler/index.ts";

interface PlanRequest {
  readonly options: VerbOptions;
  readonly details: ReconciliationDetails;
}

type OutcomeVerdict = VerbResult<{ readonly end: ReconciliationOutcome }>;

/** Plans a source, and fails if a finding reaches its `failOn`. */
export async function planOnly(
  source: Source,
  session: Session,
  { options, details, context }: PlanRequest & ReconciliationRun,
): Promise<OutcomeVerdict> {
  const first = await planSession(session, options);
  const isHeldAsEmpty = context.previews !== undefined && first.ok && isStackEmptied(first.plan);
  const planned = isHeldAsEmpty
    ? await planSession(session, { ...options, allowEmpty: true })
    : first;
  if (!planned.ok) return planned;
  const plan = withPolicyFindings(planned.plan, policyEvaluator(source, session));
  details.plan = await withAuthors(session, { ...planned, plan }, context);
  if (context.previews !== undefined) {
    const leavesDrift = context.previews === "report-drift" && hasLiveEdits(plan);
    const kept = leavesDrift
      ? await propose(session, { ...options, leavesDrift: details.plan })
      : undefined;
    details.planId = heldPlanId(kept?.ok === true ? kept.proposal.shown : plan);
  }
  const { diagnostics } = session;
  const findings = [...diagnostics, ...plan.diagnostics];
  if (!reachesSeverity(findings, source.failOn)) {
    return {
      ok: true,
      end: { result: hasServerChanges(plan) ? "changes" : "unchanged" },
      diagnostics,
    };
  }
  const failure = new Failure("refused", `the plan has findings at or above ${source.failOn}`);
  return { ok: true, end: { result: "failed", failure }, diagnostics };
}

/** Plans and applies. A plan beyond the delete limit is held until exactly this plan is approved. */
export async function planAndApply(
  source: Source,
  session: Session,
  { options: planOptions, details, context }: PlanRequest & ReconciliationRun,
): Promise<OutcomeVerdict> {
  const { documents } = context;
  // A checkout equals its commit. For a folder, look up whether its files are committed.
  const commit = source.git === undefined ? undefined : details.commit;
  const isClean = commit === undefined ? {} : { dirty: false };
  let options: ProposalOptions = {
    ...planOptions,
    evaluatePolicies: policyEvaluator(source, session),
    failOn: source.failOn,
    onConflict: source.onConflict,
  };
  const whole = await propose(session, options);
  if (!whole.ok) return whole;
  // Before the apply, which is a change on the server itself.
  details.plan = await withAuthors(
    session,
    { ...whole.proposal, plan: whole.proposal.shown },
    context,
  );
  const leavesDrift = source.mode === "report-drift" && hasLiveEdits(details.plan);
  if (leavesDrift) options = { ...options, leavesDrift: details.plan };
  const proposed = leavesDrift ? await propose(session, options) : whole;
  if (!proposed.ok) return proposed;
  const { shown: plan, refusal } = proposed.proposal;
  const author = { ...authorOf(source, plan), commit, ...isClean };
  if (needsDeleteApproval(refusal)) {
    const changes = deletions(plan);
    const { count: deletes, deleteLimit: allowed, grant } = refusal.details;
    const held = { plan: heldPlanId(plan), deletes, allowed };
    const reason = refusal.message;
    const request = { options, author, context, held, changes, saved: plan, reason, grant };
    return applyOrHold(session, request);
  }
  if (refusal !== undefined) throw withSourceRemedy(refusal);
  const applied = await applyProposal(proposed.proposal, { ...options, author, isCurrent: true });
  if (isStackEmptied(plan))
    return reconcileEmptyStack(source, session, { options, author, details, context });
  await saveHeldPlan(documents, undefined);
  const done = outcomeOf(applied, session);
  // What is left are live edits.
  const isLeft = leavesDrift && done.ok && done.end.result === "unchanged";
  return isLeft ? { ...done, end: { ...done.end, result: "changes" } } : done;
}

function withAuthors(
  session: Session,
  planned: Parameters<typeof withLastChanges>[1],
  { readsAuthors = false }: ReconciliationContext,
): Promise<Plan> {
  const addresses = readsAuthors ? changedOnServer(planned.plan) : [];
  return withLastChanges(session, planned, addresses);
}

function hasLiveEdits({ changes }: Plan): boolean {
  return changes.some((change) =>
    [change, ...change.fields].some(({ direction }) => direction === "drifted"),
  );
}

/**
 * Returns the failure of fields changed on both sides with the remedy for the operator of a source; any other failure
 * unchanged.
 */
function withSourceRemedy(error: Failure): Failure {
  const { code, message, details } = error;
  if (code !== "conflict" || details?.["addresses"] === undefined) return error;
  const remedy = "Declare the live values, or set onConflict: overwrite in the source.";
  return new Failure(code, message, { cause: error, details, remedy });
}

interface ApprovalRequest {
  readonly options: ProposalOptions;
  readonly author: RunAuthor;
  readonly context: ReconciliationContext;
  readonly held: NonNullable<Reconciliation["held"]>;
  /** The changes that need the approval. */
  readonly changes: readonly Change[];
  readonly saved: Plan;
  /** Why the plan is held. */
  readonly reason: string;
  /** The grant of the source that permits too few deletes. */
  readonly grant?: DeleteGrant | undefined;
}

/** Applies an approved plan, or saves it as held. */
async function applyOrHold(
  session: Session,
  {
    options,
    author,
    context: { documents, clock, approvalRemedy },
    held,
    changes,
    saved,
    reason: why,
    grant,
  }: ApprovalRequest,
): Promise<OutcomeVerdict> {
  const { diagnostics } = session;
  const decision = await decisionOf(documents, held.plan, clock.now());
  if (decision?.verdict !== "approved") {
    const named = changes.map(({ action, address }) => `${action} ${address}`);
    const made = saved.changes.filter(({ action }) => action !== "none");
    const others = made.length - changes.length;
    await saveHeldPlan(documents, { ...held, changes: named, others });
    const raise =
      grant === undefined
        ? ""
        : ` To apply such plans without an approval, raise grants.${grant} of the source.`;
    const remedy = `${approvalRemedy(held.plan)}${raise}`;
    const failure = new Failure("refused", why, { remedy });
    const rejected = decision && withoutVerdict(decision);
    return { ok: true, end: { result: "held", failure, held: { ...held, rejected } }, diagnostics };
  }
  const by = decision.reason === undefined ? decision.by : `${decision.by}: ${decision.reason}`;
  const message = `${author.message}; ${held.plan} approved by ${by}`;
  const allowed = { ...options, savedPlan: saved, allowDeletes: held.deletes };
  const proposed = await propose(session, allowed);
  if (!proposed.ok) return proposed;
  const run = { ...options, author: { ...author, message }, isCurrent: true };
  const applied = await applyProposal(proposed.proposal, run);
  await saveHeldPlan(documents, undefined);
  const done = outcomeOf(applied, session);
  return done.ok ? { ...done, end: { ...done.end, approved: withoutVerdict(decision) } } : done;
}

function withoutVerdict({ by, reason, at }: PlanDecision): Decision {
  return { by, ...(reason !== undefined && { reason }), at };
}

/** Reconciles a stack that declares nothing but owns objects: usually unintended, so it needs an approval. */
async function reconcileEmptyStack(
  source: Source,
  session: Session,
  {
    options,
    author,
    details,
    context,
  }: Pick<ApprovalRequest, "options" | "author"> & ReconciliationRun,
): Promise<OutcomeVerdict> {
  const planned = await planSession(session, { ...options, allowEmpty: true });
  if (!planned.ok) return planned;
  const plan = withPolicyFindings(planned.plan, policyEvaluator(source, session));
  details.plan = await withAuthors(session, { ...planned, plan }, context);
  const faulty = errorsFailure(plan);
  if (faulty !== undefined) throw faulty;
  const changes = removalsOf(plan);
  const deletes = changes.length + countCascaded(deletions(plan));
  const held = { plan: heldPlanId(plan), deletes, allowed: 0 };
  const why = `the stack declares no objects but owns ${Object.keys(planned.inventory.entries).length}`;
  const request = { options, author, context, held, changes, saved: plan, reason: why };
  return applyOrHold(session, request);
}

/** Returns the deletes, replacements and forgets of a plan. */
function removalsOf(plan: Plan): readonly Change[] {
  return [...deletions(plan), ...plan.changes.filter(({ action }) => action === "forget")];
}

function isStackEmptied({ diagnostics }: Plan): boolean {
  return diagnostics.some(({ code }) => code === "empty-input");
}

function outcomeOf(applied: ApplyResult, session: Pick<Session, "diagnostics">): OutcomeVerdict {
  const diagnostics = [...session.diagnostics, ...(applied.warnings ?? [])];
  if (applied.outcomes.length === 0)
    return { ok: true, end: { result: "unchanged", applied }, diagnostics };
  const failure = partialFailure(applied);
  const end: ReconciliationOutcome =
    failure === undefined
      ? { result: "applied", applied }
      : { result: "partial", applied, failure };
  return { ok: true, end, diagnostics };
}

/** Returns why an apply is partial: its first failure, or a change that does not read back as written. */
function partialFailure({ outcomes, residual, stopped }: ApplyResult): Failure | undefined {
  const open = outcomes.filter(({ result }) => result !== "done");
  const first = open.find(({ failure }) => failure !== undefined);
  const [differing] = residual;
  const count = `${open.length} of ${outcomes.length} changes were not applied`;
  if (first?.failure !== undefined) {
    const { code, message, remedy } = first.failure;
    const why = `${count}: ${first.address}: ${message}`;
    return new Failure(code, why, remedy === undefined ? {} : { remedy });
  }
  if (open.length > 0) {
    const why = stopped === undefined ? open[0]?.address : "the run was interrupted";
    return new Failure("aborted", `${count}: ${why}`, {
      remedy: "The next reconciliation continues.",
    });
  }
  if (differing === undefined) return undefined;
  return new Failure("conflict", `${differing.address} does not read back as written`, {
    remedy: "See its fields with svc drift; another actor may have changed it.",
  });
}

function policyEvaluator({ rules }: Source, { kinds }: Session) {
  return (plan: Plan): readonly Diagnostic[] => evaluatePolicies(plan, { rules, kinds });
}

/** The author of a run of the controller. */
type RunAuthor = Partial<Author> & Required<Pick<Author, "message">>;

/** Returns the author of a run, with the changes by direction of drift. */
function authorOf(source: Source, plan: Plan): RunAuthor {
  const counts = Object.entries(driftCounts(plan)).filter(([, count]) => count > 0);
  const message = counts.map(([direction, count]) => `${count} ${direction}`).join(", ");
  return { by: `svc controller ${source.name}`, message: message || "inventory only" };
}
