// Looking after one source: a round, a pause, the next round; earlier where somebody says that there is something new, and later where it fails.
import type { LimitFunction } from "p-limit";
import { limits } from "../core/limits.ts";
import {
  type Clock,
  isRetried,
  intervalWithJitter,
  retryDelay,
  delayUntilOpen,
} from "./schedule.ts";
import type { Source } from "./config.ts";
import type { ReconciliationTiming } from "./events.ts";
import { reconcile, type Reconciliation, type ReconciliationContext } from "./reconcile.ts";

/** What looking after sources takes. */
export interface LoopOptions {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Lets so many rounds go on at once. */
  readonly limit: LimitFunction;
  /** Told of each round, with what follows. */
  readonly onReconciled: (round: Reconciliation, about: ReconciliationTiming) => void;
}

/** A source that is looked after. */
export interface ReconcileLoop {
  /** Ends when the signal is aborted, and no round goes on. */
  readonly ended: Promise<void>;
  /** There may be something new: the next round comes earlier. */
  readonly trigger: () => void;
}

/** A commit that failed, and when it is tried again, in milliseconds since 1970. */
interface FailedCommit {
  readonly commit: string | undefined;
  readonly failures: number;
  readonly retryAt: number;
}

/** Looks after a source from now on. */
export function startLoop(
  source: Source,
  context: Omit<ReconciliationContext, "now" | "signal" | "shouldReconcile">,
  options: LoopOptions,
): ReconcileLoop {
  const { clock, signal, limit: turn } = options;
  const now = (): number => clock.now().getTime();
  let poked = new AbortController();
  let failing: FailedCommit | undefined;
  let begun = 0;
  let isAsked = false;

  /** A commit that failed waits for its time; another one does not. */
  const wants = (commit: string | undefined): boolean =>
    failing === undefined || now() >= failing.retryAt || commit !== failing.commit;
  /** Where not even the commit was found out, a webhook is heard all the same. */
  const isToBeLookedAt = () => isAsked || failing?.commit !== undefined || wants(undefined);

  const after = (round: Reconciliation): number => {
    const random = options.random();
    if (!isRetried(round.result)) {
      failing = undefined;
      return Math.min(
        intervalWithJitter(source, random),
        delayUntilOpen(round, clock.now()) ?? Infinity,
      );
    }
    const failures = consecutiveFailures(round, failing);
    const retryMs = retryDelay(source, failures, random);
    failing = { commit: round.commit, failures, retryAt: now() + retryMs };
    return Math.min(intervalWithJitter(source, random), retryMs);
  };

  const look = async (): Promise<number> => {
    if (signal.aborted) return 0;
    begun = now();
    const round = isToBeLookedAt()
      ? await reconcile(source, {
          ...context,
          signal,
          now: () => clock.now(),
          shouldReconcile: wants,
        })
      : undefined;
    if (round === undefined) {
      const left = (failing?.retryAt ?? 0) - now();
      return Math.min(intervalWithJitter(source, options.random()), Math.max(left, 1));
    }
    const ms = after(round);
    const about = { time: clock.now(), failures: failing?.failures ?? 0 };
    options.onReconciled(round, {
      ...about,
      next: signal.aborted ? undefined : new Date(now() + ms),
    });
    return ms;
  };

  const rest = async (ms: number): Promise<void> => {
    const pokedNow = poked.signal;
    await clock.wait(ms, AbortSignal.any([signal, pokedNow]));
    isAsked = pokedNow.aborted;
    if (!isAsked) return;
    poked = new AbortController();
    await clock.wait(begun + limits.hookPauseMs - now(), signal);
  };

  const ended = (async (): Promise<void> => {
    while (!signal.aborted) await rest(await turn(look));
  })();
  return { ended, trigger: () => poked.abort() };
}

/** Failures in a row of the round's commit. */
function consecutiveFailures({ commit }: Reconciliation, before: FailedCommit | undefined): number {
  return before?.commit === commit ? (before?.failures ?? 0) + 1 : 1;
}
