// Waits for the build of a branch, with its status and its log lines on standard error.
import { setTimeout as pause } from "node:timers/promises";
import { buildStatus } from "../../../api/data-model.ts";
import { listLogs } from "../../../api/logs.ts";
import { Failure } from "../../../core/errors.ts";
import type { AnswerOf } from "../../../core/operation/operation.ts";
import type { Client } from "../../../client/types.ts";
import type { StatusLine } from "../output/status-line.ts";

/** The status of a build. */
export type BuildStatus = AnswerOf<typeof buildStatus>;

/** The build to wait for, and the timeout. */
export interface BuildWait {
  readonly deploymentId: number;
  /** The active dev-mode branch, otherwise the deploy branch, if undefined. */
  readonly branchName: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Shows the status and the log lines. */
  readonly statusLine: StatusLine;
  /** Whether the command started the build, so that its log is new also if it has ended. */
  readonly isNew: boolean;
  /** How long a build that has not begun is waited for; 0 if none is expected. */
  readonly graceMs: number;
}

/** Statuses that no later one follows. Unknown ones mean that the build still runs. */
const final: ReadonlySet<string> = new Set(["built", "failed", "cancelled"]);
/** Statuses of a branch without a build, which may be about to begin. */
const idle: ReadonlySet<string> = new Set(["none", "stopped"]);

/** Returns whether no environment serves the branch, so that it is not built. */
export function isUnserved({ status, errorText }: BuildStatus): boolean {
  return status === "building" && errorText === "Branch is not active";
}

/** Returns why a wait did not end with a build, in a line. */
export function buildFailureText(status: BuildStatus): string | undefined {
  if (status.status === "built") return undefined;
  const { branchName, errorText = "" } = status;
  if (isUnserved(status)) return `no environment serves the branch ${branchName}; it is not built`;
  if (idle.has(status.status)) return `the branch ${branchName} has no build: ${status.status}`;
  const [first] = errorText.split("\n", 1);
  return `the build of ${branchName} ${status.status}${first ? `: ${first}` : ""}`;
}

/** Builds of small models end within the first pauses; the pause grows to this maximum. */
const [firstPauseMs, maxPauseMs] = [200, 5000];

/** Returns the status when the build has ended. Fails with `timeout`, and with `not_found` for an unknown branch. */
export async function waitForBuild(
  client: Client,
  { deploymentId, branchName, timeoutMs, signal, statusLine, isNew, graceMs }: BuildWait,
): Promise<BuildStatus> {
  const started = performance.now();
  const query = branchName === undefined ? {} : { branchName };
  const showLog = buildLog(client, deploymentId, statusLine);
  let showsLog = isNew;
  for (let wait = firstPauseMs; ; wait = Math.min(wait * 1.5, maxPauseMs)) {
    const status = await client.reader.call(buildStatus, { params: { deploymentId }, query });
    requireBranch(status, deploymentId);
    const elapsed = performance.now() - started;
    const isIdle = idle.has(status.status);
    const isEnded =
      final.has(status.status) || isUnserved(status) || (isIdle && elapsed >= graceMs);
    showsLog ||= !isEnded && !isIdle;
    if (showsLog && status.buildJobId !== undefined) await showLog(status);
    if (isEnded) {
      statusLine.clear();
      return status;
    }
    statusLine.show(`${status.branchName}: ${status.status} … ${Math.round(elapsed / 1000)} s`);
    if (elapsed >= timeoutMs) throw timeoutOf(timeoutMs);
    await pause(wait, undefined, { signal }).catch(() => {
      throw new Failure("aborted", "the wait was interrupted; the build continues on the server");
    });
  }
}

/** Fails for a branch that does not exist, which the server reports as a status. */
function requireBranch({ status, errorText, branchName }: BuildStatus, deploymentId: number): void {
  if (status !== "building" || errorText !== "Bad branch") return;
  throw new Failure("not_found", `there is no branch ${JSON.stringify(branchName)}`, {
    remedy: `List the branches with \`svc branches list ${deploymentId}\`.`,
  });
}

function timeoutOf(timeoutMs: number): Failure {
  return new Failure(
    "timeout",
    `the build did not end within ${Math.round(timeoutMs / 1000)} seconds`,
    { remedy: "It continues on the server. Look at its status later, or raise --timeout." },
  );
}

/** Log lines that one look at the log reads: a build writes few, and errors of a model are in its status too. */
const linesRead = 50;

/** Returns a function that prints the lines of a build that it has not printed, oldest first. */
function buildLog(
  client: Client,
  deploymentId: number,
  statusLine: StatusLine,
): (status: BuildStatus) => Promise<void> {
  let printed = 0;
  let mayRead = true;
  return async ({ buildJobId, mode, errorText = "" }) => {
    if (!mayRead) return;
    const source = mode === "production" ? ("production" as const) : ("dev" as const);
    const query = { source, container: "svcjs-server" as const, first: linesRead };
    try {
      const { items } = await client.reader.page(listLogs, { params: { deploymentId }, query });
      const begin = `build ${buildJobId}: `;
      const own = items.filter(({ message }) => message.startsWith(begin));
      // The errors of a model are in the result of the command.
      const errors = new Set(errorText.split("\n"));
      for (const { message } of own.toReversed().slice(printed)) {
        if (!errors.has(message.slice(begin.length))) statusLine.note(message);
      }
      printed = own.length;
    } catch (error) {
      // The log explains the wait; a user who may not read it still learns how the build ends.
      if (!(error instanceof Failure) || error.code === "aborted") throw error;
      mayRead = false;
    }
  };
}
