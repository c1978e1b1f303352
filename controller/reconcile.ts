// Reconciles one source: checks out its commit, plans, and in apply mode applies. Errors become results.
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Diagnostic } from "../core/diagnostics.ts";
import { Failure, isFailure } from "../core/errors.ts";
import { commitAt, openSession, type Session, sharedManifests } from "../reconciler/sessions.ts";
import { connectionOf, type Source } from "./config.ts";
import { pipelineDocumentType, runHealthChecks } from "../promotion/index.ts";
import { isSettled } from "./dependencies.ts";
import { planAndApply, planOnly } from "./plan-and-apply.ts";
import { healthOf } from "./history.ts";
import { isStateFailure } from "./postgres-store.ts";
import { readPromotions } from "./promotions.ts";
import type { Round } from "./rounds.ts";
import type { Span, Tracer } from "./traces.ts";
import { removedWarnings } from "./pattern-sources.ts";
import type {
  Reconciliation,
  ReconciliationContext,
  ReconciliationDetails,
  ReconciliationOutcome,
  ReconciliationRun,
} from "./reconciliation.ts";
import {
  type Connection,
  type LoadOptions,
  type ResolveResult,
  type VerbOptions,
  loadStack,
} from "../reconciler/index.ts";

/** Reconciles a source once. Returns undefined if `shouldReconcile` skipped it. */
export async function reconcile(
  source: Source,
  context: ReconciliationContext,
): Promise<Reconciliation | undefined> {
  const { clock } = context;
  const [startedAt, startedMs] = [clock.now(), clock.monotonicMs()];
  const details: ReconciliationDetails = { diagnostics: [] };
  await using round = context.rounds?.begin(source.name, context.documents);
  let phase: string | undefined;
  const enter: Round["enter"] = (next, url) => {
    if (next !== phase) context.tracer?.phase(next);
    round?.enter(next, url);
    phase = next;
  };
  const end = await inSpan(context.tracer, source, async (span) => {
    const outcome = await runReconciliation(source, { context, details, enter });
    const { result = "skipped", failure } = outcome ?? {};
    span?.set({ "svc.result": result, "svc.commit": details.commit, "error.type": failure?.code });
    if (outcome !== undefined && healthOf(outcome) === "failing")
      span?.fail(failure?.code ?? result);
    return outcome;
  });
  if (end === undefined) return undefined;
  return {
    source: source.name,
    mode: source.mode,
    at: startedAt.toISOString(),
    seconds: (clock.monotonicMs() - startedMs) / 1000,
    commit: details.commit,
    plan: details.plan,
    planId: details.planId,
    promotions: details.promotions,
    diagnostics: details.diagnostics,
    applied: undefined,
    failure: undefined,
    held: undefined,
    checks: undefined,
    waitsFor: undefined,
    expanded: undefined,
    approved: undefined,
    suspension: undefined,
    opens: undefined,
    ...end,
  };
}

function inSpan<T>(
  tracer: Tracer | undefined,
  { name, mode }: Source,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return work(undefined);
  return tracer.run("reconcile", { "svc.source": name, "svc.mode": mode }, work);
}

async function runReconciliation(
  source: Source,
  run: ReconciliationRun,
): Promise<ReconciliationOutcome | undefined> {
  const { context, details, enter } = run;
  try {
    const suspension = await context.suspension(context.clock.now());
    if (suspension !== undefined) return { result: "suspended", suspension };
    enter?.("fetch", source.git?.url);
    if (context.expand !== undefined) return await expandPattern(context.expand, run);
    const at = await checkoutSource(source, run);
    if (at === undefined) return undefined;
    details.commit = at.commit;
    if (context.shouldReconcile?.(at.commit) === false) return undefined;
    const wait = await context.waitOf?.(at.commit);
    if (wait !== undefined) {
      const { failure, ...waitsFor } = wait;
      return { result: failure.code === "timeout" ? "failed" : "waiting", failure, waitsFor };
    }
    const connection = connectionOf(source, context.env);
    context.tracer?.traceCalls(connection.url);
    enter?.("queue", connection.url);
    await using resources = new AsyncDisposableStack();
    const { end, session } = await context.reconciliations(connection.url, () =>
      reconcileCommit(source, { folder: at.folder, connection, resources }, run),
    );
    // Outside of the queue, because a build takes minutes.
    return session === undefined ? end : await checkHealth(source, { session, end }, run);
  } catch (error) {
    const failure = isFailure(error) ? error : bugFailure(error);
    if (failure.code === "aborted" || isStateFailure(error)) return { result: "stopped", failure };
    if (failure.code !== "window_closed") return { result: "failed", failure };
    const opens = failure.details?.["opens"];
    return { result: "closed", failure, ...(typeof opens === "string" && { opens }) };
  }
}

/** Looks up the folders of a pattern; undefined if its commit is skipped. */
async function expandPattern(
  expand: NonNullable<ReconciliationContext["expand"]>,
  { context: { signal, since, shouldReconcile }, details }: ReconciliationRun,
): Promise<ReconciliationOutcome | undefined> {
  const wants = (commit: string): boolean => {
    details.commit = commit;
    return shouldReconcile?.(commit) !== false;
  };
  const expanded = await expand({ signal, since, wants });
  if (expanded === undefined) return undefined;
  const { errors, removed } = expanded;
  details.diagnostics = [...errors, ...removedWarnings(removed, details.commit ?? "")];
  return { result: errors.length > 0 ? "invalid" : "unchanged", expanded };
}

/** Runs the health checks of a source once nothing is left to apply. */
async function checkHealth(
  { name, mode, healthChecks, grants }: Source,
  { session, end }: { readonly session: Session; readonly end: ReconciliationOutcome },
  { context: { clock, env, signal }, enter }: ReconciliationRun,
): Promise<ReconciliationOutcome> {
  if (healthChecks.length === 0 || !isSettled({ mode, result: end.result })) return end;
  enter?.("health");
  try {
    const evidence = await runHealthChecks(
      session,
      { name, checks: healthChecks },
      {
        grants: { origins: [], commands: {}, ...grants.checks },
        env,
        signal,
        now: () => clock.now(),
        mask: () => "",
      },
    );
    const checks = evidence.map(({ check, passed, message }) => ({ check, passed, message }));
    const wrong = checks.find(({ passed }) => !passed);
    if (wrong === undefined) return { ...end, checks };
    const failure = new Failure("refused", `${wrong.check} ${wrong.message}`);
    return { ...end, result: "unhealthy", failure, checks };
  } catch (error) {
    if (!isFailure(error) || error.code === "aborted") throw error;
    return { ...end, result: "unhealthy", failure: error };
  }
}

/** Checks out the source, or names its folder; undefined if its commit is skipped. The commit is recorded before the fetch, which may fail. */
export async function checkoutSource(
  source: Source,
  { context, details }: ReconciliationRun,
): Promise<{ readonly folder: string; readonly commit: string | undefined } | undefined> {
  const { checkout, signal, since, shouldReconcile } = context;
  const { folder = "" } = source;
  if (checkout === undefined) return { folder, commit: commitAt(folder) };
  return checkout({
    signal,
    since,
    wants: (commit) => {
      details.commit = commit;
      return shouldReconcile?.(commit) !== false;
    },
    sharedManifests: (at) => sharedManifests(loadOptions(source, at, context)),
  });
}

/** Returns how to load the Stack of a source from a folder. Places of manifests begin at the root of its repository. */
export function loadOptions(
  { git, variables, grants, mode }: Source,
  folder: string,
  { env, kinds, components = [], previews }: ReconciliationContext,
): LoadOptions {
  const purpose = mode === "plan" && previews === undefined ? "compare" : "run";
  const documentTypes = [pipelineDocumentType];
  const cwd = git === undefined ? folder : path.resolve(folder, path.relative(git.path, ""));
  return {
    paths: [folder],
    cwd,
    kinds,
    components,
    documentTypes,
    variables,
    grants,
    env,
    purpose,
  };
}

async function reconcileCommit(
  source: Source,
  {
    folder,
    connection,
    resources,
  }: {
    readonly folder: string;
    readonly connection: Connection;
    /** Closes the session. */
    readonly resources: AsyncDisposableStack;
  },
  { context, details, enter }: ReconciliationRun,
): Promise<{ readonly end: ReconciliationOutcome; readonly session?: Session }> {
  const { signal, clock, parseCache } = context;
  const now = (): Date => clock.now();
  const options: VerbOptions & { readonly now: typeof now } = {
    ...loadOptions(source, folder, context),
    connection,
    signal,
    now,
    parseCache,
    progress: (event) => {
      if (event.event === "phase")
        enter?.(event.phase === "read" ? "plan" : event.phase, connection.url);
    },
    createsKey: source.mode !== "plan",
  };
  enter?.("load");
  const read = await loadStack(options);
  const other = stackNameMismatch(source, read);
  details.diagnostics = other === undefined ? read.diagnostics : [...read.diagnostics, other];
  if (other !== undefined) return { end: { result: "invalid" } };
  const loaded = source.git === undefined ? read : withStateFolder(read, context.folder);
  // Before it reads, it asks what the server offers.
  enter?.("plan", connection.url);
  const opened = await openSession(options, loaded);
  const act = source.mode === "plan" ? planOnly : planAndApply;
  const session = opened.ok ? resources.use(opened.session) : undefined;
  if (session !== undefined && context.hasReplicas === true) refuseLocalFiles(session);
  const verdict =
    session === undefined ? opened : await act(source, session, { options, details, context });
  if (session !== undefined && context.readsPromotions === true)
    details.promotions = await readPromotions(source, session, options);
  if ("end" in verdict) return { end: verdict.end, ...(session && { session }) };
  details.diagnostics = verdict.diagnostics;
  return { end: { result: "invalid" } };
}

/**
 * Refuses a Stack with an unexpected name: the name selects the inventory, so the repository could use the inventory of
 * another stack.
 */
export function stackNameMismatch(
  { name, stack: wanted }: Source,
  { desired }: ResolveResult,
): Diagnostic | undefined {
  if (desired === undefined || desired.stack.name === wanted) return undefined;
  const { name: called, namePlace: namedAt } = desired.stack;
  return {
    code: "stack-name-mismatch",
    severity: "error",
    address: `Stack/${called}`,
    summary: `the source ${name} expects the Stack ${wanted}, but its Stack is named ${called}`,
    remedy: `Rename the Stack to ${wanted}, or have the operator set stack: ${called} in the source.`,
    ...(namedAt !== undefined && { place: namedAt }),
  };
}

/** Fails with `refused` for what a stack would keep in files of this machine, which other replicas do not see. */
function refuseLocalFiles({ desired, store }: Session): void {
  const { name, inventoryFile } = desired.stack;
  const why = "which the replicas of a controller do not share";
  if (store.location === inventoryFile) {
    throw new Failure("refused", `the inventory of the Stack ${name} is a file, ${why}`, {
      remedy: "Write `inventory: service` or `inventory: postgres` into the Stack.",
    });
  }
  const writer = desired.objects.find(({ secretTo }) => secretTo !== undefined);
  if (writer === undefined) return;
  const what = `the secret of ${writer.address} is written to the file ${writer.secretTo}`;
  throw new Failure("refused", `${what}, ${why}`, {
    remedy: "Apply this stack with a controller without `database`.",
  });
}

/** Moves the inventory and generated secrets of a stack into the state folder, because a checkout is temporary and a commit could change them. */
function withStateFolder({ desired, diagnostics }: ResolveResult, state: string): ResolveResult {
  if (desired === undefined) return { desired, diagnostics };
  const folder = path.join(state, "kept");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const inventoryFile = path.join(folder, ".svc", `${desired.stack.name}.inventory.json`);
  return {
    desired: {
      ...desired,
      stack: { ...desired.stack, folder, stateFolder: folder, inventoryFile },
    },
    diagnostics,
  };
}

/** Returns a failure for an unexpected error, so that other sources continue. */
function bugFailure(cause: unknown): Failure {
  const name = cause instanceof Error ? cause.name : typeof cause;
  return new Failure("internal", `this is a bug in svc (${name}); please report it`, { cause });
}
