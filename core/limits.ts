// Every bound of the machinery, named with its unit, in one place.

/** Bounds; a name ends in its unit unless it counts things. */
export const limits = {
  /** Longest page a list returns when `first` asks for more. */
  pageMax: 1000,
  /** Rows returned when `first` is not given. */
  pageDefault: 10_000,
  /** Bytes of the items of one page as JSON, unless its first alone has more; some envelopes hold them twice. */
  pageBytes: 8 * 1024 * 1024,
  /** Rows of a page that are read at once. */
  rowsAtOnce: 100,
  /** Pages one listing may walk before the client stops it. */
  pagesMax: 10_000,
  /** Bytes of one request body. */
  bodyBytes: 4 * 1024 * 1024,
  /** Bytes of all request bodies that a server reads and handles at once. */
  bodiesInFlightBytes: 64 * 1024 * 1024,
  /** The share of one account in it. */
  accountBodiesInFlightBytes: 32 * 1024 * 1024,
  /** Bytes of a request body that has neither lists nor values of any form in it. */
  flatBodyBytes: 256 * 1024,
  /** Bytes of a request body that comes without a credential, or where none is wanted. */
  shortBodyBytes: 1024,
  /** Bytes of a request's address. */
  urlBytes: 8192,
  /** Bytes of a request's address and headers together. */
  headBytes: 32_768,
  /** Headers of one request. */
  headers: 100,
  /** Time for a request's headers to arrive. */
  headMs: 15_000,
  /** Time that a plug-in takes, before it ends, to delete what was made for its run alone. */
  runCleanupMs: 10_000,
  /** Pause between two looks for connections that are too slow. */
  connectionCheckMs: 2000,
  /** Time that a connection without a request stays open; longer than proxies keep theirs. */
  keepAliveMs: 72_000,
  /** Open connections of one server. */
  connections: 10_000,
  /** Delay of the event loop, and wait for the turn to write, from which a server sheds requests. */
  queueDelayMs: 1000,
  /** Requests that are served between two measurements of that delay, however long it is. */
  requestsPerBeat: 20,
  /** Pause between two measurements of the event loop's delay. */
  heartbeatMs: 50,
  /** Pause between two looks at the files of a certificate. */
  certificateCheckMs: 5000,
  /** Accounts of one server. */
  accounts: 200,
  /** Custom domains of one account. */
  accountDomains: 20,
  /** Bytes of a file of accounts. */
  accountsFileBytes: 1024 * 1024,
  /** Length of a window in which requests are counted. */
  rateWindowMs: 10_000,
  /** Requests of one user in a window. */
  userRequests: 3000,
  /** Requests without a valid credential from one address in a window. */
  addressRequests: 300,
  /** Time that one look at the stores stands for whoever asks whether the server is ready. */
  probeMs: 1000,
  /** Stores that are looked at together. */
  probesAtOnce: 8,
  /** Windows that are open at once. */
  rateWindows: 50_000,
  /** Items of one list in an error's details. */
  problemItems: 100,
  /** Complaints about single members that are read from one error. */
  validationErrors: 50,
  /** Characters of the path of one. */
  validationErrorPathCharacters: 500,
  /** Changes of a spec that are tried to find the field of a validation error. */
  fieldOriginProbes: 2000,
  /** Characters of an error's message. */
  problemMessageCharacters: 8000,
  /** Values in one request body, lists and objects included. */
  bodyValues: 200_000,
  /** Bytes of one answer that the client is ready to read. */
  answerBytes: 64 * 1024 * 1024,
  /** Attempts of one request, the first included. */
  attempts: 5,
  /** Default attempts of Terraform and Pulumi: their pauses outlast a server restart of several seconds. */
  providerAttempts: 7,
  /** Calls in a row that a server may fail at, each with all its attempts, before a run stops. */
  failuresInARow: 10,
  /** First pause between attempts; it doubles. */
  retryFirstMs: 250,
  /** Longest pause between attempts, also when the server asks for a longer one. */
  retryMaxMs: 60_000,
  /** Shortest pause between attempts that is reported. */
  waitReportMs: 1000,
  /** Time for one request and its answer. */
  requestMs: 30_000,
  /** Calls in flight at once when the stack says nothing. */
  concurrency: 8,
  /** Most calls in flight at once that a stack may ask for. */
  concurrencyMax: 64,
  /** Creates of one call of an engine. */
  createsMarkedAtOnce: 1000,
  /** Records of one journal append, and so creates that are marked as begun before the first is sent. */
  journalBatchRecords: 1000,
  /** Characters of one journal append, unless its first record alone has more. */
  journalBatchCharacters: 8 * 1024 * 1024,
  /** Bytes of one manifest file. */
  manifestBytes: 8 * 1024 * 1024,
  /** Objects of a collection that an engine reads by their ids before it reads the whole collection. */
  readsById: 3,
  /** Calls of an engine that are gathered into one, from the first on. */
  coalesceMs: 10,
  /** Time in which a server has to tell an engine what it offers, every attempt and pause included. */
  connectMs: 20_000,
  /** Time that an engine grants a provider to end before it kills it, less a little. */
  engineGraceMs: 4500,
  /** After its last answer a plug-in stays for so long, in milliseconds, so that the answer gets out; engines wait about two seconds. */
  lastAnswerMs: 200,
  /** Pause between two looks whether the engine that started a provider still lives. */
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
  /** Time for a manifest in TypeScript. */
  scriptMs: 30_000,
  /** Megabytes of memory for the values of one. */
  scriptMegabytes: 512,
  /** Manifests in TypeScript that run at once. */
  scriptsAtOnce: 4,
  /** Time for a command that gives a secret. */
  commandMs: 30_000,
  /** Life of a lock's lease. */
  leaseMs: 60_000,
  /** Renewal of a lock's lease. */
  leaseRenewMs: 15_000,
  /** Time after which the guard of a lock file counts as left by a crash. */
  lockGuardMs: 10_000,
  /** Attempts to get the guard of a lock file; together they outlast that time. */
  lockGuardAttempts: 480,
  /** Attempts to get a lock in PostgreSQL that changes hands meanwhile. */
  lockAttempts: 40,
  /** Longest pause between two attempts to get the guard of a lock file. */
  lockPauseMs: 25,
  /** Readings of an inventory that is being written meanwhile. */
  inventoryReads: 20,
  /** Inventories of other stacks that are looked through in one folder. */
  otherInventories: 1000,
  /** Runs that an inventory remembers. */
  runsKept: 100,
  /** Characters of what older runs of an inventory changed, before-images included; the newest run keeps its changes at any size. */
  runChangesCharacters: 8 * 1024 * 1024,
  /** Bytes of one journal line; a longer record is split into fragments. */
  journalLineBytes: 64 * 1024,
  /** Bytes of one part of an inventory that is too large for one request. */
  inventoryPartBytes: 1024 * 1024,
  /** Age from which an unreferenced part of an inventory is deleted. */
  orphanedPartMs: 600_000,
  /** Wait for another stack that claims objects in the same store. */
  claimWaitMs: 60_000,
  /** Longest pause between two attempts to claim. */
  claimPauseMs: 250,
  /** Journal rows that one database query reads. */
  journalRows: 200,
  /** Characters of why a run was made. */
  messageCharacters: 1000,
  /** Characters of one value shown in a report. */
  valueCharacters: 400,
  /** Lines of one changed text shown in a report. */
  textLinesShown: 40,
  /** Differing lines of a changed text, beyond which it is shown as replaced. */
  textLineEdits: 1000,
  /** Pause between two drawings of the progress line. */
  progressMs: 100,
  /** Pause between two lines of progress where there is no terminal. */
  progressLineMs: 5000,
  /** Failures shown during a run without a terminal; the report lists all of them. */
  progressFailures: 20,
  /** Places named in one message before the rest is counted. */
  placesNamed: 5,
  /** Valid values named in the error about an invalid one, the nearest first. */
  choicesNamed: 5,
  /** Of things that are alike, those that text shows whole of a kind before it names some of the rest, and how many it names. */
  similarShownInFull: 20,
  similarNamed: 5,
  /** Diagnostics printed before the rest is counted. */
  diagnosticsShown: 50,
  /** Characters of a report as Markdown: a comment on a pull request holds 65,536. */
  markdownCharacters: 65_000,
  /** Lines of one change, or of one group of outcomes, in a report as Markdown. */
  markdownLines: 60,
  /** Characters of one line of it. */
  markdownLine: 500,
  /** Characters of one annotation in a workflow. */
  annotationCharacters: 4000,
  /** Characters of one file of policies. */
  policyCharacters: 1024 * 1024,
  /** Windows, or freezes, that one Stack or operator may write. */
  windows: 100,
  /** Days that a window may last, and that are searched for the next opening. */
  windowDays: 366,
  /** Changes of windows that are looked at in search of the next opening. */
  windowTransitions: 1000,
  /** Deletes and replaces that a Stack may allow one apply where no operator grants more. */
  deletesWithoutGrant: 10,
  /** Of what a stack owns, the share in percent that one apply may delete where its Stack says nothing of deletes. */
  deleteShareDefault: 50,
  /** Bytes of a file of grants. */
  grantsBytes: 1024 * 1024,
  /** Results of one report as SARIF: whoever reads it refuses more. */
  sarifResults: 25_000,
  /** External users an account may have unless the operator raises it. */
  externalUsers: 10_000,
  /** Definitions of one kind in one session request. */
  definitions: 1000,
  /** Roles of one session. */
  sessionRoles: 20,
  /** Users in one bulk provisioning call. */
  bulkUsers: 100,
  /** Objects in one bulk create. */
  bulkCreates: 100,
  /** Recipients in one call on a notification's recipients. */
  recipients: 1000,
  /** Names that one query looks for. */
  namesAtOnce: 5000,
  /** Filters, time grains or member switchers of one notification. */
  notificationFilters: 100,
  /** Notifications on a page that is not asked for by length. */
  notificationPage: 100,
  /** Longest page of notifications. */
  notificationPageMax: 200,
  /** Bytes as JSON of what is free in form: a workbook's `meta`; each list of a notification. */
  freeFormBytes: 256 * 1024,
  /** Bytes of one dashboard as JSON. */
  dashboardBytes: 1024 * 1024,
  /** Widgets on one dashboard. */
  widgets: 1000,
  /** Deployments in the scope of one API key. */
  scopedDeployments: 1000,
  /** Entries in the list of states of an API key. */
  keyStates: 100,
  /** Members in one call on a group's members. */
  members: 1000,
  /** Life of a session identifier that was not exchanged. */
  sessionSeconds: 300,
  /** Life of an embed token. */
  embedTokenSeconds: 86_400,
  /** Time after which an embed token no longer carries administrator rights. */
  embedAdministratorSeconds: 3600,
  /** Life of a token for a deployment's data, unless less is asked for. */
  dataTokenSeconds: 86_400,
  /** Template variables of one deployment. */
  templateVariables: 1000,
  /** Bytes of all of them as JSON. */
  templateVariablesBytes: 1024 * 1024,
  /** Environment variables of one deployment, and of one call. */
  variables: 1000,
  /** Bytes of the names and values of all environment variables of one deployment. */
  variablesBytes: 4 * 1024 * 1024,
  /** Life of what came of a write that named an idempotency key. */
  idempotencyMs: 86_400_000,
  /** Bytes of an answer that is kept for whoever asks again with the same idempotency key. */
  idempotencyBytes: 1024 * 1024,
  /** Pause between two looks for work in the background. */
  jobPollMs: 5000,
  /** Jobs of one name that a server of a PostgreSQL database does at once. */
  jobsAtOnce: 4,
  /** Rows that are over and go in one write. */
  expiredRowsAtOnce: 1000,
  /** Connections of one server to a PostgreSQL database. */
  storeConnections: 20,
  /** Of those, how many are never taken by writes. */
  storeReaders: 6,
  /** Time for a connection to a database, or for one of those that there are to become free. */
  storeConnectMs: 5000,
  /** Time for one statement of a database. */
  statementMs: 30_000,
  /** Wait of a write for the other writes of its account. */
  writeWaitMs: 10_000,
  /** Bytes of one state. */
  stateBytes: 16 * 1024 * 1024,
  /** Values in one state, lists and objects included. */
  stateValues: 5_000_000,
  /** Versions of one state that are kept. */
  stateVersions: 20,
  /** States of one account. */
  states: 10_000,
  /** Lines of a state's journal in one call. */
  journalLines: 1000,
  /** Bytes of all lines in one call. */
  journalBytes: 256 * 1024,
  /** Calls that one journal holds the lines of. */
  journalCalls: 200_000,
  /** Calls whose lines are on a page of a journal that is not asked for by length, and at most. */
  journalPage: 50,
  /** Longest lease of a state's lock. */
  stateLeaseSeconds: 3600,
  /** Attempts of one write that the database undoes because of another. */
  writeAttempts: 5,
  /** Stages of one pipeline. */
  stages: 20,
  /** Objects of one stage. */
  stageObjects: 10_000,
  /** Checks of one stage. */
  stageChecks: 20,
  /** Time for one check of a stage. */
  checkMs: 10_000,
  /** Time for one command that checks a stage. */
  checkCommandMs: 600_000,
  /** Bytes of an answer that a check looks at. */
  checkBytes: 1024 * 1024,
  /** Checks under way at once. */
  checksAtOnce: 10,
  /** Verifications kept of one stage. */
  verificationsKept: 50,
  /** Promotions kept of one pipeline. */
  promotionsKept: 200,
  /** Versions kept that one object of a stage passed with. */
  objectVersionsKept: 5,
  /** Approvals kept of one stage. */
  approvalsKept: 50,
  /** Words of people kept of one pipeline. */
  manualActionsKept: 200,
  /** Most recent runs and commits reported for one promotion. */
  promotionRuns: 20,
  /** Wait for another process that writes the record of a pipeline, which takes moments. */
  recordWaitMs: 10_000,
  /** Longest pause between two looks whether the record is free. */
  recordPauseMs: 100,
  /** Checks kept of one verification. */
  verificationChecksKept: 20,
  /** Time for one command of Git, a push included. */
  gitMs: 120_000,
  /** Bytes that one command of Git may say. */
  gitOutputBytes: 64 * 1024 * 1024,
  /** Characters of why a command of Git failed. */
  gitErrorCharacters: 500,
  /** Lines of Git's output that a failure quotes. */
  gitErrorLines: 3,
  /** Bytes of what is fetched of a repository for one commit. */
  fetchBytes: 1024 * 1024 * 1024,
  /** Files of one checkout, and their bytes. */
  checkoutFiles: 50_000,
  checkoutBytes: 256 * 1024 * 1024,
  /** Bytes of the configuration of a controller. */
  controllerBytes: 1024 * 1024,
  /** Sources of one controller. */
  controllerSources: 1000,
  /** Rounds of one controller that go on at once. */
  controllerReconciliations: 4,
  /** Git operations of one controller at a time, in total and for each host. */
  controllerFetches: 32,
  controllerFetchesPerHost: 2,
  /** Time to resolve a reference of a remote repository. */
  gitResolveMs: 15_000,
  /** Pause between two rounds of a source that names none, and the shortest that it can name. */
  controllerIntervalMs: 300_000,
  controllerIntervalMinMs: 1000,
  /** First pause after a round that failed, and the longest; it doubles. */
  controllerRetryFirstMs: 30_000,
  controllerRetryMaxMs: 900_000,
  /** Changes, and diagnostics, of a round that one event tells. */
  controllerEventItems: 100,
  /** Life of the approval of deletes and replaces that a controller waits for. */
  controllerApprovalMs: 86_400_000,
  /** Bytes of the body of a webhook. */
  hookBytes: 5 * 1024 * 1024,
  /** Time for a request to a controller, its body included. */
  hookMs: 10_000,
  /** Pause between two looks for connections that are over that time. */
  hookCheckMs: 5000,
  /** Open connections to a controller. */
  hookConnections: 100,
  /** Webhooks that are read in a window, and its length. */
  hooks: 60,
  hookWindowMs: 60_000,
  /** Shortest pause between two rounds that webhooks ask for. */
  hookPauseMs: 10_000,
  /** Versions that the matrix of a pipeline shows. */
  matrixVersions: 20,
  /** Time an open request gets when the server stops. */
  drainMs: 10_000,
} as const;
