// Limits of pipelines, of their checks and of their records.

/** Part of `limits`. */
export const promotionLimits = {
  /** Stages of one pipeline. */
  stages: 20,
  /** Objects of one stage. */
  stageObjects: 10_000,
  /** Checks of one stage. */
  stageChecks: 20,
  /** Time for one check of a stage. */
  checkMs: 10_000,
  /** Time for one command that checks a stage, and between two questions of a check to the API. */
  checkCommandMs: 600_000,
  checkPollMs: 1_000,
  /** Bytes of a response that a check reads. */
  checkBytes: 1024 * 1024,
  /** Bytes at the end of the output of a command that are read, the characters of them that are kept, and the lines that are shown. */
  checkOutputBytes: 64 * 1024,
  checkOutputCharacters: 1000,
  checkOutputLines: 10,
  /** Time to read the output of a command that has exited: a process that it left behind may keep it open. */
  checkOutputMs: 1000,
  /** Failed checks of one verification whose output is kept. */
  checkOutputsKept: 3,
  /** Highest number of failed verifications that a soak time may tolerate. */
  soakFailures: 100,
  /** Checks that run concurrently. */
  concurrentChecks: 10,
  /** Verifications that are kept for one stage. */
  verificationsKept: 50,
  /** Promotions that are kept for one pipeline. */
  promotionsKept: 200,
  /** Verified versions that are kept for one object of a stage. */
  objectVersionsKept: 5,
  /** Users, and groups, that may approve for one stage. */
  stageApprovers: 100,
  /** Approvals that are kept for one stage. */
  approvalsKept: 50,
  /** Manual actions that are kept for one pipeline. */
  manualActionsKept: 200,
  /** Most recent runs and commits that a report has for one promotion. */
  promotionRuns: 20,
  /** Time to wait for another process that writes the record of a pipeline. */
  recordWaitMs: 10_000,
  /** Longest pause between two attempts to write the record. */
  recordPauseMs: 100,
  /** Checks that are kept for one verification. */
  verificationChecksKept: 20,
} as const;
