// Declares the limits of what belongs to the account: the audit log and idempotency keys.

/** The limits of the account. */
export const accountLimits = {
  /** Entries that the audit log of an account keeps, and for how long. */
  auditEntries: 100_000,
  auditMs: 30 * 86_400_000,
  /** Entries of one export of the audit log. */
  auditExportEntries: 10_000,
  /** Characters of the values of one audit entry as JSON, and of one text in it. */
  auditCharacters: 16_384,
  auditTextCharacters: 1000,
  /** Items of one list in an audit entry, and objects that one entry names. */
  auditItems: 100,
  /** Objects of a drift report whose last change is read from the audit log. */
  lastChangesShown: 20,
  /** Time that the result of a write with an idempotency key is kept. */
  idempotencyMs: 86_400_000,
  /** Bytes of a response that is kept for requests with the same idempotency key. */
  idempotencyBytes: 1024 * 1024,
} as const;
