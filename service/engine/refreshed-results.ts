// Keeps the result of a query until the data that it reads changes, as the refresh keys of its cubes tell.
import type { CacheMode } from "../query/query-schema.ts";
import type { RefreshCheck } from "../query/refresh.ts";
import type { Statement } from "../query/sql.ts";
import type { Held, QueryQueue } from "./query-queue.ts";

/** A statement and how its result is kept. */
export interface RefreshedQuery {
  readonly statement: Statement;
  readonly checks: readonly RefreshCheck[];
  readonly mode: CacheMode;
}

/** A database of one build. */
export interface ResultSource<T> {
  /** Identifies the build and the database. */
  readonly key: string;
  /** Groups take turns. */
  readonly group: string;
  readonly work: (statement: Statement, signal: AbortSignal) => Promise<T>;
  /** Identifies the rows of a check. */
  readonly identify: (value: T) => string;
}

/** A result, which can be older than the data. */
export type RefreshedResult<T> = { readonly value: T; readonly isStale: boolean } | "waiting";

/** Runs queries, and keeps their results. */
export interface RefreshedResults<T> {
  /** Returns the kept result if the data did not change, else computes it. */
  run(source: ResultSource<T>, query: RefreshedQuery): Promise<RefreshedResult<T>>;
  /** Ends a request that was answered: the next one may compute its results again. */
  finish(source: ResultSource<T>, query: RefreshedQuery): void;
}

/** Statements whose newest result, or whose run, is known. */
const knownMax = 5000;

/** Creates the results of a queue. */
export function createRefreshedResults<T>(queue: QueryQueue<T>): RefreshedResults<T> {
  /** The keys of the newest results by statement. */
  const newest = new Map<string, string>();
  /** The keys of runs that were answered with `waiting`: their result answers the next request, whatever changed. */
  const awaited = new Map<string, string>();
  const keyOf = ({ key }: ResultSource<T>, { text, values }: Statement, state = "") =>
    JSON.stringify([key, text, values, state]);
  const hold = async (
    source: ResultSource<T>,
    { statement, state, fresh }: { statement: Statement; state: string; fresh: boolean },
  ): Promise<Held<T>> => {
    const base = keyOf(source, statement);
    const at = awaited.get(base) ?? keyOf(source, statement, state);
    awaited.delete(base);
    const { group, work } = source;
    const held = await queue.run(at, (signal) => work(statement, signal), { fresh, group });
    remember(held === "waiting" ? awaited : newest, base, at);
    return held;
  };
  /** Returns what identifies the data that a query reads. */
  const stateOf = async (source: ResultSource<T>, { checks, mode }: RefreshedQuery) => {
    const states = await Promise.all(
      checks.map(async ({ period, statement }) => {
        if (statement === undefined) return period;
        const fresh = mode === "must-revalidate";
        const held = await hold(source, { statement, state: period, fresh });
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
      const state = await stateOf(source, query);
      if (state === undefined) return stale;
      const result = hold(source, { statement, state, fresh: mode === "no-cache" });
      const isChanged = known !== keyOf(source, statement, state);
      if (mode === "stale-while-revalidate" && stale !== "waiting" && isChanged) {
        // Its error is that of the next request.
        result.catch(() => undefined);
        return stale;
      }
      const held = await result;
      return held === "waiting" ? stale : { ...held, isStale: false };
    },
    finish(source, { statement, checks, mode }) {
      const statements = checks.flatMap((check) => check.statement ?? []);
      const fresh = mode === "no-cache" ? [statement] : statements;
      for (const one of fresh) {
        const at = newest.get(keyOf(source, one));
        if (at !== undefined) queue.finish(at);
      }
    },
  };
}

/** Those set last come last. */
function remember(keys: Map<string, string>, base: string, at: string): void {
  keys.delete(base);
  keys.set(base, at);
  const [oldest] = keys.keys();
  if (keys.size > knownMax && oldest !== undefined) keys.delete(oldest);
}
