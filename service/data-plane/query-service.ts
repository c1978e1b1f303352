// Loads models and seed data of builds, and runs queries on them. One for all accounts of a server.
import { limits } from "../../core/limits/limits.ts";
import {
  modelFilesOf,
  noServedBuild,
  seedFilesOf,
  servedBuild,
} from "../areas/data-model/builds.ts";
import {
  createDuckDbEngine,
  type DuckDbEngine,
  type SeedSet,
  type TableContent,
} from "../engine/duckdb-engine.ts";
import { tableContents } from "../engine/check-seeds.ts";
import type { QueryDatabase } from "../engine/engine.ts";
import { createLruCache } from "../../core/lru-cache.ts";
import { createQueryQueue } from "../engine/query-queue.ts";
import {
  createRefreshedResults,
  type RefreshedResults,
  type ResultSource,
} from "../engine/refreshed-results.ts";
import { openDatabase } from "../engine/databases.ts";
import { type ModelCompiler, waitBriefly } from "../model/compiler.ts";
import type { ContextOwner } from "../model/compile-context.ts";
import type { CompiledModel } from "../model/types.ts";
import { clickhouse } from "../query/clickhouse-dialect.ts";
import { duckdb } from "../query/duckdb-dialect.ts";
import { mysql } from "../query/mysql-dialect.ts";
import { postgres } from "../query/postgres-dialect.ts";
import { defaultCheck, readsClock } from "../query/refresh.ts";
import { secretHash } from "../security/secret-hash.ts";
import type { Sealer } from "../security/seal.ts";
import type { Db } from "../store/schema.ts";
import { addLogLines } from "../areas/logs/log-lines.ts";
import type { PlannedOverTables, RollupMiss } from "../rollups/match-rollup.ts";
import { scheduleRollups } from "../rollups/scheduled-rollups.ts";
import { openRollups, type RollupOptions } from "../rollups/rollups.ts";
import { inTransaction } from "../store/transaction.ts";
import { createBranchModels } from "./branch-models.ts";
import {
  findRollup,
  type QueryRollup,
  refreshRollup,
  type RollupTables,
  unusedRollups,
} from "./query-rollups.ts";
import type { DatedResult, QuerySource } from "./query-source.ts";
import { type DataSource, dataSourceOf, readSourceVariables } from "./data-sources.ts";

/** The build that queries run on. */
export interface QueryBuild {
  /** The model of the caller, whose code may read the security context. */
  readonly model: CompiledModel;
  /** Returns a data source of the model. Throws `invalid` for one that is not configured. */
  source(name: string): QuerySource;
  /** Returns the rows of a rollup that answer a planned query; undefined if there are none yet. */
  rollup(planned: PlannedOverTables): Promise<QueryRollup | undefined>;
  /** Returns why the rollups of the cubes that a planned query reads do not answer it now. */
  unusedRollups(planned: PlannedOverTables): readonly RollupMiss[];
  /** Has a rollup built if its rows are outdated. */
  refreshRollup(id: string): Promise<void>;
  /** Adds a line to the logs of the deployment. */
  report(message: string): void;
}

/** The address of a build. */
export interface BuildAddress {
  readonly db: Db;
  readonly compiler: ModelCompiler;
  readonly sealer: Sealer;
  readonly now: () => Date;
  readonly accountId: string;
  readonly deploymentId: number;
  readonly branchId: number;
  /** Whose security context the data model may read. */
  readonly caller: ContextOwner;
  /** Undefined for what the service does itself. */
  readonly asker?: Asker;
}

/** Who sends a query. */
export interface Asker {
  readonly tenant: string;
  readonly session: string | undefined;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

/** Runs queries. */
export interface QueryService {
  /** Returns the build that an environment serves to a caller; undefined before the first one. Throws as {@link BranchModels}. */
  find(address: BuildAddress): Promise<QueryBuild | undefined>;
  /** Returns why the last builds of a deployment's rollups failed on this server, by `cube.name`. */
  rollupFailures(accountId: string, deploymentId: number): ReadonlyMap<string, string>;
  /** As `find`. Throws {@link noServedBuild} before the first build. */
  open(address: BuildAddress): Promise<QueryBuild>;
  close(): Promise<void>;
}

/** The parts of the server that the service needs. */
export interface QueryServiceOptions {
  readonly rollups: RollupOptions;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Hosts of databases that may have private addresses, and may be reached without encryption. */
  readonly databaseHosts: readonly string[];
}

/** Creates the service. */
export function createQueryService({
  now,
  databaseHosts,
  rollups: rollupOptions,
}: QueryServiceOptions): QueryService {
  const rollups = openRollups(rollupOptions);
  const scheduled = scheduleRollups(rollupOptions.now);
  const models = createBranchModels();
  const engines = keepEngines();
  const queue = createQueryQueue<DatedResult>(now, ({ bytes }) => bytes);
  const results = createRefreshedResults(queue, now);
  const service: QueryService = {
    rollupFailures: (accountId, deploymentId) => rollups.failures(groupOf(accountId, deploymentId)),
    async open(address) {
      const found = await service.find(address);
      if (found) return found;
      throw await noServedBuild(address.db, address.branchId);
    },
    async find(address) {
      const { db, compiler, sealer, accountId, deploymentId, branchId, caller } = address;
      const build = await servedBuild(db, branchId);
      if (build === undefined) return undefined;
      const treeKey = `${accountId} ${build.tree_id}`;
      const reportLine = (message: string) => report(address, message);
      const read = () => modelFilesOf(db, build.tree_id);
      const asked = { key: treeKey, read, compiler, caller, report: reportLine };
      const model = await waitBriefly(models.get(asked));
      const variables = await readSourceVariables(db, sealer, deploymentId);
      const group = groupOf(accountId, deploymentId);
      const seeds = { key: treeKey, read: () => tablesOf(db, build.tree_id) };
      const places = { databaseHosts, engine: () => engines.get(group), seeds };
      const asker = { tenant: "", session: undefined, ...address.asker, group };
      const reading = (source: DataSource): ResultSource<DatedResult> => ({
        // The build is part of the key, so that a new one computes results again.
        key: secretHash(JSON.stringify([accountId, build.id, source])),
        asker,
        work: async (statement, signal) => ({
          ...(await openSource(source, places).run(statement, signal)),
          at: address.now().toISOString(),
        }),
        identify: ({ rows }: DatedResult) => JSON.stringify(rows),
      });
      const rollupPlaces = {
        rollups,
        results,
        asker,
        engine: places.engine,
        now: address.now(),
        tables: (name: string) =>
          rollupTablesOf(dataSourceOf(variables, name), { ...places, build: treeKey, reading }),
        schedule(id: string) {
          const { asker: _, ...unasked } = address;
          scheduled.add(`${group} ${branchId} ${id}`, async () =>
            (await service.find(unasked))?.refreshRollup(id),
          );
        },
        report: reportLine,
      };
      return {
        model,
        report: reportLine,
        rollup: (planned) => findRollup(planned, rollupPlaces),
        unusedRollups: (planned) => unusedRollups(planned, rollupPlaces),
        refreshRollup: (id) => refreshRollup(model, id, rollupPlaces),
        source(name) {
          const source = dataSourceOf(variables, name);
          return querySource(source, { from: reading(source), results, now: address.now });
        },
      };
    },
    async close() {
      queue.cancel();
      scheduled.close();
      await Promise.all([rollups.close(), engines.close()]);
    },
  };
  return service;
}

/** Identifies a deployment of any account. */
const groupOf = (accountId: string, deploymentId: number) => `${accountId} ${deploymentId}`;

/** The locations of a build's data sources. */
interface SourcePlaces extends Pick<QueryServiceOptions, "databaseHosts"> {
  readonly engine: () => Promise<DuckDbEngine>;
  readonly seeds: SeedSet;
}

/** The SQL of data sources. */
const dialects = { seeds: duckdb, postgres, mysql, clickhouse } as const;

/** Returns a data source whose results are kept. */
function querySource(
  { type }: DataSource,
  {
    from,
    results,
    now,
  }: Pick<BuildAddress, "now"> & {
    readonly from: ResultSource<DatedResult>;
    readonly results: RefreshedResults<DatedResult>;
  },
): QuerySource {
  const isLive = type !== "seeds";
  return {
    dialect: dialects[type],
    // Seeds change only with a build.
    defaultCheck: ({ text }) => (isLive || readsClock(text) ? defaultCheck(now()) : { period: "" }),
    run: (query) => results.run(from, query),
    finish: (query) => results.finish(from, query),
  };
}

/** Returns the tables that the rollups of a data source are built from. */
function rollupTablesOf(
  source: DataSource,
  {
    databaseHosts,
    seeds,
    build,
    reading,
  }: SourcePlaces & {
    readonly build: string;
    readonly reading: (source: DataSource) => ResultSource<DatedResult>;
  },
): RollupTables {
  const shared = { build, checks: reading(source), dialect: dialects[source.type] };
  if (source.type === "seeds") return { ...shared, key: seeds.key, from: seeds };
  const from = { from: source, privateHosts: databaseHosts };
  return { ...shared, key: JSON.stringify(source), from };
}

function openSource(
  source: DataSource,
  { databaseHosts, engine, seeds }: SourcePlaces,
): Pick<QueryDatabase, "run"> {
  if (source.type !== "seeds") return openDatabase(source, { privateHosts: databaseHosts });
  return {
    run: async (statement, signal) => (await engine()).run(seeds, statement, signal),
  };
}

/** Keeps the engines of the deployments that were queried last. */
function keepEngines() {
  let isClosed = false;
  // A deployment's running statement continues even if others have used their engines since.
  const drop = async (engine: DuckDbEngine) => (isClosed ? engine.close() : engine.retire());
  const engines = createLruCache(limits.queryEngines, { drop });
  return {
    get: async (group: string) => engines.get(group, async () => createDuckDbEngine()),
    async close(): Promise<void> {
      isClosed = true;
      await engines.clear();
    },
  };
}

/** Adds a line to the logs of the deployment. */
function report({ db, branchId, now }: BuildAddress, message: string): void {
  const line = { branchId, container: "svcjs-server", at: now(), messages: [message] } as const;
  // A store that cannot be written now reports that itself.
  void inTransaction(db, (tx) => addLogLines(tx, [line])).catch(() => undefined);
}

/** Returns the tables of a project. */
async function tablesOf(db: Db, treeId: number): Promise<readonly TableContent[]> {
  return tableContents(await seedFilesOf(db, treeId));
}
