// Declares the limits of the account, such as the limits on the audit log and on idempotency keys.

/** The limits of the account. */
export const accountLimits = {
  /** Entries that the audit log of an account keeps, and for how long. */
  auditEntries: 100_000,
  auditMs: 30 * 86_400_000,
  /** Entries of one export of the audit log, and its characters: a client reads as many bytes. */
  auditExportEntries: 10_000,
  auditExportCharacters: 32 * 1024 * 1024,
  /** Characters of the values of one audit entry as JSON, and of one text in it. */
  auditCharacters: 16_384,
  auditTextCharacters: 1000,
  /** Rows that one call writes and the audit log compares. The entries say how many more there are. */
  auditRows: 10_000,
  /** Items of one list in an audit entry, and objects of one type with a separate entry. */
  auditItems: 100,
  /** Objects of a drift report whose last change is read from the audit log. */
  lastChangesShown: 20,
  /** Entries of one page, and pages, in which the last change of an object is looked for: a server may list calls that changed nothing. */
  lastChangesPerPage: 50,
  lastChangesPages: 20,
  /** Maximum difference between the clock of the server and the clock of the last apply, in milliseconds. */
  lastChangesClockSkewMs: 60_000,
  /** Time that the result of a write with an idempotency key is kept. */
  idempotencyMs: 86_400_000,
  /** Bytes of a response that is kept for requests with the same idempotency key. */
  idempotencyBytes: 1024 * 1024,
  /** Titles in other languages of the application. */
  localizedTitles: 50,
  /** Dashboards that the home of a signed-in user lists. */
  homeDashboards: 1000,
  /** Origins of pages that may show dashboards in a frame. */
  allowedOrigins: 50,
  /** OIDC token configurations of one account, and the lifetime of their tokens. */
  oidcConfigs: 100,
  oidcTokenSeconds: 3600,
  /** Time after which a signing key is replaced, time that a retired one is published, and keys that are published. */
  signingKeyMs: 90 * 86_400_000,
  retiredKeyMs: 2 * 3_600_000,
  publishedKeys: 10,
  /** OAuth integrations of one account, and the time in which an authorization is completed. */
  oauthIntegrations: 100,
  oauthStateMs: 600_000,
  /** Time for one request to an OAuth provider, bytes of its answer, and time before its expiry that a token is refreshed. */
  oauthRequestMs: 10_000,
  oauthAnswerBytes: 64 * 1024,
  oauthRefreshMs: 60_000,
} as const;
