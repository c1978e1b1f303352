// Runs the checks of a stage, HTTP requests, granted commands and API checks, with bounded concurrency.
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import pLimit from "p-limit";
import { Failure, isFailure } from "../core/errors.ts";
import { systemErrorText } from "../core/system/system-error.ts";
import { limits } from "../core/limits/limits.ts";
import { durationText } from "../core/text/duration.ts";
import type { CheckGrants } from "../reconciler/sessions.ts";
import { grantedCommand, ungrantedCommand } from "./check-commands.ts";
import { sendCheckRequest } from "./check-requests.ts";
import type { Check, Stage } from "./pipeline.ts";
import type { CheckResult, Evidence } from "./record.ts";
import { isUrlOfDeployments, urlFor } from "./check-url.ts";
import type { StageObject } from "./snapshot.ts";

/** The stage, version and objects to check. */
export interface CheckTarget {
  readonly stage: Pick<Stage, "name" | "checks">;
  readonly version: string;
  readonly objects: readonly StageObject[];
}

/** Time limits in milliseconds of checks that declare no timeout. */
export interface CheckTimeouts {
  readonly httpMs: number;
  readonly commandMs: number;
}

/** The options of {@link runChecks}. */
export interface CheckOptions {
  /** Defaults to the limits of svc. */
  readonly timeouts?: CheckTimeouts | undefined;
  readonly grants: CheckGrants;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  readonly signal: AbortSignal | undefined;
  readonly askApi: AskApi;
  /** Masks the secrets of the run in the output of commands. */
  readonly mask: (text: string) => string;
}

/** A check that the API answers. */
export type ApiCheck = Extract<Check, { of: "api" | "query" }>;

/** Asks the API about an object that runs a version. Returns undefined while the answer is open. Fails with `timeout` after the time limit. */
export type AskApi = (
  check: ApiCheck,
  object: StageObject,
  on: { readonly version: string; readonly timeoutMs: number },
) => Promise<CheckResult | undefined>;

interface CheckTask {
  readonly check: string;
  readonly run: () => Promise<CheckResult>;
}

/**
 * Runs every check of the stage for the objects. Fails with `forbidden` before the first check if one is not granted, and with
 * `timeout` if a check is inconclusive and no other check failed.
 */
export async function runChecks(
  subject: CheckTarget,
  how: CheckOptions,
): Promise<readonly Evidence[]> {
  const tasks = subject.stage.checks.flatMap((check) => checkTasks(check, subject, how));
  const slot = pLimit(limits.concurrentChecks);
  const ended = await Promise.allSettled(
    tasks.map(({ check, run }) =>
      slot(async (): Promise<Evidence> => {
        const { output, ...result } = await run();
        const kept = keptOutput(output, how.mask);
        const isKept = !result.passed && kept !== "";
        const at = how.now().toISOString();
        return { check, ...result, at, ...(isKept && { output: kept }) };
      }),
    ),
  );
  const evidence = ended.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const without = ended.find((one) => one.status === "rejected");
  if (without !== undefined && !isDecided(evidence, without.reason))
    await Promise.reject(without.reason);
  return evidence;
}

/** Returns the end of an output, with secrets masked before it is cut, so that no part of one is left. */
function keptOutput(output: string | undefined, mask: (text: string) => string): string {
  const text = stripVTControlCharacters(mask(output ?? "")).trim();
  return text.slice(-limits.checkOutputCharacters).toWellFormed();
}

/** Returns whether a failed check decides the result although another was inconclusive. An abort or missing grant never does. */
function isDecided(evidence: readonly Evidence[], why: unknown): boolean {
  return isFailure(why, "timeout") && evidence.some(({ passed }) => !passed);
}

function checkTasks(check: Check, subject: CheckTarget, how: CheckOptions): readonly CheckTask[] {
  if (check.of === "command") return [commandCheckTask(check, subject, how)];
  if (check.of === "api" || check.of === "query")
    return subject.objects.map((object) =>
      apiCheckTask(check, { object, version: subject.version }, how),
    );
  const urls = isUrlOfDeployments(check.url)
    ? new Set(subject.objects.map((one) => urlFor(check.url, one)))
    : [check.url];
  return [...urls].map((url) => ({
    check: `GET ${originAndPath(url)}`,
    run: () => runHttpCheck(url, check, how),
  }));
}

/** Returns origin and path only, because the query may contain a key. */
function originAndPath(url: string): string {
  if (!URL.canParse(url)) return "an invalid URL";
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

async function runHttpCheck(
  url: string,
  check: Extract<Check, { of: "http" }>,
  how: CheckOptions,
): Promise<CheckResult> {
  const { timeoutMs, status, contains } = check;
  const { grants, signal } = how;
  const most = timeoutMs ?? timeoutsOf(how).httpMs;
  try {
    const answer = await sendCheckRequest({
      url,
      timeoutMs: most,
      origins: grants.origins,
      signal,
    });
    if (answer.status !== status) {
      return { passed: false, message: `answered ${answer.status}, expected ${status}` };
    }
    if (contains !== undefined && !answer.text.includes(contains)) {
      return { passed: false, message: `answered ${status} without the expected text` };
    }
    return { passed: true, message: `answered ${status}` };
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (signal?.aborted === true) throw new Failure("aborted", "stopped while checking");
    const isLate = error instanceof Error && error.name === "TimeoutError";
    if (!isLate) return { passed: false, message: "could not be reached" };
    if (timeoutMs !== undefined) return { passed: false, message: "no response in time" };
    throw inconclusiveError(
      `GET ${originAndPath(url)}`,
      `sent no response within ${durationText(most)}`,
    );
  }
}

function commandCheckTask(
  { name, timeoutMs }: Extract<Check, { of: "command" }>,
  { stage, version, objects }: CheckTarget,
  how: CheckOptions,
): CheckTask {
  const file = grantedCommand(name, how.grants);
  if (file === undefined) {
    const { message, remedy } = ungrantedCommand(name);
    throw new Failure("forbidden", message, { remedy });
  }
  // Checks get no other variable of the environment, because it may contain keys.
  const { PATH, HOME } = how.env;
  const env = {
    PATH,
    HOME,
    PROMOTION_STAGE: stage.name,
    PROMOTION_VERSION: version,
    PROMOTION_DEPLOYMENTS: objects.map(({ key }) => key).join(","),
  };
  const check = `command ${name}`;
  const most = timeoutMs ?? timeoutsOf(how).commandMs;
  return {
    check,
    run: async () => {
      const { ended, output } = await runProcess(file, {
        env,
        timeoutMs: most,
        signal: how.signal,
      });
      if (ended.by === "stop") throw new Failure("aborted", "stopped while checking");
      if (ended.by === "error") throw cannotRunError(name, `${file}: ${ended.why}`);
      if (ended.by === "exit")
        return { passed: ended.code === 0, message: `ended with ${ended.code}`, output };
      if (ended.by === "signal") throw inconclusiveError(check, `was killed by ${ended.signal}`);
      const message = `did not end within ${durationText(most)}`;
      if (timeoutMs !== undefined) return { passed: false, message, output };
      throw inconclusiveError(check, message);
    },
  };
}

function timeoutsOf({ timeouts: bounds }: CheckOptions): CheckTimeouts {
  return bounds ?? { httpMs: limits.checkMs, commandMs: limits.checkCommandMs };
}

/** Asks until the answer is decided, or the time limit is reached. */
function apiCheckTask(
  apiCheck: ApiCheck,
  { object, version }: { readonly object: StageObject; readonly version: string },
  how: CheckOptions,
): CheckTask {
  const { timeoutMs } = apiCheck;
  const check = `${apiCheck.of === "api" ? apiCheck.name : "query"} of ${object.address}`;
  const most = timeoutMs ?? timeoutsOf(how).commandMs;
  const run = async (): Promise<CheckResult> => {
    const start = performance.now();
    for (;;) {
      const left = most - (performance.now() - start);
      const on = { version, timeoutMs: Math.max(left, 0) };
      const result = await how.askApi(apiCheck, object, on).catch(undefinedIfLate);
      if (result !== undefined) return result;
      if (performance.now() - start >= most) break;
      await pause(Math.min(limits.checkPollMs, most), undefined, { signal: how.signal }).catch(
        () => undefined,
      );
      if (how.signal?.aborted === true) throw new Failure("aborted", "stopped while checking");
    }
    const message = `did not end within ${durationText(most)}`;
    if (timeoutMs !== undefined) return { passed: false, message };
    throw inconclusiveError(check, message);
  };
  return { check, run };
}

/** Returns undefined after a timeout, because a question without an answer in time stays open. */
function undefinedIfLate(error: unknown): undefined {
  if (!isFailure(error, "timeout")) throw error;
}

type ProcessExit =
  | { readonly by: "exit"; readonly code: number }
  | { readonly by: "signal"; readonly signal: string }
  | { readonly by: "error"; readonly why: string }
  | { readonly by: "time" | "stop" };

/** Runs a program and kills it with its child processes at the time limit. Returns the end of its output on both streams. */
function runProcess(
  file: string,
  how: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<{ readonly ended: ProcessExit; readonly output: string }> {
  return new Promise((resolve) => {
    const stdio = ["ignore", "pipe", "pipe"] as const;
    const child = spawn(file, [], { env: how.env, stdio: [...stdio], detached: true });
    let output = Buffer.alloc(0);
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        output = Buffer.concat([output, chunk]).subarray(-limits.checkOutputBytes);
      });
    const end = (ended: ProcessExit): void => {
      clearTimeout(timer);
      how.signal?.removeEventListener("abort", stop);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ ended, output: output.toString("utf8") });
    };
    const kill = (): void => {
      // Kill the process group, so that a script and its children end together.
      if (child.pid !== undefined) killProcessGroup(child.pid);
    };
    const stop = (): void => {
      kill();
      end({ by: "stop" });
    };
    const timer = setTimeout(() => {
      kill();
      end({ by: "time" });
    }, how.timeoutMs);
    child.on("error", (error) => end({ by: "error", why: systemErrorText(error) }));
    child.on("exit", (code, signal) => {
      const ended: ProcessExit =
        code === null ? { by: "signal", signal: signal ?? "a signal" } : { by: "exit", code };
      child.on("close", () => end(ended));
      setTimeout(() => end(ended), limits.checkOutputMs).unref();
    });
    if (how.signal?.aborted === true) stop();
    else how.signal?.addEventListener("abort", stop);
  });
}

function killProcessGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

/** Returns the failure for a check that cannot run, which does not decide about the version. */
function cannotRunError(name: string, why: string): Failure {
  return new Failure("refused", `the check ${name} could not run: ${why}`, {
    remedy: "Fix the program that the grants name for it, and promote again.",
  });
}

/** Returns the failure for a check that was killed or ran out of time, which does not decide about the version. */
function inconclusiveError(check: string, why: string): Failure {
  return new Failure("timeout", `not verified: ${check} ${why}, so the check is inconclusive`, {
    remedy: "Promote again to repeat the check; set a timeout if a slow response is a failure.",
  });
}
