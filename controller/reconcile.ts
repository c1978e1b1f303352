// Reconciles one source: checks out its commit, plans, and in apply mode applies. Errors become results.
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Diagnostic } from "../core/diagnostics.ts";
import { Failure, isFailure } from "../core/errors.ts";
import { commitAt, openSession, type Session, sharedManifests } from "../reconciler/sessions.ts";
import { connectionOf, type Source } from "./config.ts";
import { pipelineDocumentType } from "../promotion/index.ts";
import { planAndApply, planOnly } from "./plan-and-apply.ts";
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
  const end = await runReconciliation(source, { context, details });
  if (end === undefined) return undefined;
  return {
    source: source.name,
    mode: source.mode,
    at: startedAt.toISOString(),
    seconds: (clock.monotonicMs() - startedMs) / 1000,
    commit: details.commit,
    plan: details.plan,
    diagnostics: details.diagnostics,
    applied: undefined,
    failure: undefined,
    held: undefined,
    approved: undefined,
    suspension: undefined,
    opens: undefined,
    ...end,
  };
}

async function runReconciliation(
  source: Source,
  run: ReconciliationRun,
): Promise<ReconciliationOutcome | undefined> {
  const { context, details } = run;
  try {
    const suspension = context.suspension(context.clock.now());
    if (suspension !== undefined) return { result: "suspended", suspension };
    const at = await checkoutSource(source, run);
    if (at === undefined) return undefined;
    details.commit = at.commit;
    if (context.shouldReconcile?.(at.commit) === false) return undefined;
    const connection = connectionOf(source, context.env);
    return await context.reconciliations(connection.url, () =>
      reconcileCommit(source, { folder: at.folder, connection }, run),
    );
  } catch (error) {
    const failure = isFailure(error) ? error : bugFailure(error);
    if (failure.code === "aborted") return { result: "stopped", failure };
    if (failure.code !== "window_closed") return { result: "failed", failure };
    const opens = failure.details?.["opens"];
    return { result: "closed", failure, ...(typeof opens === "string" && { opens }) };
  }
}

/** Checks out the source; undefined if its commit is skipped. The commit is recorded before the fetch, which may fail. */
async function checkoutSource(
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
function loadOptions(
  { git, variables, grants, mode }: Source,
  folder: string,
  { env, kinds, components = [], previewsApply }: ReconciliationContext,
): LoadOptions {
  const purpose = mode === "plan" && previewsApply !== true ? "compare" : "run";
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
  { folder, connection }: { readonly folder: string; readonly connection: Connection },
  { context, details }: ReconciliationRun,
): Promise<ReconciliationOutcome> {
  const { signal, clock, parseCache } = context;
  const options: VerbOptions = {
    ...loadOptions(source, folder, context),
    connection,
    signal,
    now: () => clock.now(),
    parseCache,
    createsKey: source.mode === "apply",
  };
  const read = await loadStack(options);
  const other = stackNameMismatch(source, read);
  details.diagnostics = other === undefined ? read.diagnostics : [...read.diagnostics, other];
  if (other !== undefined) return { result: "invalid" };
  const loaded = source.git === undefined ? read : withStateFolder(read, context.folder);
  const opened = await openSession(options, loaded);
  const verdict = opened.ok
    ? await reconcileSession(source, opened.session, { options, details, context })
    : opened;
  if (verdict.ok) return verdict.end;
  details.diagnostics = verdict.diagnostics;
  return { result: "invalid" };
}

async function reconcileSession(
  source: Source,
  opened: Session,
  run: Parameters<typeof planAndApply>[2],
): ReturnType<typeof planAndApply> {
  await using session = opened;
  return source.mode === "plan"
    ? await planOnly(source, session, run)
    : await planAndApply(source, session, run);
}

/**
 * Refuses a Stack with an unexpected name: the name selects the inventory, so the repository could use the inventory of
 * another stack.
 */
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
    summary: `the source ${name} expects the Stack ${wanted}, but its Stack is named ${called}`,
    remedy: `Rename the Stack to ${wanted}, or have the operator set stack: ${called} in the source.`,
    ...(namedAt !== undefined && { place: namedAt }),
  };
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
