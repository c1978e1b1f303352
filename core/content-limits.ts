// The limits of folders, workbooks, dashboards and reports; see limits.ts.

/** The limits. A name without a unit counts things. */
export const contentLimits = {
  /** Folders inside each other, the outermost included. */
  folderDepth: 10,
  /** Highest position of a folder among those beside it. */
  folderPosition: 1_000_000,
  /** Items in one bulk move or bulk delete of the workspace. */
  bulkItems: 100,
  /** Bytes of one dashboard as JSON. */
  dashboardBytes: 1024 * 1024,
  /** Widgets on one dashboard. */
  widgets: 1000,
  /** Characters of one query of a report. */
  reportQueryCharacters: 256 * 1024,
} as const;
