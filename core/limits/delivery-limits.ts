// Limits of drawn dashboards, of their exports and of their deliveries by email.

/** Part of `limits`. */
export const deliveryLimits = {
  /** Filters, time grains or member switchers of one notification. */
  notificationFilters: 100,
  /** Notifications on one page by default. */
  notificationPage: 100,
  /** Notifications on one page at most. */
  notificationPageMax: 200,
  /** Charts of a dashboard that are drawn, and their queries that run concurrently. */
  deliveryCharts: 50,
  concurrentDeliveryQueries: 4,
  /** Rows of a query that a drawn dashboard reads. */
  deliveryRows: 1000,
  /** Time for all queries of one dashboard. */
  deliveryQueryMs: 60_000,
  /** Time for the drawing of one dashboard. */
  drawMs: 30_000,
  /** Megabytes of the drawing process, in all and for JavaScript, and the interval of the check. */
  drawMegabytes: 1024,
  drawHeapMegabytes: 256,
  drawMemoryCheckMs: 250,
  /** Time after which a drawing process without work ends. */
  drawIdleMs: 30_000,
  /** Dashboards that wait to be drawn. */
  drawsWaiting: 100,
  /** Pixels of one picture, and its height in points. */
  drawPixels: 16_000_000,
  drawHeight: 8000,
  /** Fonts of the system that are searched for characters which the packaged fonts lack. */
  drawFonts: 200,
  /** Characters of a text of a dashboard that is drawn. */
  drawCharacters: 5000,
  /** Bytes of a drawn dashboard. */
  drawBytes: 10 * 1024 * 1024,
  /** Time that an export is kept, and its lease while it is made. */
  exportMs: 300_000,
  exportLeaseMs: 120_000,
  /** Attempts of an export whose server died. */
  exportAttempts: 3,
  /** Exports of one user that wait or run, and of one account that are kept. */
  exportsOfUser: 5,
  exportsKept: 100,
  /** Notifications whose runs are added in one batch, and deliveries of a run that are read in one batch. */
  notificationsPerBatch: 100,
  deliveriesPerBatch: 1000,
  /** Lease of a run that is sent; each mail extends it. */
  deliveryLeaseMs: 120_000,
  /** Attempts of one delivery, and the pause before the second; it doubles with each further attempt. */
  deliveryAttempts: 5,
  deliveryRetryMs: 60_000,
  /** Time that deliveries are kept. */
  deliveriesKeptMs: 30 * 86_400_000,
  /** Mails of one run that are sent concurrently. */
  concurrentMails: 2,
  /** Rows of a chart in the text of a mail. */
  mailRows: 50,
  /** Charts that the summary of a mail describes. */
  summarySentences: 10,
} as const;
