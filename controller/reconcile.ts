// One round of one source: the commit it is at, the plan that follows, and in apply mode that plan carried out. Nothing is thrown but what stops all.
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Diagnostic } from "../core/diagnostics.ts";
import { Failure, isFailure } from "../core/errors.ts";
import type { Kind } from "../core/kind.ts";
import { applySession, type SessionApplyOptions } from "../reconciler/verbs/apply-session.ts";
import { planWithPreflight } from "../reconciler/verbs/preflight.ts";
import { commitAt } from "../reconciler/operator/commit.ts";
import { loadStack } from "../reconciler/manifest/load.ts";
import type { ApplyResult, Change, Plan, ResolveResult } from "../reconciler/model/index.ts";
import { countCascaded } from "../reconciler/engine/cascade.ts";
import { deletions, hasServerChanges, writes } from "../reconciler/model/plan-filters.ts";
import {
  evaluatePolicies,
  withPolicyFindings,
  reachesSeverity,
} from "../reconciler/policy/policy-rule.ts";
import {
  type Session,
  type VerbResult,
  type VerbOptions,
  withSession,
} from "../reconciler/verbs/session.ts";
import { approvalOf, saveHeldPlan, heldPlanId } from "./approvals.ts";
import type { Checkouts } from "./checkout.ts";
import { connectionOf, type Source } from "./config.ts";
import { pipelineDocumentType } from "../promotion/document-type.ts";

/** How a round ended. `changes`: there is something to do, and the source only looks. */
export type ReconciliationResult =
  | "unchanged"
  | "changes"
  | "applied"
  | "partial"
  | "held"
  | "closed"
  | "invalid"
  | "failed"
  | "suspended"
  | "stopped";

/** What became of one round. */
export interface Reconciliation {
  readonly source: string;
  readonly mode: Source["mode"];
  readonly result: ReconciliationResult;
  /** ISO 8601. */
  readonly at: string;
  readonly seconds: number;
  /** Hexadecimal; undefined where it could not be found out. */
  readonly commit: string | undefined;
  /** With what is held against it; undefined where none could be made. */
  readonly plan: Plan | undefined;
  /** What was written; undefined where nothing was to be. */
  readonly applied: ApplyResult | undefined;
  /** What was found in the manifests. */
  readonly diagnostics: readonly Diagnostic[];
  /** Why it failed, was held or closed. */
  readonly failure: Failure | undefined;
  /** What waits for an approval: the name of the plan, its deletes and replaces, and those that go without one. */
  readonly held:
    | { readonly plan: string; readonly deletes: number; readonly allowed: number }
    | undefined;
  /** When changes may be made next, ISO 8601; undefined where nothing is closed, or for longer than a year. */
  readonly opens: string | undefined;
}

/** What a round works with. */
export interface ReconciliationContext {
  /** Absolute; where the controller keeps what belongs to this source. */
  readonly folder: string;
  /** Of a Git source. */
  readonly checkout: Checkouts["latest"] | undefined;
  /** The command that approves a plan of this source. */
  readonly approveCommand: (plan: string) => string;
  readonly env: VerbOptions["env"];
  readonly kinds: readonly Kind[];
  readonly signal: AbortSignal | undefined;
  readonly now: () => Date;
  /** Asked once the commit is known: `false` ends the round, and there is none. */
  readonly shouldReconcile?: ((commit: string | undefined) => boolean) | undefined;
}

/** What is found out on the way, for whoever is told of the end. */
interface ReconciliationDetails {
  commit?: string | undefined;
  plan?: Plan;
  diagnostics: readonly Diagnostic[];
}

type ReconciliationOutcome = Pick<Reconciliation, "result"> &
  Partial<Pick<Reconciliation, "applied" | "failure" | "held" | "opens">>;

/** Runs one round; undefined where `wants` did not want it. */
export async function reconcile(
  source: Source,
  context: ReconciliationContext,
): Promise<Reconciliation | undefined> {
  const begun = context.now();
  const found: ReconciliationDetails = { diagnostics: [] };
  const end = await runReconciliation(source, { context, details: found });
  if (end === undefined) return undefined;
  return {
    source: source.name,
    mode: source.mode,
    at: begun.toISOString(),
    seconds: (context.now().getTime() - begun.getTime()) / 1000,
    commit: found.commit,
    plan: found.plan,
    diagnostics: found.diagnostics,
    applied: undefined,
    failure: undefined,
    held: undefined,
    opens: undefined,
    ...end,
  };
}

/** True until the end of the last day that was named. */
export function isSuspended({ suspend }: Source, now: Date): boolean {
  if (suspend === undefined) return false;
  return now.getTime() < Date.parse(`${suspend.expires}T00:00:00Z`) + 86_400_000;
}

interface ReconciliationRun {
  readonly context: ReconciliationContext;
  readonly details: ReconciliationDetails;
}

async function runReconciliation(
  source: Source,
  going: ReconciliationRun,
): Promise<ReconciliationOutcome | undefined> {
  const { context, details: found } = going;
  if (isSuspended(source, context.now())) return { result: "suspended" };
  try {
    const at = await checkoutSource(source, going);
    if (at === undefined) return undefined;
    found.commit = at.commit;
    if (context.shouldReconcile?.(at.commit) === false) return undefined;
    return await reconcileCommit(source, at.folder, going);
  } catch (error) {
    const failure = isFailure(error) ? error : bugFailure(error);
    if (failure.code === "aborted") return { result: "stopped", failure };
    if (failure.code !== "window_closed") return { result: "failed", failure };
    const opens = failure.details?.["opens"];
    return { result: "closed", failure, ...(typeof opens === "string" && { opens }) };
  }
}

/** Undefined where the commit is not wanted; which one it is is known before it is fetched, which may fail. */
async function checkoutSource(
  { folder }: Source,
  { context: { checkout, signal, shouldReconcile: wants }, details: found }: ReconciliationRun,
): Promise<{ readonly folder: string; readonly commit: string | undefined } | undefined> {
  const wanted = (commit: string): boolean => {
    found.commit = commit;
    return wants?.(commit) !== false;
  };
  if (checkout !== undefined) return checkout(signal, wanted);
  const at = folder ?? "";
  return { folder: at, commit: commitAt(at) };
}

async function reconcileCommit(
  source: Source,
  folder: string,
  { context, details: found }: ReconciliationRun,
): Promise<ReconciliationOutcome> {
  const { env, kinds, signal, now } = context;
  const options: VerbOptions = {
    paths: [folder],
    cwd: folder,
    kinds,
    documentTypes: [pipelineDocumentType],
    variables: source.variables,
    grants: source.grants,
    env,
    connection: connectionOf(source, env),
    signal,
    now,
    createsKey: source.mode === "apply",
  };
  const read = await loadStack(options);
  const other = stackNameMismatch(source, read);
  found.diagnostics = other === undefined ? read.diagnostics : [...read.diagnostics, other];
  if (other !== undefined) return { result: "invalid" };
  const loaded = source.git === undefined ? read : withStateFolder(read, context.folder);
  let end: ReconciliationOutcome = { result: "invalid" };
  const verdict = await withSession<object>(
    options,
    async (session, diagnostics) => {
      const asked = { ...options, diagnostics };
      const made =
        source.mode === "plan"
          ? await planOnly(source, session, { options: asked, details: found })
          : await planAndApply(source, session, { options: asked, details: found, context });
      if (made.ok) end = made.end;
      return made;
    },
    loaded,
  );
  if (verdict.ok) return end;
  found.diagnostics = verdict.diagnostics;
  return { result: "invalid" };
}

/** An inventory is found by the stack's name, and a repository writes that: it would take the inventory of another, by accident too. */
function stackNameMismatch(
  { name, stack: wanted }: Source,
  { desired }: ResolveResult,
): Diagnostic | undefined {
  if (desired === undefined || desired.stack.name === wanted) return undefined;
  const { name: called, namePlace: namedAt } = desired.stack;
  return {
    code: "stack-name-mismatch",
    severity: "error",
    address: `Stack/${called}`,
    summary: `the Stack is called ${called}, and the source ${name} is for ${wanted}`,
    remedy: `call the Stack ${wanted}, or have the operator write stack: ${called} into the source`,
    ...(namedAt !== undefined && { place: namedAt }),
  };
}

/** What a stack keeps in its folder a checkout would forget, and a commit could change: its inventory, and minted secrets. */
function withStateFolder({ desired, diagnostics }: ResolveResult, state: string): ResolveResult {
  if (desired === undefined) return { desired, diagnostics };
  const folder = path.join(state, "kept");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const inventoryFile = path.join(folder, ".svc", `${desired.stack.name}.inventory.json`);
  return {
    desired: { ...desired, stack: { ...desired.stack, folder, inventoryFile } },
    diagnostics,
  };
}

interface PlanRequest {
  readonly options: VerbOptions & Pick<SessionApplyOptions, "diagnostics">;
  readonly details: ReconciliationDetails;
}

type OutcomeVerdict = VerbResult<{ readonly end: ReconciliationOutcome }>;

async function planOnly(
  source: Source,
  session: Session,
  { options: asked, details: found }: PlanRequest,
): Promise<OutcomeVerdict> {
  const made = await planWithPreflight(session, asked);
  if (!made.ok) return made;
  const plan = withPolicyFindings(made.plan, policyJudge(source, session));
  found.plan = plan;
  const { diagnostics } = asked;
  const told = [...diagnostics, ...plan.diagnostics];
  if (!reachesSeverity(told, source.failOn)) {
    return {
      ok: true,
      end: { result: hasServerChanges(plan) ? "changes" : "unchanged" },
      diagnostics,
    };
  }
  const failure = new Failure("refused", `the plan has findings at or above ${source.failOn}`);
  return { ok: true, end: { result: "failed", failure }, diagnostics };
}

/** Plans and applies; where the plan deletes more than goes without an approval, only what somebody approved, and exactly that. */
async function planAndApply(
  source: Source,
  session: Session,
  { options: asked, details: found, context }: PlanRequest & ReconciliationRun,
): Promise<OutcomeVerdict> {
  const { folder } = context;
  const show = (plan: Plan): void => {
    found.plan = plan;
  };
  const author = (plan: Plan) => ({ ...authorOf(source, plan), commit: found.commit });
  const options: SessionApplyOptions = {
    ...asked,
    onPlan: show,
    author,
    evaluatePolicies: policyJudge(source, session),
    failOn: source.failOn,
  };
  try {
    const carried = await applySession(session, options);
    if (carried.ok && isStackEmptied(carried.plan))
      return await reconcileEmptyStack(source, session, { options, details: found, context });
    if (carried.ok) saveHeldPlan(folder, undefined);
    return outcomeOf(carried);
  } catch (error) {
    const { plan } = found;
    if (!isFailure(error, "refused") || plan === undefined) throw error;
    requireNoErrors(plan);
    if (error.details?.["confirmation"] !== "deletes") throw error;
    const changes = deletions(plan);
    const held = {
      plan: heldPlanId(changes),
      deletes: Number(error.details["count"]),
      allowed: Number(error.details["budget"]),
    };
    return await applyIfApproved(session, {
      options,
      context,
      held,
      changes,
      saved: plan,
      reason: error.message,
    });
  }
}

interface ApprovalRequest {
  readonly options: SessionApplyOptions;
  readonly context: ReconciliationContext;
  readonly held: NonNullable<Reconciliation["held"]>;
  /** What is approved of the plan; the rest of it needs no approval. */
  readonly changes: readonly Change[];
  readonly saved: Plan;
  /** Why it waits. */
  readonly reason: string;
}

/** Carries out a plan that somebody approved, and remembers that one waits for it where nobody did. */
async function applyIfApproved(
  session: Session,
  {
    options,
    context: { folder, now, approveCommand: approving },
    held,
    changes,
    saved,
    reason: why,
  }: ApprovalRequest,
): Promise<OutcomeVerdict> {
  const { diagnostics, author } = options;
  const approval = approvalOf(folder, held.plan, now());
  if (approval === undefined) {
    const named = changes.map(({ action, address }) => `${action} ${address}`);
    saveHeldPlan(folder, { ...held, changes: named });
    const remedy = `review the plan, then: ${approving(held.plan)}`;
    const failure = new Failure("refused", why, { remedy });
    return { ok: true, end: { result: "held", failure, held }, diagnostics };
  }
  const by = approval.reason === undefined ? approval.by : `${approval.by}: ${approval.reason}`;
  const done = outcomeOf(
    await applySession(session, {
      ...options,
      savedPlan: saved,
      allowDeletes: held.deletes,
      author: (made) => {
        const { message, ...rest } = typeof author === "function" ? author(made) : { ...author };
        return { ...rest, message: `${message}; ${held.plan} approved by ${by}` };
      },
    }),
  );
  saveHeldPlan(folder, undefined);
  return done;
}

/** Nothing is declared any more, and something is owned: a mistake as a rule, so that only an approval makes it what is meant. */
async function reconcileEmptyStack(
  source: Source,
  session: Session,
  {
    options,
    details: found,
    context,
  }: { readonly options: SessionApplyOptions } & ReconciliationRun,
): Promise<OutcomeVerdict> {
  const made = await planWithPreflight(session, { ...options, allowEmpty: true });
  if (!made.ok) return made;
  const plan = withPolicyFindings(made.plan, policyJudge(source, session));
  found.plan = plan;
  requireNoErrors(plan);
  const removed = deletions(plan);
  const changes = [...removed, ...plan.changes.filter(({ action }) => action === "forget")];
  const deletes = changes.length + countCascaded(removed);
  const held = { plan: heldPlanId(changes), deletes, allowed: 0 };
  const why = `the stack declares nothing any more; it owns ${Object.keys(made.inventory.entries).length} objects`;
  return applyIfApproved(session, { options, context, held, changes, saved: plan, reason: why });
}

function isStackEmptied({ diagnostics }: Plan): boolean {
  return diagnostics.some(({ code }) => code === "empty-input");
}

/** No approval makes up for these, so that none is asked for. */
function requireNoErrors({ diagnostics }: Plan): void {
  const [first] = diagnostics.filter(({ severity }) => severity === "error");
  if (first === undefined) return;
  const { summary, remedy = "mend what the diagnostics name" } = first;
  throw new Failure("refused", `the plan contains errors; nothing was written: ${summary}`, {
    remedy,
  });
}

function outcomeOf(carried: Awaited<ReturnType<typeof applySession>>): OutcomeVerdict {
  if (!carried.ok) return carried;
  const { applied: done, diagnostics } = carried;
  const { outcomes = [], residual = [] } = done ?? {};
  const isPartial = residual.length > 0 || outcomes.some(({ result }) => result !== "done");
  const result = outcomes.length === 0 ? "unchanged" : isPartial ? "partial" : "applied";
  return { ok: true, end: { result, applied: done }, diagnostics };
}

function policyJudge({ rules }: Source, { kinds }: Session) {
  return (plan: Plan): readonly Diagnostic[] => evaluatePolicies(plan, { rules, kinds });
}

/** Who writes, and whether that ships what was declared or puts back what somebody else changed. */
function authorOf(source: Source, plan: Plan): { readonly by: string; readonly message: string } {
  const counts = Object.entries(driftCounts(plan)).filter(([, count]) => count > 0);
  const message = counts.map(([direction, count]) => `${count} ${direction}`).join(", ");
  return { by: `svc controller ${source.name}`, message: message || "only the record" };
}

/** How many writes of a plan there are by who moved. */
export function driftCounts(
  plan: Plan,
): Readonly<Record<"pending" | "drifted" | "conflict", number>> {
  const counts = { pending: 0, drifted: 0, conflict: 0 };
  for (const { direction } of writes(plan)) counts[direction]++;
  return counts;
}

/** A bug in one source keeps no other from its rounds. */
function bugFailure(cause: unknown): Failure {
  const name = cause instanceof Error ? cause.name : typeof cause;
  return new Failure("internal", `this is a bug in svc (${name}); please report it`, { cause });
}
