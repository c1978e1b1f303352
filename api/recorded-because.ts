// Reasons why the service only records some settings: it stores and returns them, and something else acts on them.

/** Reasons, each of which completes the sentence "Recorded only: …". */
export const recordedBecause = {
  server: "deployments run on the server of this service",
  sharedServer: "all deployments share the resources of the server",
  bothModes: "Git connections and uploads work in both modes",
  launchpad: "the launchpad is a page of the hosted application",
  templates: "what the hosted platform does with them is not public",
  storage: "the service keeps its data where its operator chose",
  sessionPages: "pages of the hosted application read it in the token of their session",
  dashboardPages: "pages of the hosted application read it",
  noSql: "the service runs `jsonQuery` of reports, and SQL that programs send",
  spreadsheets: "add-ons for spreadsheets read it",
  tokenFiles: "the service issues tokens and writes no files",
} as const;
