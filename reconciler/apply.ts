// Applies a stack: plans, decides whether the plan may be applied, asks, executes exactly its changes, reads back what it
// wrote, and records the run.
import type { Diagnostic } from "../core/diagnostics.ts";
import { type Failure, failureFrom } from "../core/errors.ts";
import { kindsByName } from "../core/kind/kind.ts";
import { fingerprintsWith } from "../core/spec/fingerprints.ts";
import { knownTextsOf } from "../lifecycle/known-texts.ts";
import { createLifecycle } from "../lifecycle/lifecycle.ts";
import { createCachedReader } from "../lifecycle/reader.ts";
import { executeChanges, failureSummary, stopFailure } from "./engine/execute.ts";
import { keptFieldsByAddress, restoredFieldsByAddress } from "./engine/ignore-rules.ts";
import { openInventoryUpdater } from "./engine/inventory-updater.ts";
import {
  assertInventoryOfPlan,
  assertPreconditions,
  assertSamePlan,
  choicesOf,
  observeChanges,
  withSecrets,
} from "./engine/stale-plan.ts";
import { openSecretSinks } from "./engine/secret-sinks.ts";
import { verify } from "./engine/verify.ts";
import { holdLocks } from "./inventory/release-locks.ts";
import type { InventoryLock } from "./inventory/store.ts";
import type { ApplyResult, Author, Inventory, LiveState, Plan } from "./model/index.ts";
import { conflictsIn } from "./model/plan-filters.ts";
import { authorOf } from "./operator/author.ts";
import { type PlanOptions, planSession, type SessionPlanOptions } from "./plan.ts";
import { withPolicyFindings } from "./policy/policy-rule.ts";
import { closedWindowFailure } from "./policy/window-check.ts";
import { keepingConflicts, keepingLiveEdits } from "./verbs/field-conflicts.ts";
import { assertUndisturbed, refusalOf, type RefusalOptions } from "./verbs/refusal.ts";
import {
  addressesByKeyOf,
  callsOf,
  type ObjectLocations,
  objectLocations,
  openSession,
  type PlannedSession,
  type Session,
  type SessionOptions,
  type VerbResult,
} from "./verbs/session.ts";

/** Options of a proposal. */
export interface ProposalOptions
  extends SessionOptions, RefusalOptions, Pick<PlanOptions, "evaluatePolicies"> {}

/** Options of an apply. */
export interface ApplyOptions extends PlanOptions, ProposalOptions {
  /** The known parts of the author of the run, and the reason for it (default: the current user). */
  readonly author?: Partial<Author> | undefined;
  /** Asks before any write; `false` ends the run. Not called for a plan without changes. */
  readonly approve: (plan: Plan) => Promise<boolean>;
}

/** A plan that an apply executes, and whether it may. */
export interface Proposal {
  /** The session, with the desired state that the plan was made from. */
  readonly session: Session;
  readonly plan: Plan;
  /** The plan with the findings of policies, as it is shown. */
  readonly shown: Plan;
  /** Why the plan must not be applied; undefined if it may be. */
  readonly refusal: Failure | undefined;
  /** The recorded and the live objects that the plan was made from. */
  readonly inventory: Inventory;
  readonly live: LiveState;
  /** The id of the run that this one undoes. */
  readonly undoOf: string | undefined;
}

/** The result of an apply. */
export interface AppliedPlan extends ObjectLocations {
  readonly plan: Plan;
  /** Undefined without approval. */
  readonly applied: ApplyResult | undefined;
}

/** Plans, unless a plan is given, has the plan approved, and applies it. */
export async function apply(options: ApplyOptions): Promise<VerbResult<AppliedPlan>> {
  const opened = await openSession({ ...options, createsKey: options.savedPlan === undefined });
  if (!opened.ok) return opened;
  await using session = opened.session;
  const proposed = await propose(session, options);
  if (!proposed.ok) return proposed;
  const applied = await applyIfApproved(proposed.proposal, options);
  const { plan } = proposed.proposal;
  const diagnostics = [...session.diagnostics, ...(applied?.warnings ?? [])];
  return { ok: true, plan, applied, diagnostics, ...objectLocations(session.desired) };
}

/** Reports the plan of a proposal, has it approved, and applies it. Fails with its refusal. */
export async function applyIfApproved(
  proposal: Proposal,
  options: ApplyOptions,
): Promise<ApplyResult | undefined> {
  const { session, shown, refusal } = proposal;
  const { desired, diagnostics } = session;
  const addressesByKey = addressesByKeyOf(desired.objects);
  options.progress?.({ event: "plan", plan: shown, addressesByKey, diagnostics });
  if (refusal !== undefined) throw refusal;
  const isApproved = shown.changes.length === 0 || (await options.approve(shown));
  return isApproved ? applyProposal(proposal, { ...options, isCurrent: false }) : undefined;
}

/** The run that a proposal undoes. */
export interface UndoContext {
  readonly undoOf: string;
  /** Diagnostics for changes that cannot be undone. */
  readonly notes: readonly Diagnostic[];
}

/** Plans in a session, also for a saved plan, which has to be equal; decides whether the plan may be applied. */
export async function propose(
  session: Session,
  options: ProposalOptions & Pick<SessionPlanOptions, "inventory">,
  undo?: UndoContext,
): Promise<VerbResult<{ proposal: Proposal }>> {
  const planned = await planToApply(session, options);
  if (!planned.ok) return planned;
  const { desired, live, inventory, diagnostics } = planned;
  const isKept = desired !== session.desired;
  const isEmpty = planned.plan.changes.length === 0 && !isKept;
  const notes =
    undo === undefined ? [] : [...undo.notes, ...(isEmpty ? [nothingToUndo(undo)] : [])];
  const plan = { ...planned.plan, diagnostics: [...planned.plan.diagnostics, ...notes] };
  await assertUndisturbed(plan, session.store);
  const shown = withPolicyFindings(plan, options.evaluatePolicies);
  const owned = Object.keys(inventory.entries).length;
  const undoOf = undo?.undoOf;
  const refusal = refusalOf({ plan, shown, session, owned, undoOf }, options);
  const made = { plan, shown, refusal, inventory, live, undoOf };
  const proposal = { session: { ...session, desired }, ...made };
  return { ok: true, proposal, diagnostics };
}

/** Plans, without the live edits to leave; with `onConflict: "keep"` again, without the changes to conflicting fields. */
async function planToApply(
  opened: Session,
  options: Parameters<typeof propose>[1],
): Promise<VerbResult<PlannedSession & Pick<Session, "desired">>> {
  const { savedPlan, leavesDrift } = options;
  const desired =
    leavesDrift === undefined ? opened.desired : keepingLiveEdits(opened.desired, leavesDrift);
  const session = { ...opened, desired };
  if (savedPlan !== undefined) {
    const planned = await planSession(session, {
      ...options,
      ...choicesOf(savedPlan, desired, options),
    });
    if (planned.ok) assertSamePlan(savedPlan, planned.plan);
    return planned.ok ? { ...planned, desired } : planned;
  }
  const planned = await planSession(session, options);
  if (!planned.ok) return planned;
  if (options.onConflict !== "keep" || conflictsIn(planned.plan).length === 0)
    return { ...planned, desired };
  const keeping = keepingConflicts(desired, planned.plan);
  const kept = await planSession({ ...session, desired: keeping }, options);
  return kept.ok ? { ...kept, desired: keeping } : kept;
}

function nothingToUndo({ undoOf }: UndoContext): Diagnostic {
  const summary = `nothing of run ${undoOf} is left that svc can undo`;
  return { code: "nothing-to-undo", severity: "info", summary };
}

/** Options of {@link applyProposal}. */
export interface RunOptions extends Pick<ProposalOptions, "signal" | "progress" | "now"> {
  readonly author?: Partial<Author> | undefined;
  /** Set if no time passed since the plan was made, so that the objects are not observed again. */
  readonly isCurrent: boolean;
}

/**
 * Executes exactly the changes of a proposal. Fails before the first write with its refusal, `locked` if another run holds
 * the lock, and `stale` if the inventory, a secret or a live object changed since the plan was made.
 */
export async function applyProposal(proposal: Proposal, options: RunOptions): Promise<ApplyResult> {
  const { plan, session, refusal } = proposal;
  const { client, store, desired, env } = session;
  const { now = () => new Date() } = options;
  // A window may have closed while the user was asked.
  const refused = refusal ?? closedWindowFailure(plan, session, now());
  if (refused !== undefined) throw refused;
  if (plan.changes.every(({ action }) => action === "orphan"))
    return nothingDone(plan, callsOf(session));
  // Before the lock, because it may run Git.
  const author = await authorOf(options.author, { env, stack: desired.stack });
  const { result, unreleased } = await holdLocks(async (hold) => {
    const lock = await hold(store.lock("apply", client.origin));
    return executeUnderLock(proposal, { ...options, now, author, lock });
  });
  return {
    plan,
    ...result,
    calls: callsOf(session),
    ...(unreleased.length > 0 && { warnings: unreleased }),
  };
}

function nothingDone(plan: Plan, calls: number): ApplyResult {
  const rest = { stopped: undefined, unverified: undefined, unrecorded: undefined };
  return { plan, outcomes: [], residual: [], calls, writeCalls: 0, ...rest };
}

interface LockedRun extends Omit<RunOptions, "author"> {
  readonly author: Author;
  readonly now: () => Date;
  readonly lock: InventoryLock;
}

async function executeUnderLock(
  { plan, session, live: planned, undoOf }: Proposal,
  { lock, author, now, progress, isCurrent, ...options }: LockedRun,
): Promise<Omit<ApplyResult, "plan" | "calls" | "warnings">> {
  const { client, desired, apiDiscovery } = session;
  const kinds = kindsByName(session.kinds);
  const signal = AbortSignal.any([lock.lost, ...(options.signal ? [options.signal] : [])]);
  const knownTexts = knownTextsOf(desired.objects);
  const reader = createCachedReader(client.reader, { signal, knownTexts, apiDiscovery });

  const { inventory } = lock;
  assertInventoryOfPlan(plan, inventory);
  const fingerprints = fingerprintsWith(inventory.salt, session.fingerprintKey);
  if (!isCurrent) progress?.({ event: "phase", phase: "check" });
  const live = isCurrent ? planned : await observeChanges(plan.changes, { kinds, reader, signal });
  if (!isCurrent) assertPreconditions(plan, live, { kinds, fingerprints });
  const changes = withSecrets(plan, live, { desired, kinds, fingerprints, now: now() });

  progress?.({ event: "phase", phase: "apply" });
  const updater = await openInventoryUpdater({
    lock,
    inventory,
    changes,
    live,
    run: { verb: undoOf === undefined ? "apply" : "undo", author, undoOf },
    kinds,
    origin: client.origin,
    fingerprints,
    now,
    keptFields: keptFieldsByAddress(desired),
    restoredFields: restoredFieldsByAddress(desired),
  });
  const lifecycle = createLifecycle({ client, discovery: apiDiscovery, reader });
  const executed = changes.filter(({ action }) => action !== "orphan");
  const outcomes = await executeChanges(executed, {
    lifecycle,
    updater,
    sinks: openSecretSinks(desired.stack, fingerprints),
    kinds,
    live,
    signal: AbortSignal.any([signal, updater.unrecorded]),
    progress,
  });
  const stopped = signal.aborted ? undefined : stopFailure(outcomes, { updater, lifecycle });

  const written = { kinds, fingerprints, updater, reader, signal, progress };
  const verified =
    stopped === undefined
      ? await verify(executed, outcomes, written)
      : { residual: [], unverified: undefined };
  // The journal already contains the outcomes, so they are returned even if this fails.
  const unrecorded = await failureFrom(() => updater.close(outcomes));
  return {
    outcomes,
    stopped: failureSummary(stopped),
    ...verified,
    unrecorded: failureSummary(unrecorded),
    writeCalls: lifecycle.writeCalls(),
    runId: updater.runId,
  };
}
