// Members of public objects and requests that the service does not have, each with the reason.

/** The members of an object or a request, and the reason why the service does not have them. */
interface LeftOutMembers {
  readonly of: string;
  readonly members: readonly string[];
  readonly reason: string;
}

/** The members, in the order of the areas. */
export const leftOutMembers: readonly LeftOutMembers[] = [
  {
    of: "deployment settings",
    members: ["isCold", "repoType", "svcImageCloud"],
    reason:
      "they describe how the hosted platform runs a deployment and keeps its files, in values that are not public",
  },
  {
    of: "region",
    members: ["isDedicated", "isHybrid", "useAiEngineer"],
    reason: "every region is the server itself, which runs no language model",
  },
  {
    of: "workbook",
    members: ["calculatedFields", "isFavorite"],
    reason: "no public operation sets them, so they could only be empty",
  },
  {
    of: "workbook",
    members: ["dashboardPublished"],
    reason: "`publishedDashboard` is the same dashboard",
  },
  {
    of: "dashboard",
    members: ["versionId", "reportSnapshots"],
    reason:
      "no public operation reads a version or a snapshot; `versionNumber` counts the versions, and a dashboard shows its reports as they are",
  },
  {
    of: "dashboard",
    members: ["status: archived"],
    reason: "no public operation archives a dashboard",
  },
  {
    of: "`duplicateWorkbook`",
    members: ["shared"],
    reason: "its meaning is not public; a copy shares nothing with the original",
  },
  {
    of: "`listReports`",
    members: ["page"],
    reason: "whether the first page is 0 or 1 is not public; `offset` and `limit` read any page",
  },
  {
    of: "report conflicts",
    members: ["ambiguous_legacy_id"],
    reason: "it is for reports without a public ID; every report here has one",
  },
  {
    of: "`startDashboardExport`",
    members: ["renderAs"],
    reason: "the values that it takes are not public; an export has the data of the caller",
  },
  {
    of: "`listEnvironments`, `listUserAttributes`",
    members: ["first with limit"],
    reason:
      "every list refuses both styles together, since one would be ignored; `items` and `data` hold the same page",
  },
  {
    of: "OAuth integration",
    members: ["config"],
    reason: "its members are not public; it has `revocationUrl`, which the service calls",
  },
  {
    of: "user",
    members: ["samlId", "gitUser", "aliases", "impersonation", "activeRoleId"],
    reason:
      "the service has no SAML, no identity of users at Git hosts, no other names of users, no impersonation, and no choice between a user's roles",
  },
  {
    of: "user",
    members: ["notifications", "tosAccepted"],
    reason: "what they do is not public; recipients unsubscribe with the link in a mail",
  },
  {
    of: "user",
    members: ["userPolicies"],
    reason: "`permissions` of `getCurrentUser` has what the caller may do",
  },
  {
    of: "`createUser`",
    members: ["isExternal"],
    reason: "external users belong to an embed tenant: `provisionEmbedUser` creates them",
  },
  {
    of: "`updateUser`",
    members: ["lastLogin"],
    reason: "only a sign-in sets it",
  },
  {
    of: "`getEmbedTheme`",
    members: ["chat", "analyticsChat"],
    reason: "the service has no chat, as it runs no language model",
  },
  {
    of: "tenant settings",
    members: ["hasSupportAccess", "useAIBIUserInterface"],
    reason: "only the users of the account have access, and there is one user interface",
  },
  {
    of: "tenant settings",
    members: ["automatic purchase of AI tokens"],
    reason: "the names of its members are not public, and the service runs no language model",
  },
  {
    of: "tenant settings",
    members: ["maintenanceWindowEnabled", "maintenanceWindowDay", "maintenanceWindowTime"],
    reason:
      "they delay automatic upgrades; a deployment here is upgraded only by an update, and [maintenance windows](maintenance-windows.md) limit when `svc` may send one",
  },
  {
    of: "notification recipient",
    members: ["SLACK"],
    reason: "messages to channels need an app of the operator at the chat service",
  },
  {
    of: "embed access",
    members: ["groupId"],
    reason: "access belongs to the embed tenant itself, not to a group of all its users",
  },
  {
    of: "app configuration",
    members: ["sheetsUi", "timezoneSettings", "appTheme.palette"],
    reason: "the values that they take are not public",
  },
];
