// Answers a query from the rows of a rollup, and has them built if there are none yet.
import { setImmediate } from "node:timers/promises";
import { isFailure } from "../../core/errors.ts";
import { requireChecks, type RowCheck } from "../engine/database-source.ts";
import type { DuckDbEngine, SeedSet } from "../engine/duckdb-engine.ts";
import type { DatabaseRows } from "../engine/engine-messages.ts";
import type { RefreshedResults, ResultSource } from "../engine/refreshed-results.ts";
import type { Dialect } from "../query/dialect.ts";
import { duckdb } from "../query/duckdb-dialect.ts";
import type { QueryPlan } from "../query/query-to-sql.ts";
import {
  matchRollups,
  missedRollups,
  type PlannedOverTables,
  type RollupMatch,
  type RollupMiss,
} from "../rollups/match-rollup.ts";
import type { CompiledModel } from "../model/types.ts";
import type { ResultValue } from "../engine/engine.ts";
import type { StoredRollup } from "../rollups/rollup-store.ts";
import { planRollups, type Rollup } from "../rollups/plan-rollup.ts";
import type { Rollups, WantedRollup } from "../rollups/rollups.ts";
import type { DatedResult, QuerySource } from "./query-source.ts";

/** A query that is planned over the rows of a rollup. */
export interface QueryRollup {
  /** `cube.name`. */
  readonly id: string;
  readonly plan: QueryPlan;
  readonly source: QuerySource;
  readonly builtAt: Date;
  /** Removes rows that cannot be read, for a reason that the logs show. */
  discard(reason: string): void;
}

/** The rollups and the tables of a build. */
interface RollupPlaces {
  readonly rollups: Rollups;
  readonly results: RefreshedResults<DatedResult>;
  readonly asker: ResultSource<DatedResult>["asker"];
  readonly engine: () => Promise<DuckDbEngine>;
  /** Returns the tables of a data source. */
  readonly tables: (dataSource: string) => RollupTables;
  readonly now: Date;
  /** Has a rollup built again without queries. */
  readonly schedule: (id: string) => void;
  /** Adds a line to the logs of the deployment. */
  readonly report: (message: string) => void;
}

/** The tables that a rollup is built from. */
export interface RollupTables {
  /** Identifies the tables, but not the state of their data. */
  readonly key: string;
  /** The build, with which the data of tables that are said never to change may change. */
  readonly build: string;
  readonly from: SeedSet | Pick<DatabaseRows, "from" | "privateHosts">;
  readonly dialect: Dialect;
  /** Runs the statements that show whether data has changed. */
  readonly checks: ResultSource<DatedResult>;
}

/** Returns the first rollup that answers a query and is built. */
export async function findRollup(
  planned: PlannedOverTables,
  places: RollupPlaces,
): Promise<QueryRollup | undefined> {
  for (const match of matchRollups(planned)) {
    // Other requests run between the plans.
    await setImmediate();
    const found = match && (await storedRollup(match, places));
    if (found) return found;
  }
  return undefined;
}

/** Returns why the rollups of the cubes that a query reads do not answer it now. */
export function unusedRollups(
  planned: PlannedOverTables,
  { rollups, asker }: Pick<RollupPlaces, "rollups" | "asker">,
): readonly RollupMiss[] {
  const failures = rollups.failures(asker.group);
  return missedRollups(planned, (id) => {
    const failure = failures.get(id);
    return failure === undefined
      ? "its rows are not built yet, or are outdated"
      : `its last build failed: ${failure}`;
  });
}

/** Has the rollup `cube.name` built if its rows are outdated. */
export async function refreshRollup(
  model: CompiledModel,
  id: string,
  places: RollupPlaces,
): Promise<void> {
  for (const one of planRollups(model)) {
    if (one.id !== id || !("rollup" in one.plan)) continue;
    const { plan } = one;
    places.rollups.find(await wantedRollup(plan.rollup, places));
  }
}

/** Returns the rows of a rollup; undefined if they are outdated, and has them built then. */
async function storedRollup(
  { rollup, plan }: RollupMatch,
  places: RollupPlaces,
): Promise<QueryRollup | undefined> {
  const { rollups, results, asker, engine, report } = places;
  const { id } = rollup;
  const wanted = await wantedRollup(rollup, places);
  if (rollup.isScheduled) places.schedule(id);
  const stored = rollups.find(wanted);
  if (stored === undefined) return undefined;
  const { file } = stored;
  const builtAt = new Date(stored.builtAt);
  const source: ResultSource<DatedResult> = {
    key: file,
    asker,
    identify: ({ rows }) => JSON.stringify(rows),
    work: async (own, signal) => ({
      ...(await (await engine()).run({ file }, own, signal)),
      at: builtAt.toISOString(),
    }),
  };
  return {
    id,
    plan,
    builtAt,
    source: {
      dialect: duckdb,
      defaultCheck: () => ({ period: "" }),
      run: (query) => results.run(source, query),
      finish: (query) => results.finish(source, query),
    },
    discard(reason) {
      rollups.remove(wanted);
      report(`the rows of the pre-aggregation ${id} were removed: ${reason}`);
    },
  };
}

/** Returns a rollup with the state of its data. */
async function wantedRollup(
  rollup: Rollup,
  { rollups, results, asker, tables: tablesOf, engine, now, report }: RollupPlaces,
): Promise<WantedRollup> {
  const { id, columns, freshness } = rollup;
  const tables = tablesOf(rollup.dataSource);
  const { key, build, from, dialect, checks: source } = tables;
  const statement = rollup.statement(dialect);
  const isLive = "from" in from;
  const wanted: WantedRollup = {
    key: JSON.stringify([asker.group, key, id, statement]),
    id,
    // Seeds change with a build only, and SQL that reads the time or chance is not stored.
    state: isLive ? undefined : "",
    usableSince: Infinity,
    group: asker.group,
    async build(file, signal, previous) {
      const singleKeys = keyChecks(rollup, tables);
      // Seeds have one state.
      if (!isLive)
        await requireChecks(singleKeys, async function* (one) {
          yield (await source.work(one, signal)).rows;
        });
      const rows = isLive
        ? {
            ...from,
            columns,
            checks: singleKeys,
            owner: asker.group,
            ...(await partsOf(rollup, tables, { previous, signal })),
          }
        : { seeds: from, statement };
      await (await engine()).store(rows, { file, signal });
    },
    onFailure: (reason: string) => report(`the pre-aggregation ${id} was not built: ${reason}`),
  };
  if (!isLive) return wanted;
  const { checks, usableSince } = freshness(dialect, now);
  try {
    const state = await results.state(source, checks);
    return { ...wanted, state: state && JSON.stringify([build, state]), usableSince };
  } catch (error) {
    if (!isFailure(error)) throw error;
    rollups.fail(wanted, error);
    return { ...wanted, usableSince };
  }
}

/** Returns the checks that no join of a rollup repeats rows, as the data model says. */
function keyChecks(
  { keys, tree }: Rollup,
  { dialect }: Pick<RollupTables, "dialect">,
): readonly RowCheck[] {
  return keys(dialect).map(({ cube, repeated }) => ({
    statement: repeated,
    message: `rows of ${cube} have the same key, by which ${tree.root} joins them; make the key unique, or declare the join as one_to_many`,
  }));
}

/** Returns the statements of the rows of a rollup, or of those that are new since the last build. */
async function partsOf(
  { statement, partitions }: Rollup,
  { dialect, checks: source }: RollupTables,
  {
    previous,
    signal,
  }: { readonly previous: StoredRollup | undefined; readonly signal: AbortSignal },
): Promise<Pick<DatabaseRows, "statements" | "kept">> {
  if (partitions === undefined) return { statements: [statement(dialect)] };
  const newest = previous && partitions.newest(previous.builtAt);
  if (previous && newest) {
    const { file } = previous;
    const kept = { file, column: partitions.column, before: newest.from };
    return { statements: [statement(dialect, newest.filters)], kept };
  }
  if (!dialect.hasSnapshots) return { statements: [statement(dialect)] };
  const { rows } = await source.work(partitions.bounds(dialect), signal);
  const [first = NaN, last = NaN] = (rows[0] ?? []).map(dayOf);
  const parts = Number.isFinite(last - first) ? partitions.all(first, last) : [[]];
  return { statements: parts.map((filters) => statement(dialect, filters)) };
}

/** Returns the start of the day of a time that a database writes; NaN without one. */
function dayOf(time: ResultValue): number {
  return Date.parse(`${String(time).slice(0, 10)}T00:00:00Z`);
}
