// Runs the synchronizations of one account in this process, one at a time for each deployment.
import { isFailure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits.ts";
import { toTimestamp } from "../../store/codec.ts";
import type { GitPushes } from "../operation-handler.ts";
import { syncDeployment, type SyncParts } from "./sync.ts";

/** The synchronizations of an account. */
export interface GitSyncer extends GitPushes {
  /** Synchronizes every deployment that is due. */
  runDue(): Promise<void>;
  /** Stops running synchronizations and waits for them. */
  stop(): Promise<void>;
}

/** Creates the synchronizations of an account. */
export function createGitSyncer(parts: SyncParts): GitSyncer {
  const stopping = new AbortController();
  const running = new Map<number, Promise<void>>();
  /** Starts after the running synchronization of the deployment, which may have missed the newest commit. */
  const run = (deploymentId: number): Promise<void> => {
    const before = running.get(deploymentId) ?? Promise.resolve();
    const next = before
      .catch(() => undefined)
      .then(async () => {
        if (!stopping.signal.aborted) await syncDeployment(parts, deploymentId, stopping.signal);
      })
      .finally(() => {
        if (running.get(deploymentId) === next) running.delete(deploymentId);
      });
    running.set(deploymentId, next);
    return next;
  };
  return {
    push: async (deploymentId) => {
      const late = new AbortController();
      const ended = run(deploymentId).catch((error: unknown) => {
        // Other failures are recorded, and tried again later.
        if (isFailure(error, "merge_conflict")) throw error;
        if (!isFailure(error)) throw error;
      });
      try {
        await Promise.race([ended, timeout(limits.gitRemoteMs, late.signal)]);
      } finally {
        late.abort();
        // A conflict after the time limit is recorded on the branch.
        ended.catch(() => undefined);
      }
    },
    // The scheduled job reports errors, and repeats what this attempt missed.
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
      await Promise.allSettled(running.values());
    },
  };
}

function timeout(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
}

/** Returns the connected deployments whose last attempt did not fail a short time ago. */
async function dueDeployments({ db, now }: SyncParts): Promise<readonly number[]> {
  const rows = await db
    .selectFrom("git_connections")
    .select("deployment_id")
    .where((eb) =>
      eb.or([eb("next_attempt_at", "is", null), eb("next_attempt_at", "<=", toTimestamp(now()))]),
    )
    .orderBy("id")
    .execute();
  return rows.map(({ deployment_id }) => deployment_id);
}
