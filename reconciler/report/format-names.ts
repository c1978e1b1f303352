// The formats of reports other than text and JSON.

/** Names of the formats. */
export const formatNames = ["markdown", "html", "sarif", "junit", "github"] as const;

/** A format other than text and JSON. */
export type ReportFormat = (typeof formatNames)[number];
