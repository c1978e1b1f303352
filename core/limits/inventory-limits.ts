// Limits of inventories and of the states that keep them, of their journals and of their locks.

/** Part of `limits`. */
export const inventoryLimits = {
  /** Duration of a lock's lease. */
  leaseMs: 60_000,
  /** Interval at which a lock's lease is renewed. */
  leaseRenewMs: 15_000,
  /** Time after which the guard of a lock file counts as left by a crash. */
  lockGuardMs: 10_000,
  /** Attempts to get the guard of a lock file; together they outlast that time. */
  lockGuardAttempts: 480,
  /** Attempts to get a lock whose holder changes meanwhile. */
  lockAttempts: 40,
  /** Longest pause between two attempts to get the guard of a lock file. */
  lockPauseMs: 25,
  /** Attempts to read an inventory that changes meanwhile. */
  inventoryReads: 20,
  /** Inventories of other stacks that are read in one folder. */
  otherInventories: 1000,
  /** Runs that an inventory keeps. */
  runsKept: 100,
  /** Characters of the values that one run records: those before and after its changes. */
  runValuesCharacters: 32 * 1024 * 1024,
  /** Characters of the changes of older runs in an inventory, with their values. The newest run keeps its changes. */
  runChangesCharacters: 8 * 1024 * 1024,
  /** Results of calls that wait to be recorded together, unless the run waits for their record. A crash loses them: the next plan compares the objects with what the record of the run says that it would write. */
  journalDelayRecords: 64,
  /** Bytes of one append to a journal. As JSON they have up to twice the length, which a state must accept. */
  journalAppendBytes: 128 * 1024 - 2,
  /** Bytes of one part of an inventory that is too large for one request. */
  inventoryPartBytes: 1024 * 1024,
  /** Age from which an unreferenced part of an inventory is deleted. */
  orphanedPartMs: 600_000,
  /** Time to wait for another stack that claims objects in the same store. */
  claimWaitMs: 60_000,
  /** Longest pause between two attempts to claim. */
  claimPauseMs: 250,
  /** Journal rows that one database query reads. */
  journalRows: 200,
  /** Bytes of one state. */
  stateBytes: 16 * 1024 * 1024,
  /** Values in one state, lists and objects included. */
  stateValues: 5_000_000,
  /** Versions that are kept of one state. */
  stateVersions: 20,
  /** States of one account. */
  states: 10_000,
  /** Texts that one search of states may look for. */
  searchedTexts: 1000,
  /** Characters of one of them. */
  searchedTextCharacters: 1000,
  /** Time of one search, within which its client expects the response. */
  stateSearchMs: 15_000,
  /** Longest lease of a state's lock. */
  stateLeaseSeconds: 3600,
  /** Lines of a state's journal that one call appends. */
  journalLines: 1000,
  /** Bytes of the lines that one call appends. */
  journalBytes: 256 * 1024,
  /** Appends that one journal stores. */
  journalCalls: 200_000,
  /** Appends on one page of a journal, by default and at most. */
  journalPage: 50,
} as const;
