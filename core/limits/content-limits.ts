// The limits of folders, workbooks, dashboards and reports; see limits.ts.

/** The limits. A name without a unit counts things. */
export const contentLimits = {
  /** Folders inside each other, the outermost included. */
  folderDepth: 10,
  /** Highest position of a folder among its siblings. */
  folderPosition: 1_000_000,
  /** Items in one bulk move or bulk delete of the workspace. */
  bulkItems: 100,
  /** Bytes of one dashboard as JSON. */
  dashboardBytes: 1024 * 1024,
  /** Widgets on one dashboard. */
  widgets: 1000,
  /** Characters of one query of a report. */
  reportQueryCharacters: 256 * 1024,
  /** Characters of one comment on a dashboard, and the users whom it mentions. */
  commentCharacters: 10_000,
  commentMentions: 50,
  /** Threads of one embed tenant on one dashboard, and replies in one thread. */
  commentThreads: 1000,
  commentReplies: 100,
  /** Threads that one query reads with their replies, which can have a megabyte or more. */
  commentThreadsPerQuery: 10,
  /** Time for which counts of views are kept. */
  usageMs: 90 * 86_400_000,
  /** Pause after which counted views are stored, and the counts of one account in between: objects times users. */
  viewFlushMs: 2000,
  viewsWaiting: 1000,
} as const;
