// Answers a query from the rows of a rollup, and has them built if there are none yet.
import type { DuckDbEngine, SeedSet } from "../engine/duckdb-engine.ts";
import type { RefreshedResults, ResultSource } from "../engine/refreshed-results.ts";
import { duckdb } from "../query/dialect.ts";
import type { QueryPlan } from "../query/query-to-sql.ts";
import { matchRollups, type PlannedOverTables } from "../rollups/match-rollup.ts";
import type { Rollups } from "../rollups/rollups.ts";
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
  readonly seeds: SeedSet;
  readonly engine: () => Promise<DuckDbEngine>;
  /** Returns whether a data source is the seeds of the build. */
  readonly isSeeds: (dataSource: string) => boolean;
  /** Adds a line to the logs of the deployment. */
  readonly report: (message: string) => void;
}

/** Returns the first rollup that answers a query and is built. */
export function findRollup(
  planned: PlannedOverTables,
  { rollups, results, asker, seeds, engine, isSeeds, report }: RollupPlaces,
): QueryRollup | undefined {
  for (const { rollup, plan } of matchRollups(planned)) {
    if (!isSeeds(rollup.dataSource)) continue;
    const { id } = rollup;
    const statement = rollup.statement(duckdb);
    const wanted = {
      key: JSON.stringify([asker.group, seeds.key, id, statement]),
      // Seeds change with a build only, and SQL that reads the time or chance is not stored.
      state: "",
      group: asker.group,
      build: async (file: string, signal: AbortSignal) =>
        (await engine()).store(seeds, statement, { file, signal }),
      onFailure: (reason: string) => report(`the pre-aggregation ${id} was not built: ${reason}`),
    };
    const stored = rollups.find(wanted);
    if (stored === undefined) continue;
    const { file } = stored;
    const builtAt = new Date(stored.builtAt);
    const from: ResultSource<DatedResult> = {
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
        run: (query) => results.run(from, query),
        finish: (query) => results.finish(from, query),
      },
      discard(reason) {
        rollups.remove(wanted);
        report(`the rows of the pre-aggregation ${id} were removed: ${reason}`);
      },
    };
  }
  return undefined;
}
