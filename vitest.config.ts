// How the tests run: the *.test.ts files, beside their sources or under test/, on SQLite; and what may differ there also on PostgreSQL.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { findClickhouse } from "./test/support/clickhouse-server.ts";
import { findMysql } from "./test/support/mysql-server.ts";
import { findPostgres } from "./test/support/postgres-server.ts";
import { runsAllCases, runsMoreCases } from "./test/support/sampling.ts";
import { SlowFilesFirst } from "./test/support/slow-files-first.ts";

/** What an ordinary run leaves out: `.ci/run` runs it, and `npm run check` the conventions of the sources. */
const slow = ["test/slow/**", "test/tidy/**"];

/** What only a run of all cases takes. `npm run soak` runs it for longer. */
const soak = "test/slow/soak/**";

/** What needs PostgreSQL. */
const postgresOnly = [
  "service/engine/postgres.test.ts",
  "test/replicas/**/*.test.ts",
  "test/slow/replicas/**/*.test.ts",
  "test/contract/database-pre-aggregations.test.ts",
  "test/store/postgres.test.ts",
  "test/slow/soak/postgres.test.ts",
  "test/slow/conformance/every-kind.test.ts",
];
const missing = "test/support/postgres-missing.test.ts";

/** Runs on PostgreSQL too: every operation, dialects, ordering, transactions and locks. */
const onEveryStore = [
  "test/store/**/*.test.ts",
  "test/contract/operation-responses.test.ts",
  "test/contract/paging.test.ts",
  "service/query/access.test.ts",
  "service/query/answer.test.ts",
  "service/query/calendar-shifts.test.ts",
  "service/query/combined-policies.test.ts",
  "service/query/default-filters.test.ts",
  "service/query/filtered-sql.test.ts",
  "service/query/repeated-keys.test.ts",
  "service/query/join-aliases.test.ts",
  "service/query/joined-members.test.ts",
  "service/query/links.test.ts",
  "service/query/multi-stage.test.ts",
  "service/query/multi-stage-dimensions.test.ts",
  "service/query/query-filters.test.ts",
  "service/query/query-times.test.ts",
  "service/query/query-to-sql.test.ts",
  "service/query/stage-filters.test.ts",
  "service/query/switches.test.ts",
];

/** Runs on PostgreSQL too in continuous integration. */
const onEveryStoreInMore = [
  "service/query/*.property.test.ts",
  "service/rollups/*.property.test.ts",
  "service/sql-text/*.property.test.ts",
  "test/contract/idempotency.test.ts",
  "test/contract/logs.test.ts",
  "test/contract/query-turns.test.ts",
  "test/contract/scim.test.ts",
  "test/contract/scim-groups.test.ts",
  "test/contract/state.test.ts",
  "test/contract/transform-sync.test.ts",
  "test/promotion/record-stores.test.ts",
  "test/rules/embed-tenants.test.ts",
  "test/rules/notifications.test.ts",
  "test/rules/sessions.test.ts",
  "test/safety/inventory-backends.test.ts",
  "test/slow/store/killed-model.test.ts",
  "test/two/**/*.test.ts",
];

/** Runs on PostgreSQL too where all cases run. */
const onEveryStoreInFull = [
  "test/slow/store/**/*.test.ts",
  "test/contract/**/*.test.ts",
  "test/slow/contract/**/*.test.ts",
  "test/conformance/**/*.test.ts",
  "test/rules/**/*.test.ts",
];

/** Runs with queries on MariaDB too. */
const onMysqlToo = [
  "service/engine/mysql.test.ts",
  "test/contract/database-pre-aggregations.test.ts",
  "service/query/access.test.ts",
  "service/query/answer.test.ts",
  "service/query/combined-policies.test.ts",
  "service/query/default-filters.test.ts",
  "service/query/filtered-sql.test.ts",
  "service/query/repeated-keys.test.ts",
  "service/query/join-aliases.test.ts",
  "service/query/links.test.ts",
  "service/query/multi-stage-dimensions.test.ts",
  "service/query/query-filters.test.ts",
  "service/query/query-times.test.ts",
  "service/query/query-to-sql.test.ts",
  "service/query/stage-filters.test.ts",
  "service/query/switches.test.ts",
];

/** Runs with queries on MariaDB too in continuous integration. */
const onMysqlInMore = [
  "service/rollups/rollups.property.test.ts",
  "service/query/engines.property.test.ts",
  "service/query/hidden-rows.property.test.ts",
  "service/query/query-times.property.test.ts",
  "service/query/query-to-sql.property.test.ts",
];

/** Runs with queries on ClickHouse too. */
const onClickhouseToo = [
  "service/engine/clickhouse.test.ts",
  "service/query/access.test.ts",
  "service/query/answer.test.ts",
  "service/query/calendar-shifts.test.ts",
  "service/query/combined-policies.test.ts",
  "service/query/default-filters.test.ts",
  "service/query/filtered-sql.test.ts",
  "service/query/repeated-keys.test.ts",
  "service/query/join-aliases.test.ts",
  "service/query/joined-members.test.ts",
  "service/query/links.test.ts",
  "service/query/multi-stage-dimensions.test.ts",
  "service/query/query-filters.test.ts",
  "service/query/query-times.test.ts",
  "service/query/query-to-sql.test.ts",
  "service/query/stage-filters.test.ts",
  "service/query/switches.test.ts",
];

/** Runs with queries on ClickHouse too in continuous integration. */
const onClickhouseInMore = [
  "service/query/*.property.test.ts",
  "service/rollups/rollups.property.test.ts",
  "test/contract/database-pre-aggregations.test.ts",
];

/** Files that the command line names run in any case, and with the cases of continuous integration. */
const namesFiles = process.argv
  .slice(3)
  .some(
    (argument, at, all) =>
      !argument.startsWith("-") && !/^(?:-t|--testNamePattern)$/.test(all[at - 1] ?? ""),
  );

const onPostgres = [
  ...postgresOnly,
  ...onEveryStore,
  ...(runsMoreCases || namesFiles ? onEveryStoreInMore : []),
  ...(runsAllCases ? onEveryStoreInFull : []),
];
const onMysql = [...onMysqlToo, ...(runsMoreCases || namesFiles ? onMysqlInMore : [])];
const onClickhouse = [
  ...onClickhouseToo,
  ...(runsMoreCases || namesFiles ? onClickhouseInMore : []),
];
const clickhouseMissing = "test/support/clickhouse-missing.test.ts";
const mysqlMissing = "test/support/mysql-missing.test.ts";
const nowhere = [
  "**/node_modules/**",
  "dist/**",
  ...(runsMoreCases || namesFiles ? [] : slow),
  ...(runsAllCases || namesFiles ? [] : [soak]),
];

const variables = {
  // Processes that tests start keep what Node compiled, so that a command takes half the processor time.
  NODE_COMPILE_CACHE: new URL("node_modules/.cache/node", import.meta.url).pathname,
  SVC_TEST_CASES: process.env["SVC_TEST_CASES"] ?? (namesFiles ? "more" : "few"),
};

export default defineConfig({
  test: {
    environment: "node",
    // More processes than cores, because tests also wait for programs and for time. A process keeps its modules
    // from file to file, which is three times as fast as a fresh one for each; tests leave nothing behind, so nothing
    // carries over.
    pool: "forks",
    maxWorkers: availableParallelism() + 2,
    isolate: false,
    // Node.js runs the sources itself; nothing here needs modules that are transformed or mocked.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Each test makes many objects that live for milliseconds. If V8 gave them room step by step, it would copy more of them:
    // that costs a twentieth of the processor time.
    execArgv: [
      "--min-semi-space-size=64",
      "--max-semi-space-size=64",
      `--import=${new URL("test/support/source-modules.mjs", import.meta.url).href}`,
    ],
    sequence: { sequencer: SlowFilesFirst },
    env: variables,
    testTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    // The first test that needs a program waits for its build, which other work on the machine slows.
    hookTimeout: 600_000,
    globalSetup: ["./test/support/run-setup.ts"],
    setupFiles: ["./test/support/no-fsync.ts", "./test/support/git-starter.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "sqlite",
          include: ["**/*.test.ts"],
          exclude: [
            ...nowhere,
            ...postgresOnly,
            missing,
            "service/engine/mysql.test.ts",
            mysqlMissing,
            "service/engine/clickhouse.test.ts",
            clickhouseMissing,
          ],
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: findPostgres() ? onPostgres : [missing],
          exclude: nowhere,
          env: { ...variables, SVC_TEST_STORE: "postgres" },
          globalSetup: ["./test/support/postgres-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "mysql",
          include: findMysql() ? onMysql : [mysqlMissing],
          exclude: nowhere,
          env: { ...variables, SVC_TEST_QUERIES: "mysql" },
          globalSetup: ["./test/support/mysql-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "clickhouse",
          include: findClickhouse() ? onClickhouse : [clickhouseMissing],
          exclude: nowhere,
          env: { ...variables, SVC_TEST_QUERIES: "clickhouse" },
          globalSetup: ["./test/support/clickhouse-setup.ts"],
        },
      },
    ],
  },
});
