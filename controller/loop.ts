// The reconcile loop of one source: reconciles, waits, and reconciles again; earlier after a webhook, later after a failure.
import { limits } from "../core/limits/limits.ts";
import { isRetried, intervalWithJitter, retryDelay, delayUntilOpen } from "./schedule.ts";
import type { Clock } from "./clock.ts";
import type { Source } from "./config.ts";
import type { ReconciliationTiming } from "./events.ts";
import { createPauseTrigger } from "./pause-trigger.ts";
import { reconcile } from "./reconcile.ts";
import type { Reconciliation, ReconciliationContext } from "./reconciliation.ts";

/** The options of {@link startLoop}. */
export interface LoopOptions {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Stops the loop and the reconciliation in flight. */
  readonly signal: AbortSignal;
  /** Ends the loop after the reconciliation in flight. */
  readonly drain: AbortSignal;
  /** Called after each reconciliation. */
  readonly onReconciled: (
    reconciliation: Reconciliation,
    timing: ReconciliationTiming,
  ) => Promise<void>;
}

/** A running loop. */
export interface ReconcileLoop {
  /** Resolves when the loop has ended and no reconciliation runs. */
  readonly ended: Promise<void>;
  /** Triggers an early reconciliation, also of a commit that failed, and looks the commit up again. */
  readonly trigger: () => void;
  /** Triggers an early reconciliation of a commit that another source has found. */
  readonly onNewCommit: (commit: string) => void;
  /** Does so for a commit that another replica has found, which the repository has to look for. */
  readonly onCommitElsewhere: (commit: string) => void;
  /** Tells that a source is settled. The loop reconciles at once if it waits for it. */
  readonly onSettled: (source: string) => void;
}

/** A commit that failed, and when it is retried, in milliseconds of the monotonic clock. */
interface FailedCommit {
  readonly commit: string | undefined;
  readonly failures: number;
  readonly retryAt: number;
}

/** Starts the reconcile loop of a source. */
export function startLoop(
  source: Source,
  context: Omit<ReconciliationContext, "clock" | "signal" | "since" | "shouldReconcile">,
  options: LoopOptions,
): ReconcileLoop {
  const { clock, signal, drain } = options;
  const now = (): number => clock.monotonicMs();
  const early = createPauseTrigger();
  let failing: FailedCommit | undefined;
  let startedAt = now();
  let isTriggered = false;
  let waitsFor: readonly string[] = [];
  const settled = new Set<string>();
  let since: number | undefined;
  let lastCommit: string | undefined;

  /** Returns whether a commit should be reconciled: a failed one only at its retry time or after a webhook. */
  const shouldReconcile = (commit: string | undefined): boolean =>
    isTriggered || failing === undefined || now() >= failing.retryAt || commit !== failing.commit;
  const shouldResolve = (): boolean => failing?.commit !== undefined || shouldReconcile(undefined);

  const delayAfter = (reconciliation: Reconciliation): number => {
    const random = options.random();
    // Stopped, and this loop is not: the state could not be used for a moment.
    if (reconciliation.result === "stopped") return retryDelay(source, 1, random);
    if (!isRetried(reconciliation.result)) {
      failing = undefined;
      const openMs = delayUntilOpen(reconciliation, clock.now()) ?? Infinity;
      return Math.min(intervalWithJitter(source, random), openMs);
    }
    const failures = consecutiveFailures(reconciliation, failing);
    const retryMs = retryDelay(source, failures, random);
    failing = { commit: reconciliation.commit, failures, retryAt: now() + retryMs };
    return Math.min(intervalWithJitter(source, random), retryMs);
  };

  const runOnce = async (): Promise<number> => {
    startedAt = now();
    settled.clear();
    const reconciliation = shouldResolve()
      ? await reconcile(source, { ...context, signal, clock, since, shouldReconcile })
      : undefined;
    waitsFor = reconciliation?.waitsFor?.sources ?? [];
    lastCommit = reconciliation?.commit;
    if (reconciliation === undefined) {
      const left = (failing?.retryAt ?? 0) - now();
      return Math.min(intervalWithJitter(source, options.random()), Math.max(left, 1));
    }
    const ms = delayAfter(reconciliation);
    const next = drain.aborted ? undefined : new Date(clock.now().getTime() + ms);
    const failures = failing?.failures ?? 0;
    await options.onReconciled(reconciliation, { time: clock.now(), failures, next });
    // One may have settled meanwhile.
    if (waitsFor.some((name) => settled.has(name))) early.trigger();
    return ms;
  };

  const pause = async (ms: number): Promise<void> => {
    const triggered = early.signalAfter(lastCommit);
    await clock.wait(ms, AbortSignal.any([drain, triggered]));
    isTriggered = triggered.aborted;
    if (!isTriggered) return;
    early.reset();
    if (waitsFor.length > 0) return;
    await clock.wait(startedAt + limits.hookPauseMs - now(), drain);
  };

  const ended = (async (): Promise<void> => {
    while (!drain.aborted) await pause(await runOnce());
  })();
  const trigger = (): void => {
    since = now();
    early.trigger();
  };
  const onSettled = (name: string): void => {
    if (source.dependsOn.length > 0) settled.add(name);
    if (waitsFor.includes(name)) early.trigger();
  };
  const onCommitElsewhere = (commit: string): void => {
    since = now();
    early.onNewCommit(commit);
  };
  return { ended, trigger, onNewCommit: early.onNewCommit, onCommitElsewhere, onSettled };
}

/** Returns the number of consecutive failures of a commit. */
function consecutiveFailures({ commit }: Reconciliation, before: FailedCommit | undefined): number {
  return before?.commit === commit ? (before?.failures ?? 0) + 1 : 1;
}
