// Waits for the build of a branch, with the status on standard error.
import { setTimeout as pause } from "node:timers/promises";
import { buildStatus } from "../../api/data-model.ts";
import { Failure } from "../../core/errors.ts";
import type { AnswerOf } from "../../core/operation.ts";
import type { Client } from "../../client/types.ts";

/** The status of a build. */
export type BuildStatus = AnswerOf<typeof buildStatus>;

/** What to wait for, and how long. */
export interface BuildWait {
  readonly deploymentId: number;
  /** The active dev-mode branch, otherwise the deploy branch, if undefined. */
  readonly branchName: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Builds of small models end within the first pauses; the pause grows to this maximum. */
const [firstPauseMs, maxPauseMs] = [200, 5000];

/** Returns the status when the build has ended. Fails with `timeout`. */
export async function waitForBuild(
  client: Client,
  { deploymentId, branchName, timeoutMs, signal }: BuildWait,
): Promise<BuildStatus> {
  const until = performance.now() + timeoutMs;
  const query = branchName === undefined ? {} : { branchName };
  for (let wait = firstPauseMs; ; wait = Math.min(wait * 1.5, maxPauseMs)) {
    const status = await client.reader.call(buildStatus, { params: { deploymentId }, query });
    const isEnded = status.status !== "building" && status.status !== "warmup";
    // A branch that no environment serves has no build.
    if (isEnded || status.buildJobId === undefined) return status;
    if (performance.now() >= until) {
      throw new Failure(
        "timeout",
        `the build did not end within ${Math.round(timeoutMs / 1000)} seconds`,
        {
          remedy: "It continues on the server. Look at its status later, or raise --timeout.",
        },
      );
    }
    await pause(wait, undefined, { signal }).catch(() => {
      throw new Failure("aborted", "the wait was interrupted; the build continues on the server");
    });
  }
}
