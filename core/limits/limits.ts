// Declares every limit of the client and the service; a name ends in its unit.
import { deliveryLimits } from "./delivery-limits.ts";
import { accessLimits } from "./access-limits.ts";
import { contentLimits } from "./content-limits.ts";
import { accountLimits } from "./account-limits.ts";
import { dataModelLimits } from "./data-model-limits.ts";
import { inventoryLimits } from "./inventory-limits.ts";
import { promotionLimits } from "./promotion-limits.ts";
import { queryLimits } from "./query-limits.ts";

/** The limits. A name without a unit counts things. */
export const limits = {
  ...accountLimits,
  ...accessLimits,
  ...dataModelLimits,
  ...queryLimits,
  ...contentLimits,
  ...inventoryLimits,
  ...promotionLimits,
  /** The largest ID: it fits a signed 32-bit column, and databases compare larger numbers poorly or not at all. */
  idMax: 2 ** 31 - 1,
  /** IDs of items that one call of a list selects. Its URL stays far below {@link limits.urlBytes}. */
  selectedIds: 200,
  /** Items of one page if `first` asks for more. */
  pageMax: 1000,
  /** Items of one page without `first`. */
  pageDefault: 10_000,
  /**
   * Bytes of the items of one page as JSON, unless the first item is larger: a limit by count bounds nothing where one item
   * may fill a request body. Some envelopes contain the items twice.
   */
  pageBytes: 8 * 1024 * 1024,
  /** Rows of a page that one query reads. */
  rowsPerQuery: 100,
  /** Pages after which the client stops a list. */
  pagesMax: 10_000,
  /** Bytes of one request body. */
  bodyBytes: 4 * 1024 * 1024,
  /** Bytes of all request bodies that a server handles concurrently. */
  bodiesInFlightBytes: 64 * 1024 * 1024,
  /** Bytes of the request bodies of one account in that total. */
  accountBodiesInFlightBytes: 32 * 1024 * 1024,
  /** Bytes of a request body whose schema has neither lists nor free-form values. */
  flatBodyBytes: 256 * 1024,
  /** Bytes of a request body without credentials, or of an operation that takes no body. */
  shortBodyBytes: 1024,
  /** Bytes of a request's URL. */
  urlBytes: 8192,
  /** Bytes of a request's URL and headers together. */
  headBytes: 32_768,
  /** Headers of one request. */
  headers: 100,
  /** Time for a request's headers to arrive. */
  headMs: 15_000,
  /** Time in which a canceled run, or a plugin that exits, deletes its temporary objects. */
  runCleanupMs: 10_000,
  /** Interval of the check for connections that are too slow. */
  connectionCheckMs: 2000,
  /** Time that an idle connection stays open; longer than proxies keep theirs. */
  keepAliveMs: 72_000,
  /** Open connections of one server. */
  connections: 10_000,
  /** Connections that the operating system keeps until the server accepts them. It drops more, and clients connect again after seconds. */
  listenBacklog: 4096,
  /** Requests that a server handles concurrently; more are shed. Several clients at full concurrency stay below. */
  requestsInFlight: 512,
  /** Requests of one account in that number. */
  accountRequestsInFlight: 256,
  /** Time after which one turn of the event loop starts no more requests, so that health checks are answered. */
  turnMs: 50,
  /**
   * Longest wait of a request for its turns, and of a write for the lock besides the wait for another process. A
   * request that waits longer is shed.
   */
  queueDelayMs: 2000,
  /** Interval of the check for changed certificate files. */
  certificateCheckMs: 5000,
  /** Accounts of one server. */
  accounts: 200,
  /** Custom domains of one account. */
  accountDomains: 20,
  /** Bytes of an accounts file. */
  accountsFileBytes: 1024 * 1024,
  /** Time in which the quota of a rate limit is restored. */
  rateWindowMs: 10_000,
  /** Cost of the calls of one user in a window: more than one client at full speed uses. Overload is shed by its delay. */
  userCost: 20_000,
  /**
   * Cost of the calls of one embed session, embed tenant and deployment in a window. A query costs 10: 20 viewers of a
   * dashboard with 50 widgets need 10,000. A viewer cannot exhaust the quota of the tenant, and a tenant not that of the
   * deployment.
   */
  sessionCost: 6000,
  tenantCost: 30_000,
  deploymentCost: 45_000,
  /** Cost of the calls of one account in a window: three users at full speed. */
  accountCost: 60_000,
  /** The highest rate limit that an operator can choose. */
  rateLimitMax: 1_000_000,
  /** Cost of the calls without a valid credential from one address in a window. */
  addressCost: 300,
  /** Time that the result of a readiness check is cached. */
  probeMs: 1000,
  /** Stores that a readiness check queries concurrently. */
  concurrentProbes: 8,
  /** Rate limit windows and quotas in memory, each. */
  rateWindows: 50_000,
  /** Items of one list in an error's details. */
  problemItems: 100,
  /** Field errors that the client reads from one error response. */
  validationErrors: 50,
  /** Characters of the path of a field error. */
  validationErrorPathCharacters: 500,
  /** Changed specs that are tried to find the field of a validation error. */
  fieldOriginProbes: 2000,
  /** Characters of an error's message. */
  problemMessageCharacters: 8000,
  /** Values in one request body, lists and objects included. */
  bodyValues: 200_000,
  /** Bytes of one response that the client reads. */
  answerBytes: 64 * 1024 * 1024,
  /** Attempts of one request, the first included. */
  attempts: 5,
  /** Attempts whose pauses outlast a server restart of several seconds: of providers, and of writes in a run. */
  restartAttempts: 7,
  /** Consecutive failed calls, each with all its attempts, after which a run stops. */
  failuresInARow: 10,
  /** First pause between attempts; each further pause is twice as long. */
  retryFirstMs: 250,
  /** Longest pause between attempts. If the server asks for a longer one, the call fails at once. */
  retryMaxMs: 60_000,
  /** Shortest pause between attempts that is reported. */
  waitReportMs: 1000,
  /** Time for one request and its response. */
  requestMs: 30_000,
  /** Concurrent calls by default. */
  concurrency: 8,
  /** Concurrent calls that a stack may declare. */
  concurrencyMax: 64,
  /** Creates of one batch of a provider. */
  createsPerBatch: 1000,
  /** Records that one write of a journal takes, and so creates that are recorded as pending before the first is sent. */
  journalBatchRecords: 1000,
  /** Characters that one write of a journal takes, unless its first record is larger. The inventory cuts it into appends. */
  journalBatchCharacters: 8 * 1024 * 1024,
  /** Bytes of one manifest file. */
  manifestBytes: 8 * 1024 * 1024,
  /** Bytes of the parsed manifest files that a controller keeps. They take about a tenth of the files. */
  parseCacheBytes: 16 * 1024 * 1024,
  /** Objects of a collection that a provider reads by id before it lists the collection. */
  readsById: 3,
  /** Objects of a list that take as long as one read by id. */
  listedPerReadById: 100,
  /** Items of a list with new ones first that a provider reads for each object that it just created. */
  newestRead: 2,
  /** The least of them, because other clients create objects too. */
  newestReadLeast: 20,
  /** Time in which calls of an engine are collected into one request. */
  coalesceMs: 10,
  /** Time without a call of an engine after which no more calls are expected, where its calls start slowly. */
  coalesceQuietMs: 250,
  /** Time that the first write of a batch waits for others, unless an engine with many slots takes longer to fill them. */
  coalesceMostMs: 2000,
  /** Time that it waits at most while an engine fills its slots. */
  coalesceFillMostMs: 5000,
  /** Time in which a provider connects to a server, all attempts and pauses included. */
  connectMs: 20_000,
  /** Time in which a provider must stop; engines kill it after 5 seconds. */
  engineGraceMs: 4500,
  /** Time that a plugin waits after its last response, so that the response arrives. Engines wait about two seconds. */
  lastAnswerMs: 200,
  /** Interval of the check whether the engine that started a provider still runs. */
  parentProcessCheckMs: 2000,
  /** Documents in one stack. */
  documents: 200_000,
  /** Nesting of values in a document or request. */
  depth: 64,
  /** Bytes of a file that holds a generated secret. */
  secretBytes: 64 * 1024,
  /** Aliases that one YAML document may expand. */
  yamlAliases: 100,
  /** Overlays of one stack. */
  overlays: 1000,
  /** Operations of one patch. */
  patchOperations: 1000,
  /** Time for a command that prints a secret. */
  commandMs: 30_000,
  /** Characters of the reason of a run. */
  messageCharacters: 1000,
  /** Characters of one value shown in a report. */
  valueCharacters: 400,
  /** Lines of one changed text in a report. */
  textLinesShown: 40,
  /** Differing lines of a changed text; with more, a report shows it as replaced. */
  textLineEdits: 1000,
  /** Interval at which the progress line is drawn. */
  progressMs: 100,
  /** Interval of the progress lines without a terminal, which grows to the second in a long run. */
  progressLineMs: 5000,
  progressLineMostMs: 60_000,
  /** Failures shown during a run without a terminal; the report lists all of them. */
  progressFailures: 20,
  /** Places that one message names; it counts the rest. */
  placesNamed: 5,
  /** Collections that are read one by one rather than with one page of a list that nothing else needs. */
  collectionsReadApart: 20,
  /** Files below the folder of a Stack that are searched for other stacks, to name them. */
  filesSearchedForStacks: 2000,
  /** Valid values that the error for an invalid value names, the nearest first. */
  choicesNamed: 5,
  /** Similar changes of one resource type that text shows in full, and how many of the rest it names. */
  similarShownInFull: 20,
  similarNamed: 5,
  /** Diagnostics that are printed; the rest are counted. */
  diagnosticsShown: 50,
  /** Changes and messages that a report in HTML shows, and objects in its graph. */
  htmlBlocks: 10_000,
  htmlGraphObjects: 100,
  /** Characters of a report as Markdown: a comment on a pull request holds 65,536. */
  markdownCharacters: 65_000,
  /** Lines of one change, or of one group of outcomes, in a report as Markdown. */
  markdownLines: 60,
  /** Characters of one line in a report as Markdown. */
  markdownLine: 500,
  /** Characters of one annotation in a workflow. */
  annotationCharacters: 4000,
  /** Characters of one policy file. */
  policyCharacters: 1024 * 1024,
  /** Maintenance windows, or freezes, that one Stack or grants file may declare. */
  windows: 100,
  /** Days that a maintenance window may last, and in which its next start is searched. */
  windowDays: 366,
  /** Starts and ends of windows that are examined to find the next start. */
  windowTransitions: 1000,
  /** Deletes and replaces that a Stack may allow one apply without a grant. */
  deletesWithoutGrant: 10,
  /** Percentage of a stack's objects that one apply may delete by default. */
  deleteShareDefault: 50,
  /** Bytes of a grants file. */
  grantsBytes: 1024 * 1024,
  /** Results of one report as SARIF; readers refuse more. */
  sarifResults: 25_000,
  /** Results that one kept query holds until the next write. */
  keptQueries: 1000,
  /** Users in one bulk provisioning call. */
  bulkUsers: 100,
  /** Objects in one bulk create. */
  bulkCreates: 100,
  /** Users whose rights decide whether a dashboard shows a report that is created later. */
  reportWriters: 20,
  /** Recipients in one call on a notification's recipients. */
  recipients: 1000,
  /** Names that one query searches for. */
  namesPerQuery: 5000,
  ...deliveryLimits,
  /** Bytes of a free-form value as JSON: a workbook's `meta`, each list of a notification. */
  freeFormBytes: 256 * 1024,
  /** Template variables of one deployment. */
  templateVariables: 1000,
  /** Bytes of all template variables of one deployment as JSON. */
  templateVariablesBytes: 1024 * 1024,
  /** Environment variables of one deployment, and of one call. */
  variables: 1000,
  /** Bytes of the names and values of all environment variables of one deployment. */
  variablesBytes: 4 * 1024 * 1024,
  /** Interval at which servers look for background jobs. */
  jobPollMs: 5000,
  /** Jobs of one name that a server on PostgreSQL runs concurrently. */
  concurrentJobs: 4,
  /** Expired rows that one write deletes. */
  expiredRowsPerWrite: 1000,
  /** Connections of one server to a PostgreSQL database. */
  storeConnections: 20,
  /** Connections of those that writes never take. */
  storeReaders: 6,
  /** Time to open a connection to a database, or to wait for a free one. */
  storeConnectMs: 5000,
  /** Time for one statement of a database. */
  statementMs: 30_000,
  /** Time that a write waits for the other writes of its account. */
  writeWaitMs: 10_000,
  /** Attempts of one write that the database rolls back because of another. */
  writeAttempts: 5,
  /** Time for one Git command, including a push. */
  gitMs: 120_000,
  /** Bytes of the output of one Git command. */
  gitOutputBytes: 64 * 1024 * 1024,
  /** Characters of the reason why a Git command failed. */
  gitErrorCharacters: 500,
  /** Lines of Git's output that a failure quotes. */
  gitErrorLines: 3,
  /** Bytes that are fetched from a repository for one commit. */
  fetchBytes: 1024 * 1024 * 1024,
  /** Files of one checkout, and their bytes. */
  checkoutFiles: 50_000,
  checkoutBytes: 256 * 1024 * 1024,
  /** Symbolic links that one of a checkout is followed through, as Linux does. */
  linksFollowed: 40,
  /** Names in the texts of all links of a checkout, and the number of times that Git is asked about the path of one. */
  linkNames: 2_000_000,
  linkRounds: 100,
  /** Bytes of a path, and of the text of a symbolic link, as on Linux. */
  pathBytes: 4095,
  /** Bytes of a controller's configuration. */
  controllerBytes: 1024 * 1024,
  /** Sources of one controller. */
  controllerSources: 1000,
  /** Reconciliations that one controller runs concurrently, in total and for each server, by default and at most. */
  controllerReconciliations: { total: 32, perHost: 4 },
  controllerReconciliationsMax: 256,
  /** Git operations that one process runs concurrently: in total, for each host, and for each repository. */
  gitOperations: { total: 32, perHost: 2, perUrl: 1 },
  /** Time to resolve a reference of a remote repository. */
  gitResolveMs: 15_000,
  /** Interval of the reconciliations of a source by default, and the shortest that it can declare. */
  controllerIntervalMs: 300_000,
  controllerIntervalMinMs: 1000,
  /** First and longest pause after a failed reconciliation; each further pause is twice as long. */
  controllerRetryFirstMs: 30_000,
  controllerRetryMaxMs: 900_000,
  /** Changes, and diagnostics, of a reconciliation that one event lists. */
  controllerEventItems: 100,
  /** Names in a source's `dependsOn`, and how long it waits for them before it fails. */
  controllerDependencies: 100,
  controllerDependencyMs: 3_600_000,
  /** Lifetime of an approval of deletes and replaces at a controller. */
  controllerApprovalMs: 86_400_000,
  /** Lifetime of a rejection, after which the plan waits for a decision again; and the longest suspension that an operator can set. */
  controllerRejectionMs: 7 * 86_400_000,
  controllerSuspensionMs: 366 * 86_400_000,
  /** Entries and bytes of the history of a source, and bytes of its recorded plan. */
  controllerHistory: 50,
  controllerHistoryBytes: 1024 * 1024,
  controllerPlanBytes: 4 * 1024 * 1024,
  /** Tokens of the API of a controller, characters of each at least, bytes of a request, and streams of events at a time. */
  controllerTokens: 100,
  controllerTokenCharacters: 16,
  /** Users who may sign in at a controller; how long it keeps what the server said about a login, and about how many. */
  controllerUsers: 500,
  controllerLoginMs: 60_000,
  controllerLoginsKept: 1000,
  /** Unknown tokens a minute from all clients, of which each has as many as `hooks`, and the clients that are counted. */
  controllerUnknownTokens: 600,
  controllerClients: 1000,
  controllerRequestBytes: 16 * 1024,
  /** Connections to the database of the state, time for a statement, and attempts of a write that others overtake. */
  controllerConnections: 4,
  controllerStatementMs: 4000,
  controllerWrites: 20,
  /** How often a replica of a controller renews itself and reads changes, and how long it is one without that. */
  controllerPollMs: 1000,
  controllerLeaseMs: 15_000,
  /** How long a replica leaves new sources for others that start or find them, too; and without an answer of the database until it says so, or of the server about a login. */
  controllerJoinMs: 2000,
  controllerAnswerMs: 5000,
  /** Bytes of an answer of the API that commands read. */
  controllerAnswerBytes: 16 * 1024 * 1024,
  controllerStreams: 40,
  /** Time of an action on a stage of a pipeline, with its checkout, and how many run at a time: in total, and for each host. */
  controllerActionMs: 180_000,
  controllerActions: { total: 32, perHost: 4 },
  /** When a reconciliation that runs is shown; the interval in which it says that it still runs, and when it no longer counts. */
  controllerRoundShownMs: 1000,
  controllerRoundBeatMs: 10_000,
  controllerRoundStaleMs: 60_000,
  /** Interval of the lines that keep a stream open, and the bytes that may wait for a slow reader. */
  controllerStreamMs: 15_000,
  controllerStreamBytes: 1024 * 1024,
  /** Spans that wait for a collector; the interval of sending; time to send, and at the end. */
  tracedSpans: 4096,
  traceIntervalMs: 5000,
  traceMs: 10_000,
  traceCloseMs: 2000,
  /** Targets of notifications; time of an attempt; attempts; the first and the longest pause between them, which double. */
  notificationTargets: 20,
  notificationMs: 10_000,
  notificationAttempts: 10,
  notificationRetryMs: 5000,
  notificationRetryMaxMs: 900_000,
  /** Characters of the template of a message, and of what it becomes. */
  messageTemplate: 2000,
  /** Pages of comments that are read to find one; attempts of a command at a Git host, and the longest pause between them. */
  gitHostPages: 50,
  gitHostAttempts: 5,
  gitHostWaitMs: 60_000,
  /** Notifications that wait, those that no attempt delivered and how long they are kept. */
  notificationsPending: 1000,
  notificationsDead: 50,
  notificationDeadMs: 7 * 86_400_000,
  /** Bytes of a webhook's body. */
  hookBytes: 5 * 1024 * 1024,
  /** Time for a request to a controller, its body included. */
  hookMs: 10_000,
  /** Interval of the check for connections that exceed that time. */
  hookCheckMs: 5000,
  /** Open connections to a controller. */
  hookConnections: 100,
  /** Webhooks that are accepted in a window, and its length. */
  hooks: 60,
  hookWindowMs: 60_000,
  /** Shortest pause between two reconciliations that webhooks request. */
  hookPauseMs: 10_000,
  /** Versions that the matrix of a pipeline shows. */
  matrixVersions: 20,
  /** Time for open requests to finish when the server stops. */
  drainMs: 10_000,
  /** Time for which idle connections stay open when the server stops, and interval at which they are closed then. */
  idleGraceMs: 250,
  idleCheckMs: 25,
} as const;
