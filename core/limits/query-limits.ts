// Every bound of queries, named with its unit. `limits.ts` contains them.

/** The limits. A name without a unit counts things. */
export const queryLimits = {
  /** Stages of multi-stage measures that one query computes. */
  queryStages: 100,
  /** Queries of cubes (`{cube.sql()}`) and of dimensions with `sub_query` that one query contains. */
  queryNestedQueries: 1000,
  /** Characters of SQL that planning one query writes, and again wherever it becomes a part of larger SQL. */
  querySqlLength: 4 * 1024 * 1024,
  /** Nesting of references in the SQL of one query: less than the stack holds, and than databases parse. */
  queryReferenceDepth: 100,
  /** Time, megabytes of memory and threads of one query's database. */
  queryMs: 60_000,
  queryMegabytes: 256,
  queryThreads: 2,
  /**
   * Processes of the engine that a server keeps, one for each deployment, and databases of builds that each keeps open;
   * the first is more than queries that run.
   */
  queryEngines: 6,
  queryDatabases: 3,
  /** Time without a query after which a process ends, and time that it has to interrupt a query before it is ended. */
  engineIdleMs: 300_000,
  engineGraceMs: 5_000,
  /**
   * CPU time of a process while it reads the tables of a build: twice the CPU time of their check, because queries on
   * other tables use it too. Also a far larger elapsed time.
   */
  engineOpenCpuMs: 60_000,
  engineOpenElapsedMs: 180_000,
  /** Megabytes of one process, of them JavaScript, and the interval of the check. */
  engineMegabytes: 1024,
  engineHeapMegabytes: 256,
  engineMemoryCheckMs: 200,
  /** Compiled models that a server keeps. */
  queryModels: 16,
  /** Compiled models of single security contexts that a server keeps besides, and their characters as JSON. */
  contextModels: 500,
  contextModelsLength: 64 * 1024 * 1024,
  /** Security contexts of one account that wait for their models: fewer than are kept. */
  contextCompilesWaiting: 200,
  /**
   * Queries that a server runs concurrently, and queries that wait: of all deployments, of one, of an embed tenant (or
   * of the account's own users) in one, and of an embed session. The first query of a tenant in a deployment starts
   * while fewer than `queryEngines` have one, so that slow queries of some leave room for others.
   */
  queriesRunning: 3,
  deploymentQueriesRunning: 3,
  tenantQueriesRunning: 2,
  sessionQueriesRunning: 1,
  queriesWaiting: 500,
  deploymentQueriesWaiting: 100,
  tenantQueriesWaiting: 60,
  sessionQueriesWaiting: 30,
  /** Time that a request is held before it is answered with `Continue wait`. */
  queryHoldMs: 10_000,
  /** Time after which a query that no request asks for any more is canceled: if the last answer said to ask again, or not. */
  queryPollMs: 30_000,
  queryAbandonMs: 120_000,
  /**
   * Time after its last use for which a result is kept, longer than a request is held; the results that a server keeps,
   * and their bytes of JSON, in all and for one deployment.
   */
  queryResultMs: 600_000,
  queryResults: 500,
  queryResultsBytes: 64 * 1024 * 1024,
  deploymentResultsBytes: 32 * 1024 * 1024,
  /** Bytes of JSON of one result. */
  queryResultBytes: 16 * 1024 * 1024,
  /**
   * Rows and bytes of the file of one pre-aggregation, and the time that its build may take; those that a server builds
   * concurrently, one of each deployment.
   */
  rollupRows: 10_000_000,
  rollupBytes: 256 * 1024 * 1024,
  rollupBuildMs: 600_000,
  /** Pre-aggregations that a data model declares. */
  modelRollups: 1000,
  /** Statements that read the rows of a pre-aggregation part by part. */
  rollupParts: 100,
  rollupsBuilding: 2,
  /** Files that an engine keeps open. */
  rollupsOpen: 6,
  /** Interval in which refresh keys are read without queries. */
  rollupRefreshMs: 10_000,
  /** Time after which a build that failed is tried again; after which a file that no query used is removed; between such checks. */
  rollupRetryMs: 300_000,
  rollupUnusedMs: 24 * 3_600_000,
  rollupSweepMs: 600_000,
  /** Megabytes of all files of a server, unless its operator chooses others, and the most that one can choose. */
  rollupMegabytes: 2048,
  rollupMegabytesMax: 1024 * 1024,
  /** Queries of one request. */
  queriesPerRequest: 20,
  /** Time that a client waits for one query, and lifetime of the token that it creates for it. */
  queryWaitMs: 600_000,
  queryTokenSeconds: 3600,
  /** Characters, tokens, columns and nested parentheses of a query in SQL. */
  sqlTextLength: 20_000,
  sqlTokens: 2000,
  sqlColumns: 1000,
  sqlNesting: 50,
  /** WebSocket connections of a server, to one deployment, and with one credential. */
  webSockets: 2000,
  deploymentWebSockets: 500,
  credentialWebSockets: 50,
  /** Those of one address without an accepted request: viewers behind one proxy connect again at once after a restart. */
  unacceptedWebSockets: 200,
  /** Bytes of a message, and of answers that a client has not read yet. */
  webSocketMessageBytes: 256 * 1024,
  webSocketUnreadBytes: 32 * 1024 * 1024,
  /** Requests and subscriptions of one connection together. */
  webSocketRequests: 100,
  /** Time between pings, by the first of which a request was accepted, and time without requests. */
  webSocketPingMs: 30_000,
  webSocketIdleMs: 600_000,
  /** Pause between two runs of a subscription. */
  subscriptionMs: 5000,
  /** Time after which a connection closes whose credential is refused: clients connect again at once. */
  webSocketRefusedMs: 3000,
  /** Characters of a URL with a query; a longer query is sent with POST. */
  queryUrlLength: 2000,
  /** Pauses of a client between two requests for one query: the first one and the longest. A server usually holds the request. */
  queryPollFirstMs: 20,
  queryPollMaxMs: 2000,
} as const;
