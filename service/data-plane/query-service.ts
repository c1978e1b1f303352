// Loads models and seed data of builds, and runs queries on them. One for all accounts of a server.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { modelFilesOf, requireServedBuild } from "../areas/data-model/builds.ts";
import { readContents, readTree } from "../areas/data-model/trees.ts";
import { createDuckDbEngine, type DuckDbEngine, type SeedFile } from "../engine/duckdb-engine.ts";
import type { QueryResult } from "../engine/engine.ts";
import { createLruCache } from "../engine/lru-cache.ts";
import { createQueryQueue, type Held } from "../engine/query-queue.ts";
import type { ModelCompiler } from "../model/compiler.ts";
import type { CompiledModel } from "../model/types.ts";
import type { Statement } from "../query/sql.ts";
import type { Db } from "../store/schema.ts";
import { limitRequests } from "./limit-requests.ts";

/** The build that queries run on. */
export interface QueryBuild {
  readonly builtAt: string;
  readonly model: CompiledModel;
  /** Runs a statement on the data source of the build, once for all requests that ask for it. */
  run(statement: Statement, options: { readonly fresh: boolean }): Promise<Held<QueryResult>>;
  /** Ends a fresh request for a statement: the next one runs it again. */
  finish(statement: Statement): void;
}

/** Where a build is found. */
export interface BuildAddress {
  readonly db: Db;
  readonly compiler: ModelCompiler;
  readonly accountId: string;
  readonly deploymentId: number;
  readonly branchId: number;
}

/** Runs queries. */
export interface QueryService {
  /** Counts a request. Throws `rate_limited` above the limit of the deployment. */
  admit(address: BuildAddress): void;
  /** Returns the build that an environment serves. Throws `unavailable` before the first one. */
  open(address: BuildAddress): Promise<QueryBuild>;
  close(): Promise<void>;
}

/** Creates the service. `now` is a monotonic clock in milliseconds. */
export function createQueryService(now: () => number): QueryService {
  const models = createLruCache<CompiledModel>(limits.queryModels);
  const engines = createLruCache<DuckDbEngine>(limits.queryEngines, (one) => one.close());
  const queue = createQueryQueue<QueryResult>(now, ({ bytes }) => bytes);
  const admit = limitRequests(now);
  return {
    admit: ({ accountId, deploymentId }) => admit(`${accountId} ${deploymentId}`),
    async open({ db, compiler, accountId, deploymentId, branchId }) {
      const { tree_id: treeId, updated_at: builtAt } = await requireServedBuild(db, branchId);
      const key = `${accountId} ${treeId}`;
      const model = await models.get(key, async () => {
        const loaded = await compiler.load(await modelFilesOf(db, treeId));
        if (loaded) return loaded;
        throw new Failure("invalid", "the data model of the served build is no longer valid");
      });
      const group = `${accountId} ${deploymentId}`;
      const seeds = { key, read: () => seedsOf(db, treeId) };
      const runOn = async (statement: Statement, signal: AbortSignal) => {
        const engine = await engines.get(group, async () => createDuckDbEngine());
        return engine.run(seeds, statement, signal);
      };
      const keyOf = ({ text, values }: Statement) => JSON.stringify([key, text, values]);
      return {
        model,
        builtAt,
        run: (statement, options) =>
          queue.run(keyOf(statement), (signal) => runOn(statement, signal), { ...options, group }),
        finish: (statement) => queue.finish(keyOf(statement)),
      };
    },
    async close() {
      queue.cancel();
      await engines.clear();
    },
  };
}

const seedPattern = /^seeds\/([A-Za-z_]\w*)\.(csv|parquet)$/;

/** Returns the tables of a project: `seeds/orders.csv` becomes the table `orders`. */
async function seedsOf(db: Db, treeId: number): Promise<readonly SeedFile[]> {
  const files = [...(await readTree(db, treeId))].filter(([path]) => seedPattern.test(path));
  const contents = await readContents(db, files);
  return contents.map(({ path, content, encoding }) => {
    const [, table = "", format = "csv"] = seedPattern.exec(path) ?? [];
    return {
      table,
      format: format as SeedFile["format"],
      content: Buffer.from(content, encoding),
    };
  });
}
