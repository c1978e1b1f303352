// Keeps the result of a query until the data that it reads changes, as the refresh keys of its cubes show.
import { limits } from "../../core/limits/limits.ts";
import type { CacheMode } from "../query/query-schema.ts";
import type { RefreshCheck } from "../query/refresh.ts";
import type { Statement } from "../query/sql-fragments.ts";
import type { Turn } from "./fair-queue.ts";
import type { QueueOptions, ResultOrWaiting, QueryQueue } from "./query-queue.ts";

/** A statement, and its settings for keeping the result. */
export interface RefreshedQuery {
  readonly statement: Statement;
  readonly checks: readonly RefreshCheck[];
  readonly mode: CacheMode;
}

/** A database of one build. */
export interface ResultSource<T> {
  /** Identifies the build and the database. */
  readonly key: string;
  /** Whose turn its statements take, and whether the client has gone away. */
  readonly asker: Turn & Pick<QueueOptions, "signal">;
  readonly work: (statement: Statement, signal: AbortSignal) => Promise<T>;
  /** Identifies the rows of a check. */
  readonly identify: (value: T) => string;
}

/** A result that can be older than the data. */
export type RefreshedResult<T> = { readonly value: T; readonly isStale: boolean } | "waiting";

/** Runs queries, and keeps their results. */
export interface RefreshedResults<T> {
  /** Returns the kept result if the data did not change, otherwise computes it. */
  run(source: ResultSource<T>, query: RefreshedQuery): Promise<RefreshedResult<T>>;
  /** Returns the results of checks as text; undefined while they run. */
  state(source: ResultSource<T>, checks: readonly RefreshCheck[]): Promise<string | undefined>;
  /** Ends an answered request, so that the next one may compute its results again. */
  finish(source: ResultSource<T>, query: RefreshedQuery): void;
}

/** Statements whose newest result, or whose run, is known. */
const knownMax = 5000;

/** Creates the results of a queue. `now` is a monotonic clock in milliseconds. */
export function createRefreshedResults<T>(
  queue: QueryQueue<T>,
  now: () => number,
): RefreshedResults<T> {
  const statements = runStatements(queue, now);
  const { keyOf, newest } = statements;
  /** Returns the state of the data that a query reads, as text. */
  const stateOf = async (
    source: ResultSource<T>,
    { checks, mode }: Omit<RefreshedQuery, "statement">,
    isPolled: boolean,
  ) => {
    const states = await Promise.all(
      checks.map(async ({ period, statement }) => {
        if (statement === undefined) return period;
        const fresh = mode === "must-revalidate";
        const held = await statements.hold(source, { statement, state: period, fresh, isPolled });
        return held === "waiting" ? undefined : source.identify(held.value);
      }),
    );
    return states.includes(undefined) ? undefined : JSON.stringify(states);
  };
  return {
    async run(source, query) {
      const { statement, mode } = query;
      const known = newest.get(keyOf(source, statement));
      const kept = known === undefined ? undefined : queue.peek(known);
      const stale = kept && mode.startsWith("stale") ? { ...kept, isStale: true } : "waiting";
      const isPolled = stale === "waiting";
      const state = await stateOf(source, query, isPolled);
      if (state === undefined) return stale;
      const result = statements.hold(source, {
        statement,
        state,
        fresh: mode === "no-cache",
        isPolled,
      });
      const isChanged = known !== keyOf(source, statement, state);
      if (mode === "stale-while-revalidate" && stale !== "waiting" && isChanged) {
        // The next request reports its error.
        result.catch(() => undefined);
        return stale;
      }
      const held = await result;
      return held === "waiting" ? stale : { ...held, isStale: false };
    },
    async state(source, checks) {
      const state = await stateOf(source, { checks, mode: "stale-if-slow" }, false);
      for (const { statement } of state === undefined ? [] : checks) {
        if (statement) statements.finish(keyOf(source, statement), false);
      }
      return state;
    },
    finish(source, { statement, checks, mode }) {
      const ofChecks = checks.flatMap((check) => check.statement ?? []);
      const fresh = new Set(mode === "no-cache" ? [statement] : ofChecks);
      for (const one of [statement, ...ofChecks]) {
        statements.finish(keyOf(source, one), fresh.has(one));
      }
    },
  };
}

/** A statement, and the identity of the data that it reads. */
interface StatementRun {
  readonly statement: Statement;
  readonly state: string;
  readonly fresh: boolean;
  readonly isPolled: boolean;
}

/** Runs statements, each once for all requests that poll it, and remembers their newest results. */
function runStatements<T>(queue: QueryQueue<T>, now: () => number) {
  /** The keys of the newest results by statement. */
  const newest = new Map<string, string>();
  const polled = pollRuns(queue, now);
  const keyOf = ({ key }: ResultSource<T>, { text, values }: Statement, state = "") =>
    JSON.stringify([key, text, values, state]);
  return {
    keyOf,
    newest,
    async hold(
      source: ResultSource<T>,
      { statement, state, ...options }: StatementRun,
    ): Promise<ResultOrWaiting<T>> {
      const base = keyOf(source, statement);
      const polledKey = polled.keyOf(base);
      const at = polledKey ?? keyOf(source, statement, state);
      const work = async (signal: AbortSignal) => {
        const value = await source.work(statement, signal);
        // Also runs if no request waits any more, because stale answers show the result.
        remember(newest, base, at);
        return value;
      };
      try {
        const held = await queue.run(at, work, { ...options, ...source.asker });
        if (held !== "waiting") remember(newest, base, at);
        if (held === "waiting" || polledKey !== undefined) polled.add(base, at);
        return held;
      } catch (error) {
        polled.forget(base);
        throw error;
      }
    },
    /** Ends an answered request. */
    finish(base: string, isFresh: boolean): void {
      polled.finish(base);
      const at = newest.get(base);
      if (isFresh && at !== undefined) queue.finish(at);
    },
  };
}

/**
 * Keeps the keys of runs that were answered with `waiting`. Their results answer the polls even if the data changed.
 */
function pollRuns<T>(queue: QueryQueue<T>, now: () => number) {
  const runs = new Map<string, { readonly at: string; readonly until: number }>();
  return {
    /** Returns the key of a run; undefined for one whose result was not fetched in time. */
    keyOf(base: string): string | undefined {
      const run = runs.get(base);
      if (run === undefined) return undefined;
      return now() < run.until || queue.peek(run.at) === undefined ? run.at : undefined;
    },
    add(base: string, at: string): void {
      remember(runs, base, { at, until: now() + limits.queryHoldMs });
    },
    forget(base: string): void {
      runs.delete(base);
    },
    /** Forgets a run whose request was answered; one that still runs answers the next request. */
    finish(base: string): void {
      const run = runs.get(base);
      if (run && queue.peek(run.at)) runs.delete(base);
    },
  };
}

/** The most recently set entries come last. */
function remember<V>(keys: Map<string, V>, base: string, at: V): void {
  keys.delete(base);
  keys.set(base, at);
  const [oldest] = keys.keys();
  if (keys.size > knownMax && oldest !== undefined) keys.delete(oldest);
}
