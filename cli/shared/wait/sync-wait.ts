// Waits for a sync of a transformation project. Returns the known state also if the sync, or the wait for it, failed.
import { setTimeout as pause } from "node:timers/promises";
import { getSyncResult, getSyncStatus } from "../../../api/transform-sync.ts";
import type { Client } from "../../../client/types.ts";
import { Failure, isFailure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { AnswerOf } from "../../../core/operation/operation.ts";

/** The sync to wait for, and the timeout. */
export interface SyncWait {
  readonly deploymentId: number;
  readonly syncJobId: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Prints the activity of the sync, each time that it changes. */
  readonly info: (text: () => string) => void;
}

/** The outcome of a sync, as JSON. */
export interface SyncOutcome {
  readonly answer: JsonObject;
  readonly isFailed: boolean;
}

type Status = AnswerOf<typeof getSyncStatus>;

/** Returns the outcome when the sync has ended, or could not be followed any longer; then `status` is the last known one. */
export async function waitForSync(client: Client, wait: SyncWait): Promise<SyncOutcome> {
  const { syncJobId } = wait;
  let last: Status | undefined;
  let error: string | null = null;
  let result: JsonObject | null = null;
  let shown = "";
  try {
    last = await followSync(client, wait, (status) => {
      last = status;
      const text = progressText(status);
      if (text !== shown) wait.info(() => text);
      shown = text;
    });
    if (last.status === "COMPLETED") result = await readResult(client, wait);
    else if (!isFinal(last))
      error = `the sync did not end within ${Math.round(wait.timeoutMs / 1000)} seconds`;
  } catch (cause) {
    if (!isFailure(cause) || cause.code === "aborted") throw cause;
    error = cause.message;
  }
  const isCompleted = error === null && last?.status === "COMPLETED";
  const { status = null, error: reason, progress: _progress, ...known } = last ?? {};
  return {
    answer: { syncJobId, ...known, status, error: error ?? reason ?? null, result },
    isFailed: !isCompleted,
  };
}

/** Returns the status and the stage of a sync. */
function progressText({ status, progress }: Status): string {
  const { stage, message } = progress ?? {};
  return ["sync", status.toLowerCase(), stage?.toLowerCase(), message].filter(Boolean).join(": ");
}

/** Statuses that no later one follows. Unknown ones mean that the sync still runs. */
function isFinal({ status }: Status): boolean {
  return status === "COMPLETED" || status === "FAILED";
}

/** Asks for the status until it is final or the time is over. */
async function followSync(
  client: Client,
  { deploymentId, syncJobId, timeoutMs, signal }: SyncWait,
  onStatus: (status: Status) => void,
): Promise<Status> {
  const from = performance.now();
  const params = { deploymentId, syncJobId };
  let wait: number = limits.syncPollFirstMs;
  for (;;) {
    const elapsed = performance.now() - from;
    const status = await client.reader.call(getSyncStatus, { params }).catch((error: unknown) => {
      // A server may not know a sync that it has just started.
      const isNew = elapsed < Math.min(limits.syncKnownMs, timeoutMs);
      if (isFailure(error, "not_found") && isNew) return undefined;
      throw error;
    });
    if (status !== undefined) {
      onStatus(status);
      if (isFinal(status) || elapsed >= timeoutMs) return status;
    }
    await pauseFor(wait, signal);
    wait = Math.min(wait * 1.5, limits.syncPollMaxMs);
  }
}

/** Returns the result, which a server may not have for a moment after the sync completed. */
async function readResult(
  client: Client,
  { deploymentId, syncJobId, signal }: SyncWait,
): Promise<JsonObject | null> {
  const params = { deploymentId, syncJobId };
  for (let attempt = 0; attempt < resultAttempts; attempt++) {
    try {
      return { ...(await client.reader.call(getSyncResult, { params })) };
    } catch (error) {
      if (!isFailure(error, "not_found")) throw error;
    }
    await pauseFor(limits.syncPollFirstMs, signal);
  }
  return null;
}

const resultAttempts = 10;

async function pauseFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch(() => {
    throw new Failure("aborted", "the wait was interrupted; the sync continues on the server");
  });
}
