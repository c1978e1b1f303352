// How the tests run: every *.test.ts file, beside its source or under test/, on SQLite; and what asks a store also on PostgreSQL.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { findPostgres } from "./test/support/postgres-server.ts";
import { SlowFilesFirst } from "./test/support/slow-files-first.ts";

/** What needs PostgreSQL. */
const postgresOnly = [
  "service/engine/postgres.test.ts",
  "test/replicas/**/*.test.ts",
  "test/{soak,store}/postgres.test.ts",
];
const missing = "test/support/postgres-missing.test.ts";

/** What holds on every store. */
const onEveryStore = [
  "test/store/{store,upgrade,jobs,killed-job,killed-model,restart,inventories,large-inventories,large-runs,large-workbooks}.test.ts",
  "test/conformance/{kinds,deployments,bulk-operations}.test.ts",
  "test/contract/{account-isolation,api-keys,app-config,audit-entries,audit-logs,content-permissions,dashboard-comments,dashboard-exports,data-api,data-api-access,data-model,data-model-branches,data-model-uploads,git-connect,git-http,git-pull,git-push,github,handlers,identity-providers,integrations,deployment-settings,deployments,folders,get-by-id,idempotency,notification-deliveries,oauth-clients,oauth-server,oidc,paging,operation-responses,data-plane,environment-tokens,logs,permissions,reports,resource-policies,roles,scim,scim-bulk,scim-groups,scim-integrations,session-options,sign-in,staging-environments,state,tenant-settings,transform-sync,user-attributes,user-groups,users,workbooks}.test.ts",
  "service/query/{access,multi-stage,plan-query,plan-filters,plan-times}.test.ts",
  "service/query/*.property.test.ts",
  "test/two/*.test.ts",
  "test/rules/*.test.ts",
  "test/safety/inventory-backends.test.ts",
  "test/promotion/record-stores.test.ts",
  "test/contract/workload-identity.test.ts",
];

/** Processes that tests start keep what Node compiled, so that a command takes half the processor time. */
const compileCache = {
  NODE_COMPILE_CACHE: new URL("node_modules/.cache/node", import.meta.url).pathname,
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
    execArgv: ["--import", new URL("test/support/source-modules.mjs", import.meta.url).href],
    sequence: { sequencer: SlowFilesFirst },
    env: compileCache,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    globalSetup: ["./test/support/run-setup.ts"],
    setupFiles: ["./test/support/no-fsync.ts", "./test/support/git-starter.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "sqlite",
          include: ["**/*.test.ts"],
          exclude: ["**/node_modules/**", "dist/**", ...postgresOnly, missing],
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: findPostgres() ? [...postgresOnly, ...onEveryStore] : [missing],
          exclude: ["**/node_modules/**", "dist/**"],
          env: { ...compileCache, SVC_TEST_STORE: "postgres" },
          globalSetup: ["./test/support/postgres-setup.ts"],
        },
      },
    ],
  },
});
