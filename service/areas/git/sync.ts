// Synchronizes the branches of a deployment with its Git remote: pulls remote changes and pushes local commits.
import { Failure, isFailure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { Catalogue } from "../../accounts/version-catalogue.ts";
import type { Github } from "../../git/github.ts";
import { headReader, readHead } from "../../git/refs.ts";
import type { Remotes, RemoteSession } from "../../git/remote.ts";
import { servicePrincipal } from "../../security/principal.ts";
import type { Sealer } from "../../security/seal.ts";
import { toTimestamp } from "../../store/codec.ts";
import { isDeadlineOver } from "../../store/deadlines.ts";
import type { Db, Row } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";
import { isDeployBranch, readBranchById } from "../data-model/branches.ts";
import { readDeployment } from "../../store/deployments.ts";
import { applyChange } from "./apply.ts";
import {
  accessOf,
  type ConnectionRow,
  findConnection,
  lockConnection,
  projectRoot,
} from "../../git/connections.ts";
import { sharedBranches } from "./show-connection.ts";
import { fetchChange } from "./fetch.ts";
import { findGitBranch, recordProblem } from "./git-branches.ts";
import { pushBranch } from "./push.ts";

/** The parts of a synchronization. */
export interface SyncParts {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly remotes: Remotes;
  readonly github: Github | undefined;
  readonly catalogue: Catalogue;
  readonly now: () => Date;
  /** Starts the builds that a pull queued. */
  readonly wakeBuilder: () => void;
}

/** The errors of branches that could not be synchronized, by branch ID. */
export type SyncErrors = ReadonlyMap<number, Failure>;

/**
 * Synchronizes the branches of a deployment: all of them after a webhook, otherwise those with commits that were not
 * pushed. Records every problem, and returns them.
 */
export async function syncDeployment(
  on: SyncParts,
  deploymentId: number,
  signal: AbortSignal,
): Promise<SyncErrors> {
  const errors = new Map<number, Failure>();
  const connection = await findConnection(on.db, deploymentId);
  if (connection === undefined) return errors;
  if (isPaused(connection, on.now())) return errors;
  const pulls = connection.pull_requested > 0;
  const all = await sharedBranches(on.db, deploymentId);
  const deployment = await readDeployment(on.db, deploymentId);
  // Production is at a commit, or has what is uploaded.
  const isApart = connection.pinned_commit !== null || deployment.deploy_mode === "cli";
  const isHeld = (branch: { name: string }) => isApart && isDeployBranch({ deployment }, branch);
  const due = all.filter((one) => !isHeld(one) && (pulls || one.commit_id !== one.head_id));
  if (due.length === 0) return errors;
  // The deploy branch first: other branches may begin with its commits.
  const rank = (branch: { name: string }) => (isDeployBranch({ deployment }, branch) ? 0 : 1);
  const ordered = due.toSorted((a, b) => rank(a) - rank(b));
  const work = async (session: RemoteSession) => {
    const listedHead = headReader(
      session,
      ordered.map(({ name }) => name),
    );
    for (const { id, remote_commit } of ordered) {
      const error = await caught(on.db, { connection, branchId: id }, () =>
        syncBranch(on, session, { connection, deployment, id, remote_commit, pulls, listedHead }),
      );
      if (error) errors.set(id, error);
    }
  };
  const first = ordered[0]?.id ?? 0;
  const failed = await caught(on.db, { connection, branchId: first }, async () =>
    on.remotes.open(await accessOf(connection, on), signal, work),
  );
  if (failed) errors.set(first, failed);
  await inTransaction(on.db, (tx) =>
    recordAttempt(tx, connection, { errors: [...errors.values()], now: on.now() }),
  );
  return errors;
}

/** Returns whether the remote failed a short time ago. A conflict of a branch does not delay the others. */
function isPaused({ attempts, next_attempt_at }: ConnectionRow, now: Date): boolean {
  return attempts > 0 && !isDeadlineOver(next_attempt_at, { now, longestMs: limits.gitRetryMaxMs });
}

/** Runs a step, and records an expected failure for the branch. Returns the failure. */
async function caught(
  db: Db,
  { connection, branchId }: { connection: ConnectionRow; branchId: number },
  work: () => Promise<void>,
): Promise<Failure | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!isFailure(error) || error.code === "aborted") throw error;
    await inTransaction(db, async (tx) => {
      if (!(await lockConnection(tx, connection))) return;
      const isThere = await tx
        .selectFrom("branches")
        .select("id")
        .where("id", "=", branchId)
        .executeTakeFirst();
      if (isThere) await recordProblem(tx, branchId, error);
    });
    return error;
  }
}

async function recordAttempt(
  tx: Db,
  { id, attempts, pull_requested }: ConnectionRow,
  { errors, now }: { errors: readonly Failure[]; now: Date },
): Promise<void> {
  const isDone = errors.length === 0;
  await tx
    .updateTable("git_connections")
    .set(
      isDone
        ? { attempts: 0, next_attempt_at: null, synced_at: toTimestamp(now) }
        : pauseAfter(attempts, { errors, now }),
    )
    .where("id", "=", id)
    .execute();
  if (!isDone) return;
  // A webhook that arrived meanwhile needs another pull.
  await tx
    .updateTable("git_connections")
    .set({ pull_requested: 0 })
    .where("id", "=", id)
    .where("pull_requested", "=", pull_requested)
    .execute();
}

/** Returns when the next attempt begins. After conflicts only the scheduled job waits, because users resolve them. */
function pauseAfter(
  attempts: number,
  { errors, now }: { errors: readonly Failure[]; now: Date },
): Pick<ConnectionRow, "attempts" | "next_attempt_at"> {
  const isConflict = errors.every(({ code }) => code === "merge_conflict" || code === "conflict");
  const longest = limits.gitRetryMaxMs;
  const pause = isConflict ? longest : Math.min(limits.gitRetryFirstMs * 2 ** attempts, longest);
  const next_attempt_at = toTimestamp(now.getTime() + pause);
  return { attempts: isConflict ? 0 : attempts + 1, next_attempt_at };
}

interface BranchSync {
  readonly connection: ConnectionRow;
  readonly deployment: Row<"deployments">;
  readonly id: number;
  /** Whether to check the remote for changes if there is nothing to push. */
  readonly pulls: boolean;
  /** The commit that the branch and the remote had in common before the remote was read. */
  readonly remote_commit: string | null;
  /** Returns the last commit of a branch of the remote. */
  readonly listedHead: (branch: string) => Promise<string | undefined>;
}

async function syncBranch(
  on: SyncParts,
  session: RemoteSession,
  { connection, deployment, id, pulls, ...before }: BranchSync,
): Promise<void> {
  const root = projectRoot(deployment);
  for (let attempt = 1; attempt <= limits.gitPushAttempts; attempt++) {
    const branch = await branchWithRow(on.db, id);
    if (branch === undefined) return;
    const isPushed = branch.row?.commit_id === branch.head_id;
    // A branch that was never pushed has nothing to pull.
    if (isPushed && !(pulls && attempt === 1)) return;
    // The list is older than the state that another synchronization recorded since.
    const isSame = (branch.row?.remote_commit ?? null) === before.remote_commit;
    const head = await (isSame ? before.listedHead(branch.name) : readHead(session, branch.name));
    const change = await fetchChange(on, session, {
      branch: { ...branch, connection, head },
      root,
    });
    if (change !== undefined) {
      await inTransaction(on.db, async (tx) => {
        const within = serviceContext(on, tx, deployment);
        await applyChange(within, await readBranchById(within, id), change);
      });
      on.wakeBuilder();
    }
    const current = await branchWithRow(on.db, id);
    if (current === undefined || current.row?.commit_id === current.head_id) return;
    const pushed = { connection, branch: current, row: current.row, root, deployment };
    if (await pushBranch(on.db, session, pushed)) return;
  }
  throw new Failure("unavailable", "the Git remote changes too often; it is tried again later");
}

async function branchWithRow(db: Db, id: number) {
  const branch = await db
    .selectFrom("branches")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return branch && { ...branch, row: await findGitBranch(db, id) };
}

/** Changes of the remote have no user. */
function serviceContext({ catalogue, now }: SyncParts, db: Db, deployment: Row<"deployments">) {
  return { db, deployment, principal: servicePrincipal, catalogue, now: now() };
}
