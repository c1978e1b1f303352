// Reasons why the service only records some settings: it stores and returns them, and something else acts on them.

/** Reasons, each of which completes the sentence "Recorded only: …". */
export const recordedBecause = {
  server: "deployments run on the server of this service",
  sharedServer: "all deployments share the resources of the server",
  templates: "what the hosted platform does with them is not public",
  storage: "the service keeps its data where its operator chose",
  creatorMode:
    "the application in which creators work reads it, and this service does not have it yet",
  chat: "the chat reads it, and this service does not have it yet",
  grid: "its members are not public, and all pages and files have one grid: 12 columns, and rows of 48 pixels",
  notPublic: "its members are not public",
  spreadsheets: "add-ons for spreadsheets read it",
  tokenFiles: "the service issues tokens and writes no files",
} as const;
