// Every bound of data models, named with its unit. `limits.ts` contains them.

/** The limits. A name without a unit counts things. */
export const dataModelLimits = {
  /** Characters of one file of a data model, and of one text in it. */
  modelFileBytes: 1024 * 1024,
  modelTextLength: 256 * 1024,
  /** Characters of a path in a data model, files of one branch and of one call, and bytes of all files of a branch. */
  modelPathLength: 512,
  modelFiles: 10_000,
  modelFilesPerRequest: 1000,
  /**
   * Bytes of the files that a client sends with one call of an upload, in base64; a larger file has a separate call.
   */
  uploadCallBytes: 1024 * 1024,
  modelBytes: 64 * 1024 * 1024,
  /** Skills of agents in one branch. */
  agentSkills: 1000,
  /** Branches and open uploads of one deployment, and the time after which an unfinished upload ends. */
  branches: 1000,
  uploads: 20,
  uploadMs: 3_600_000,
  /** Age of the temporary branch of an apply after which the service deletes it: longer than an upload can last. */
  temporaryBranchMs: 7_200_000,
  /** CPU time for the check of the seed files of one data model, and numbers of checks whose results a server keeps. */
  seedCheckCpuMs: 30_000,
  seedChecksKept: 50,
  /** CPU time and megabytes of memory for one compilation, and compilations that run or wait concurrently. */
  compileCpuMs: 20_000,
  compileMegabytes: 512,
  compilesRunning: 2,
  compilesWaiting: 100,
  /** Those of one of several accounts: fewer, so that no model delays all accounts. */
  accountCompilesRunning: 1,
  accountCompilesWaiting: 20,
  /**
   * Elapsed time for one compilation or check of seed files that a busy host slows down, interval at which its CPU time
   * is read, and time that a request waits for one: less than its client waits.
   */
  compileElapsedMs: 180_000,
  cpuCheckMs: 200,
  compileWaitMs: 25_000,
  /** Time after which a build counts as one whose server died, and the interval at which a server that lives extends it. */
  buildLeaseMs: 60_000,
  buildLeaseRenewMs: 15_000,
  /** Time for one Git command against the remote of a data model, and bytes of a file that it writes. */
  gitRemoteMs: 25_000,
  /** Time for all commands of one synchronization, connection or pull, with the wait for a free place. */
  gitSyncMs: 120_000,
  gitRemoteBytes: 256 * 1024 * 1024,
  /** Commits of a remote that are searched for one that the service pushed. */
  gitHistory: 200,
  /** Commits of a branch that production can be pinned to, and the last ones of a deployment that are listed beside the newest. */
  gitPinHistory: 10_000,
  gitRunCommits: 50,
  /** Attempts to push to a remote that changes meanwhile. */
  gitPushAttempts: 3,
  /** First and longest pause after a failed synchronization; each further pause is twice as long. */
  gitRetryFirstMs: 60_000,
  gitRetryMaxMs: 3_600_000,
  /** Commits whose messages one pushed commit contains, and characters of its message. */
  gitMessages: 50,
  gitMessageLength: 20_000,
  /** Time for one request to GitHub, bytes of its answer, items of one list, and time that a token is kept. */
  githubMs: 10_000,
  githubBytes: 8 * 1024 * 1024,
  githubItems: 2000,
  githubTokenMs: 3_000_000,
  /** Installations of the GitHub App that one account may use. */
  githubInstallations: 1000,
  /** Results of compilations that a server keeps in memory. */
  compilesKept: 50,
  /** Commits that a search for the common history of two branches visits. */
  commitsVisited: 100_000,
  /** Added and removed lines of one file in a merge; with more, it is a conflict. And steps of one whole merge. */
  mergeEdits: 1000,
  mergeSteps: 10_000_000,
  /** Ended builds that a branch keeps. */
  buildsKept: 20,
  /** Cubes and views of one file of a data model, members of one list, and errors that one compilation reports. */
  modelCubes: 10_000,
  modelMembers: 10_000,
  modelErrors: 1000,
  /** Members of all cubes that joins name by an alias: each alias has the members of its cube. */
  modelAliasedMembers: 50_000,
  /** Characters of one error, and of the text of a failed build. */
  modelErrorLength: 1000,
  buildTextLength: 8192,
  /** Nesting and values of one file of a data model. */
  modelDepth: 64,
  modelValues: 500_000,
  /**
   * The JavaScript of one data model: units of about 10,000 steps, memory, stack, and characters of all that it declares.
   */
  scriptSteps: 6000,
  scriptMegabytes: 256,
  scriptStackBytes: 256 * 1024,
  scriptCharacters: 32 * 1024 * 1024,
  /** Steps of one Jinja template, and memory of all. */
  templateSteps: 10_000_000,
  templateMegabytes: 128,
  /** Characters of the security context, as JSON, that a data model reads as `COMPILE_CONTEXT`: a little more than a token has. */
  compileContextLength: 10_000,
  /** Lifetime of a token of one environment by default, and at most; and bytes of its security context as JSON. */
  environmentTokenSeconds: 3600,
  securityContextBytes: 8192,
  /** Tokens of one environment that are listed for a credential. Older ones stay valid. */
  environmentTokensKept: 1000,
  /**
   * Log lines of one deployment, and characters of one; lines of an account that wait to be stored, and the time
   * between two stores.
   */
  logLinesKept: 10_000,
  logLineLength: 2000,
  logLinesWaiting: 1000,
  logFlushMs: 1000,
  /** Models of a transformation project, bytes of its manifest, and characters of the names of its refs in branches. */
  syncModels: 5000,
  syncManifestBytes: 32 * 1024 * 1024,
  syncRefLength: 40,
  /** Characters of a ref in the name of the branch that gets its pushes, which has 100 at most. */
  syncPushedRefLength: 95,
  /** Syncs of one deployment that run or wait, runs that its history keeps, and runs of one page. */
  syncsRunning: 10,
  syncsKept: 1000,
  syncPage: 100,
  /** Time after which a sync counts as one whose server died, and time that generated files are kept. */
  syncLeaseMs: 240_000,
  syncFilesMs: 3_600_000,
  /** Characters of one error of a sync. */
  syncErrorLength: 2000,
  /** Time that a client waits for a sync, for one that was just started to be known, and between two questions. */
  syncWaitSeconds: 900,
  /** How long `--wait` of the command line waits for a build to begin: the server may schedule it first. */
  buildGraceMs: 60_000,
  syncKnownMs: 60_000,
  syncPollFirstMs: 200,
  syncPollMaxMs: 5000,
  /** Time that the account of a custom domain is known, and how many domains are. */
  domainMs: 5_000,
  domainsKnown: 1_000,
} as const;
