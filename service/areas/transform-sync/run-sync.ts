// Runs one claimed sync: fetches the manifest, generates the model files, and stores them on a branch.
import { Failure, isFailure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { Catalogue } from "../../accounts/version-catalogue.ts";
import { readTextFile } from "../../git/files.ts";
import { fetchCommit, resolveRef } from "../../git/refs.ts";
import type { Remotes } from "../../git/remote.ts";
import type { ModelCompiler } from "../../model/compiler.ts";
import type { GeneratedModel } from "../../model/generate-model.ts";
import { servicePrincipal } from "../../security/principal.ts";
import type { Sealer } from "../../security/seal.ts";
import { toJson, toShortText, toTimestamp } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";
import { changeBranch, commitFiles, forkBranch } from "../data-model/branch-changes.ts";
import {
  type BranchContext,
  deployBranch,
  findBranch,
  isDeployBranch,
} from "../data-model/branches.ts";
import { normalizePath } from "../data-model/paths.ts";
import { readTree, storeContentsInBatches, storeTree, type TreeFile } from "../data-model/trees.ts";
import { readDeployment } from "../../store/deployments.ts";
import { accessOf, readIntegration } from "./integration.ts";
import {
  changeRun,
  recordCancelled,
  releaseRun,
  retryRun,
  type SyncPhase,
  type SyncRow,
  type SyncStage,
} from "./runs.ts";

/** The services that syncs of an account use. */
export interface SyncParts {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly remotes: Remotes;
  readonly compiler: ModelCompiler;
  readonly catalogue: Catalogue;
  readonly now: () => Date;
  /** Pushes the branch of a deployment, if it is connected to a Git remote. */
  readonly wakePush: (deploymentId: number) => void;
}

/** A running sync. */
interface Attempt {
  readonly on: SyncParts;
  readonly run: SyncRow;
  readonly signal: AbortSignal;
  readonly phases: SyncPhase[];
  /** Milliseconds since the attempt began, by a monotonic clock. */
  readonly elapsed: () => number;
}

/** Runs a sync to its end. `isStopping` returns whether the server caused an abort. */
export async function runSync(
  on: SyncParts,
  run: SyncRow,
  { signal, isStopping }: { signal: AbortSignal; isStopping: () => boolean },
): Promise<void> {
  const from = performance.now();
  const elapsed = () => Math.round(performance.now() - from);
  const attempt: Attempt = { on, run, signal, phases: [], elapsed };
  try {
    const { text, change } = await manifestOf(attempt);
    const generated = await inPhase(
      attempt,
      { phase: "compile", stage: "PROCESSING_MANIFEST", columns: change },
      () => on.compiler.generate(text, signal),
    );
    await inPhase(attempt, { phase: "write", stage: "WRITING_MODEL_FILES" }, (end) =>
      writeFiles(attempt, generated, end),
    );
    if (run.output === "branch") on.wakePush(run.deployment_id);
  } catch (error) {
    await endFailed(attempt, { error, isStopping: isStopping() });
  }
}

async function endFailed(
  { on: { db, now }, run, phases, elapsed }: Attempt,
  { error, isStopping }: { error: unknown; isStopping: boolean },
): Promise<void> {
  const durationMs = elapsed();
  if (isFailure(error, "aborted")) {
    await inTransaction(db, (tx) =>
      isStopping ? releaseRun(tx, run) : recordCancelled(tx, run, { phases, durationMs }),
    );
    return;
  }
  const reason =
    error instanceof Failure ? error.message : "the sync failed because of an internal error";
  const failed = phases.find(({ outcome }) => outcome === "failed");
  // The host was too busy, which is not the fault of the project.
  const isTemporary = failed?.phase === "compile" && isFailure(error, "unavailable");
  if (isTemporary && (await inTransaction(db, (tx) => retryRun(tx, run)))) return;
  const change = {
    status: "FAILED",
    stage: "FAILED",
    error_text: toShortText(reason, limits.syncErrorLength),
    failed_phase: failed?.phase ?? null,
    completed_at: toTimestamp(now()),
    duration_ms: durationMs,
    phases,
  };
  await inTransaction(db, (tx) => changeRun(tx, run, { change, now: now() })).catch(ifCancelled);
  if (!(error instanceof Failure)) throw error;
}

/** A sync that was cancelled meanwhile stays cancelled. */
function ifCancelled(error: unknown): void {
  if (!isFailure(error, "aborted")) throw error;
}

type RunColumns = Partial<Pick<SyncRow, "head_sha" | "git_ref">>;

/** Returns the end of a phase that is recorded together with its work. */
type EndPhase = () => SyncPhase;

/** The start of a phase, and the values of the sync that are known by then. */
interface PhaseStart {
  readonly phase: SyncPhase["phase"];
  readonly stage: SyncStage;
  readonly columns?: RunColumns;
}

/** Runs a phase, and records how long it took. Throws `aborted` if the sync was cancelled. */
async function inPhase<T>(
  { on: { db, now }, run, phases, elapsed, signal }: Attempt,
  { phase, stage, columns = {} }: PhaseStart,
  work: (end: EndPhase) => Promise<T>,
): Promise<T> {
  const change = { stage, ...columns, phases };
  await inTransaction(db, (tx) => changeRun(tx, run, { change, now: now() }));
  const startedOffsetMs = elapsed();
  const ended = (outcome: SyncPhase["outcome"]): SyncPhase => {
    const durationMs = elapsed() - startedOffsetMs;
    return { phase, startedOffsetMs, durationMs, outcome, at: now().toISOString() };
  };
  try {
    if (signal.aborted) throw new Failure("aborted", "the sync was stopped");
    const result = await work(() => ended("ok"));
    phases.push(ended("ok"));
    return result;
  } catch (error) {
    phases.push(ended("failed"));
    throw error;
  }
}

/**
 * Returns the manifest of the request, or the manifest at the ref in the repository, with the known values of the ref.
 */
async function manifestOf(
  attempt: Attempt,
): Promise<{ readonly text: string; readonly change: RunColumns }> {
  const { on, run, signal } = attempt;
  if (run.manifest !== null) return { text: run.manifest, change: {} };
  return inPhase(attempt, { phase: "repo-clone", stage: "UPLOADING_PROJECT" }, async () => {
    const integration = await readIntegration(on.db, run.deployment_id);
    const { project_root: root, manifest_path } = integration;
    const path = root === "" ? manifest_path : `${root}/${manifest_path}`;
    return on.remotes.open(accessOf(integration, on.sealer), signal, async (session) => {
      const commit = await resolveRef(session, run.git_ref ?? undefined);
      await fetchCommit(session, commit);
      const maxBytes = limits.syncManifestBytes;
      const text = await readTextFile(session, commit, { path, maxBytes });
      return { text, change: { head_sha: commit } };
    });
  });
}

/** Stores the files and ends the sync, in one transaction, so that a cancelled sync does not change a branch. */
async function writeFiles(
  { on, run, phases, elapsed }: Attempt,
  { files, stats }: GeneratedModel,
  end: EndPhase,
): Promise<void> {
  const { db, now } = on;
  const contents = files.map(({ path, content }) => {
    const full = run.output === "branch" ? `${run.output_path}/${path}` : path;
    // A file is named after its model.
    return [normalizePath(full), Buffer.from(content)] as const;
  });
  const stored = await storeContentsInBatches(db, contents, now);
  const paths = [...stored.keys()];
  await inTransaction(db, async (tx) => {
    const tree_id =
      run.output === "files" ? await storeFiles(on, tx, { run, files: stored }) : null;
    if (run.output === "branch") await storeOnBranch(on, tx, { run, files: stored });
    // First, so that the duration of the sync covers its phases.
    const ended = [...phases, end()];
    const change = {
      status: "COMPLETED",
      stage: "COMPLETED",
      stats: toJson({ ...stats, cubeCount: paths.length, generatedFileCount: paths.length }),
      paths: toJson(paths),
      tree_id,
      completed_at: toTimestamp(now()),
      duration_ms: elapsed(),
      phases: ended,
    };
    await changeRun(tx, run, { change, now: now() });
  });
}

interface Written {
  readonly run: SyncRow;
  readonly files: ReadonlyMap<string, TreeFile>;
}

async function storeFiles(on: SyncParts, tx: Db, { run, files }: Written): Promise<number> {
  const { id } = await storeTree(tx, files, { deploymentId: run.deployment_id, now: on.now() });
  return id;
}

/**
 * Commits the files to the branch, where they replace the files of an earlier sync. Creates it from the deploy branch.
 * All pushes share a branch. A push that changes no file creates neither a branch nor a commit.
 */
async function storeOnBranch(on: SyncParts, tx: Db, { run, files }: Written): Promise<void> {
  const within: BranchContext = {
    db: tx,
    deployment: await readDeployment(tx, run.deployment_id),
    principal: { ...servicePrincipal, userId: run.user_id ?? 0 },
    catalogue: on.catalogue,
    now: on.now(),
  };
  const isPushed = run.trigger_name === "webhook";
  const existing = isPushed ? await findBranch(within, run.branch_name) : undefined;
  if (existing && isDeployBranch(within, existing)) {
    const text = `pushes to ${run.git_ref} change the branch ${existing.name}, which is the deploy branch; choose another deploy branch`;
    throw new Failure("conflict", text);
  }
  const from = existing ?? (await deployBranch(within));
  const kept = [...(await readTree(tx, from.tree_id))].filter(
    ([path]) => !path.startsWith(`${run.output_path}/`),
  );
  const { id: treeId } = await storeTree(tx, new Map([...kept, ...files]), {
    deploymentId: run.deployment_id,
    now: on.now(),
  });
  const isSame = treeId === from.tree_id;
  if (isSame && isPushed) return;
  const branch =
    existing ?? (await forkBranch(within, { name: run.branch_name, from, isDev: false }));
  if (isSame) return;
  const message = `Sync ${run.git_ref ?? run.source} of the transformation project`;
  const head = await commitFiles(within, branch, { treeId, message });
  await changeBranch(within, branch, { treeId, head });
}
