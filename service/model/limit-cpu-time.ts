// Limits the CPU time of work in another thread or process, so that work does not fail as too large because the host is
// busy.
import type { Worker } from "node:worker_threads";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";

/** The limits of work. */
export interface WorkLimits {
  /** CPU time after which the work is too large. */
  readonly cpuMs: number;
  /** A far longer elapsed time after which the host counts as too busy. */
  readonly elapsedMs: number;
}

/** Work of another thread or process. */
interface LimitedWork {
  readonly bounds: WorkLimits;
  /**
   * Returns the milliseconds of CPU time that the work has used; undefined if the thread or process does not answer
   * yet.
   */
  readonly usedMs: () => Promise<number | undefined>;
  /** Returns the message that names what is too large and how to make it smaller. */
  readonly tooLarge: (seconds: number) => string;
}

/**
 * Waits for work. Throws `limit_reached` once it has used its CPU time, and `unavailable` once the elapsed time is over
 * without that. The caller then ends the thread or process, which ends the work.
 */
export async function limitCpuTime<T>(
  work: Promise<T>,
  { bounds: { cpuMs, elapsedMs }, usedMs, tooLarge }: LimitedWork,
): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  let isAsking = false;
  const check = async () => {
    // A busy host answers late.
    if (isAsking) return;
    isAsking = true;
    const used = await usedMs();
    isAsking = false;
    if (used !== undefined && used > cpuMs)
      stopped.reject(new Failure("limit_reached", tooLarge(cpuMs / 1000)));
  };
  const checks = setInterval(() => void check().catch(stopped.reject), limits.cpuCheckMs);
  const late = setTimeout(() => stopped.reject(busyFailure()), elapsedMs);
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    clearInterval(checks);
    clearTimeout(late);
  }
}

/** Waits for work until a signal ends the wait with a failure. The work continues. */
export async function waitUntil<T>(
  work: Promise<T>,
  signal: AbortSignal,
  failure: () => Failure,
): Promise<T> {
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(failure());
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Returns the failure of work on a host that is too busy. */
export function busyFailure(): Failure {
  const text = "the server is too busy to read the data model; try again";
  return new Failure("unavailable", text, { retryAfter: 5 });
}

/**
 * Returns a reader of the CPU time that a worker uses from now on. Node.js before 24.6 does not report it; the reader then
 * returns the time in which the worker was busy.
 */
export function watchWorker(worker: Worker): LimitedWork["usedMs"] {
  const known: Partial<Pick<Worker, "cpuUsage">> = worker;
  const read = async (): Promise<number | undefined> => {
    try {
      const used = await known.cpuUsage?.();
      if (used === undefined) return worker.performance.eventLoopUtilization().active;
      return (used.user + used.system) / 1000;
    } catch {
      // A worker that starts or has ended does not answer.
      return undefined;
    }
  };
  const before = read();
  return async () => {
    const now = await read();
    return now === undefined ? undefined : now - ((await before) ?? 0);
  };
}
