// Runs the synchronizations of one account in this process, one at a time for each deployment.
import { isFailure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { deadlineIsOver } from "../../store/deadlines.ts";
import type { GitPushes } from "../shared/operation-handler.ts";
import { syncDeployment, type SyncErrors, type SyncParts } from "./sync.ts";

/** The synchronizations of an account. */
export interface GitSyncer extends GitPushes {
  /** Synchronizes every deployment that is due. */
  runDue(): Promise<void>;
  /** Stops running synchronizations and waits for them. */
  stop(): Promise<void>;
}

/** The synchronizations of one deployment. */
interface Runs {
  readonly current: Promise<SyncErrors>;
  /** Starts after the current one, which may have missed the newest commit. It serves all requests until it starts. */
  next: Promise<SyncErrors> | undefined;
}

const none: SyncErrors = new Map();

/** Creates the synchronizations of an account. */
export function createGitSyncer(parts: SyncParts): GitSyncer {
  const stopping = new AbortController();
  const running = new Map<number, Runs>();
  const start = (deploymentId: number): Promise<SyncErrors> => {
    const current = (
      stopping.signal.aborted
        ? Promise.resolve(none)
        : syncDeployment(parts, deploymentId, stopping.signal)
    ).finally(() => {
      if (running.get(deploymentId) === runs && runs.next === undefined) {
        running.delete(deploymentId);
      }
    });
    const runs: Runs = { current, next: undefined };
    running.set(deploymentId, runs);
    return current;
  };
  const run = (deploymentId: number): Promise<SyncErrors> => {
    const runs = running.get(deploymentId);
    if (runs === undefined) return start(deploymentId);
    runs.next ??= runs.current.then(
      () => start(deploymentId),
      () => start(deploymentId),
    );
    return runs.next;
  };
  return {
    push: async (deploymentId, branchIds) => {
      const late = new AbortController();
      // Other failures are recorded, and tried again later.
      const ended = run(deploymentId).catch((error: unknown) => {
        if (!isFailure(error)) throw error;
        return none;
      });
      try {
        const errors = await Promise.race([ended, timeout(limits.gitRemoteMs, late.signal)]);
        refuseConflict(errors, branchIds);
      } finally {
        late.abort();
        // A conflict after the time limit is recorded on the branch.
        ended.catch(() => undefined);
      }
    },
    // The scheduled job reports errors, and repeats the work that this attempt missed.
    wake: (deploymentId) => void run(deploymentId).catch(() => undefined),
    runDue: async () => {
      for (const id of await dueDeployments(parts)) {
        if (stopping.signal.aborted) return;
        await run(id).catch((error: unknown) => {
          if (!isFailure(error)) throw error;
        });
      }
    },
    stop: async () => {
      stopping.abort();
      await Promise.allSettled([...running.values()].map(({ current, next }) => next ?? current));
    },
  };
}

/** Throws the `merge_conflict` of one of the branches, if any. */
function refuseConflict(errors: SyncErrors, branchIds: readonly number[]): void {
  for (const id of branchIds) {
    const error = errors.get(id);
    if (error?.code === "merge_conflict") throw error;
  }
}

function timeout(ms: number, signal: AbortSignal): Promise<SyncErrors> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(none), ms);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
}

/** Returns the connected deployments whose last attempt did not fail a short time ago. */
async function dueDeployments({ db, now }: SyncParts): Promise<readonly number[]> {
  const rows = await db
    .selectFrom("git_connections")
    .select("deployment_id")
    .where(deadlineIsOver("next_attempt_at", { now: now(), longestMs: limits.gitRetryMaxMs }))
    .orderBy("id")
    .execute();
  return rows.map(({ deployment_id }) => deployment_id);
}
