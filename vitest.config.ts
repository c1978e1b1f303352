// How the tests run: the *.test.ts files, beside their sources or under test/, on SQLite; and what may differ there also on PostgreSQL.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { findPostgres } from "./test/support/postgres-server.ts";
import { runsAllCases, runsMoreCases } from "./test/support/sampling.ts";
import { SlowFilesFirst } from "./test/support/slow-files-first.ts";

/** What needs PostgreSQL. */
const postgresOnly = [
  "service/engine/postgres.test.ts",
  "test/replicas/**/*.test.ts",
  "test/{soak,store}/postgres.test.ts",
  "test/conformance/every-kind.test.ts",
];
const missing = "test/support/postgres-missing.test.ts";

/**
 * What continuous integration runs and an ordinary run leaves out: releases, crashes, large sizes, long waits, the rarer cases of
 * engines, undo and promotions, and the conventions of the sources, which `npm run check` checks.
 */
const moreCases = [
  "scripts/bundle-plugins.test.ts",
  "service/engine/duckdb-engine.test.ts",
  "service/model/limit-cpu-time.test.ts",
  "test/conformance/{bridge,bridge-ownership,bulk-creates,bulk-operations,data-model-uploads,every-kind,minimal-responses,read-by-id,shared-creates}.test.ts",
  "test/contract/{dashboard-exports,fuzz,git-http,git-push,notification-deliveries,sign-in-browser,workload-identity}.test.ts",
  "test/controller/{git-links,shared-manifests,stack-name}.test.ts",
  "test/equivalence/*.test.ts",
  "test/engines/{cdk,terraform-ephemeral,terraform-faults,terraform-import,terraform-operations,terraform-outages,terraform-plan-parity,terraform-random,terraform-release,terraform-unknowns}.test.ts",
  "test/engines/pulumi/{component,import,kinds,options,outages,plugin,program-lifecycle}.test.ts",
  "test/examples/{ci-promotion,editor,library,packages,printed-manifests}.test.ts",
  "test/faults/{backup,generated-secrets,git-push-crash,interrupted-apply,inventory-crash,lost-responses,server-crash,server-outage}.test.ts",
  "test/golden/{deploy,release}.test.ts",
  "test/laws/{cascades,export,interrupted-runs,saved-plans}.test.ts",
  "test/promotion/{api-checks,large-stage,pin-reverts,repeated-rollback,write-mode}.test.ts",
  "test/replicas/{backup,key-rotation,stacks}.test.ts",
  "test/safety/{failed-replace,historical-names,inventory-default,last-changes,plan-cost,rate-limit,read-together,renamed-parents-owner,server-address,undo-conflict,undo-moved,undo-rename}.test.ts",
  "test/store/{large-*,killed-model}.test.ts",
  "test/tidy/*.test.ts",
];

/** What only a run of all cases takes. `npm run soak` runs them for longer. */
const allCases = ["test/soak/*.test.ts"];

/** Runs on PostgreSQL too: every operation and every kind, dialect, ordering, transactions and locks. */
const onEveryStore = [
  "test/store/{store,upgrade,restart}.test.ts",
  "test/contract/{handlers,operation-responses,paging}.test.ts",
  "service/query/{access,combined-policies,multi-stage,query-to-sql,query-filters,query-times}.test.ts",
  "test/rules/bulk-creates.test.ts",
];

/** Runs on PostgreSQL too in continuous integration. */
const onEveryStoreInMore = [
  "test/store/{jobs,killed-job,killed-model,inventories}.test.ts",
  "test/contract/{idempotency,logs,query-turns,scim,scim-groups,state,transform-sync}.test.ts",
  "service/query/*.property.test.ts",
  "test/two/*.test.ts",
  "test/rules/{embed-tenants,notifications,sessions}.test.ts",
  "test/safety/inventory-backends.test.ts",
  "test/promotion/record-stores.test.ts",
];

/** Runs on PostgreSQL too where all cases run. */
const onEveryStoreInFull = [
  "test/store/{large-inventories,large-runs,large-workbooks}.test.ts",
  "test/conformance/{bulk-operations,kinds,deployments}.test.ts",
  "test/contract/{account-isolation,api-keys,app-config,audit-entries,audit-logs,content-permissions,dashboard-comments,dashboard-exports,data-api,data-api-access,data-model,data-model-branches,data-model-uploads,data-plane,deployment-settings,deployments,environment-tokens,folders,get-by-id,git-connect,git-http,git-pull,git-push,github,identity-providers,integrations,notification-deliveries,oauth-clients,oauth-server,oidc,permissions,policy-lists,reports,resource-policies,roles,scim-bulk,scim-integrations,session-options,sign-in,staging-environments,tenant-settings,user-attributes,user-groups,users,workbooks,workload-identity}.test.ts",
  "test/rules/*.test.ts",
  "test/safety/server-address.test.ts",
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
const nowhere = [
  "**/node_modules/**",
  "dist/**",
  ...(runsMoreCases || namesFiles ? [] : moreCases),
  ...(runsAllCases || namesFiles ? [] : allCases),
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
    hookTimeout: 120_000,
    globalSetup: ["./test/support/run-setup.ts"],
    setupFiles: ["./test/support/no-fsync.ts", "./test/support/git-starter.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "sqlite",
          include: ["**/*.test.ts"],
          exclude: [...nowhere, ...postgresOnly, missing],
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
    ],
  },
});
