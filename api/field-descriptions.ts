// Default descriptions of request and response members, by member name. A member whose meaning differs in one place declares
// its own description there.
import type { TObject, TProperties, TSchema } from "typebox";
import { withRecordedOnly } from "../core/schema/traits.ts";

const identity = {
  id: "Numeric ID, unique in the account.",
  name: "Name of the object.",
  username: "Name that the user signs in with. For an external user, the external ID.",
  email: "Email address. For an external user, the address that notifications are sent to.",
  firstName: "Display name.",
  isAdmin: "Whether the user has the admin role.",
  userId: "ID of a user.",
  groupId: "ID of a group.",
  roleId: "ID of a role.",
  policies: "What the role permits.",
  userPolicies: "Policies of users on the object.",
  groupPolicies: "Policies of groups on the object.",
  inheritedUserPolicies: "Policies of users that the object inherits.",
  inheritedGroupPolicies: "Policies of groups that the object inherits.",
  sourceFolder: "Folder that an inherited policy is set on.",
  notificationId: "ID of a notification.",
  permissions: "Chosen permissions. `null` means all permissions of the owner.",
  states: "States that the key can access. `null` means those that `permissions` allow.",
  defaultRoles: "Names of the user's roles. Administrators have all permissions in addition.",
  ownerUserId: "ID of the user whose permissions the key has. Defaults to the caller.",
  externalId:
    "Stable ID of an external user in your own system: lowercase, without surrounding white space.",
  internalId: "Username of one of the account's own users.",
  embedUserId: "ID of an external user.",
  embedTenantName: "Name of an embed tenant.",
  createdAt: "Time of creation, in UTC.",
  updatedAt: "Time of the last update, in UTC.",
  lastViewedAt: "Time of the last view, in UTC. Omitted if there was none.",
  lastLogin: "Time of the user's last sign-in, in UTC.",
  userCount: "Number of users it contains.",
  isPublic: "Whether every account can use it.",
  provider: "Cloud provider.",
  title: "Display title.",
  displayName: "Display name.",
  description: "Description. An empty string means no description.",
  isDeactivated:
    "Whether the user is deactivated. A deactivated user's keys and sessions are rejected.",
  action: "Action to perform.",
  userIds: "IDs of the users, without duplicates.",
  success: "Whether the operation succeeded.",
  useCreatorMode:
    "Whether sessions may use creator mode, and define groups and attributes of an embed tenant.",
  personalKeysEnabled:
    "Whether users who are not administrators can own API keys. Their keys are kept when it is disabled, and rejected with 403.",
  embeddingEnabled:
    "Whether signed embedding is enabled. While it is disabled, sessions and embed tokens are rejected.",
  search: "Case-insensitive substring of the name.",
};

const automation = {
  environmentId: "ID of an environment.",
  data: "The created object.",
  created_at: "Time of creation, in UTC.",
  expires_at: "Time after which the token is rejected, in UTC.",
  scopes: "What the token is limited to. A token without `scopes` is not limited.",
  repoUrl: "Address of the Git remote.",
  branch: "Branch of the remote.",
  projectRoot: "Folder of the project in the repository.",
  manifestPath: "Path of the manifest in the project.",
  outputPath: "Folder of the generated files in the data model.",
  knownHosts: "Host keys of the remote, as lines of a `known_hosts` file.",
  startedAt: "Time of the start, in UTC.",
  completedAt: "Time of the end, in UTC.",
  durationMs: "Duration in milliseconds.",
  timestamp: "Time of the line, in UTC.",
  date: "Time of the line, in UTC.",
  triggerContext: "What the sync was started for.",
  progress: "How far the sync is.",
  stage: "Current stage.",
  percentComplete: "Completed part, from 0 to 100.",
  generatedFiles: "The generated files.",
  manifestStats: "Counts of the manifest.",
  models: "Number of models in the manifest.",
  sources: "Number of sources in the manifest.",
  macros: "Number of macros in the manifest.",
  cubeCount: "Number of generated cubes.",
  generatedFileCount: "Number of generated files.",
  path: "Path of the file in the data model.",
  content: "Content of the file.",
};

const deployment = {
  deploymentId: "ID of a deployment.",
  deploymentIds: "IDs of the deployments that the key can access. `null` means all deployments.",
  deploymentUrl: "URL of the deployment's data API.",
  creationStep: "Current step of the deployment's setup.",
  region: "Name of the region that the deployment runs in.",
  cloudProvider: "Cloud provider that runs the deployment.",
  targetPlatform: "Cloud platform that hosts the deployment.",
  isManaged: "Whether the vendor manages the deployment.",
  creationMethod: "How the data model was first imported.",
  deployMode:
    "How the deploy branch changes: with `cli` by uploads and merges only, which the connected Git remote neither gets nor changes; with `git`, the default, also by pushes to that remote, which gets all changes.",
  template: "Size of the deployment.",
  releaseChannel:
    "Release channel. Without a version, the deployment upgrades to the newest version of the channel.",
  releaseChannelVersion:
    "Platform version: `1.2.3`, `v1.2.3`, `<image>:v1.2.3`, or the name of a channel for that channel's newest version. The version must be one of the deployment's available versions.",
  releaseChannelVersionHold:
    "Whether automatic upgrades are disabled. Defaults to `true` when the version is not the newest of its channel.",
  version: "Version number without the image name: `1.2.3`.",
  svcImageVersion: "Tag of the container image in use.",
  isLatestInChannel: "Whether this is the newest version of its channel.",
  isCurrent: "Whether the deployment runs this version.",
  deployBranchName: "Git branch that production is built from.",
  deployBranchReadOnly: "Whether direct commits to the deploy branch are rejected.",
  deployBranchMergeAllowed: "Whether branches can be merged into the deploy branch.",
  deployProjectRoot: "Folder that contains the data model.",
  isSvcSqlEnabled: "Whether the SQL interface is enabled, which this service lacks.",
  isSupportPreAggregations: "Whether pre-aggregations are supported, which is always the case.",
  customDomain:
    "Domain that replaces the host of the deployment's URL. An empty string removes it.",
  autoDomain: "Host name that the service assigned to the deployment.",
  defaultLaunchpadViewGroup:
    "Group of views shown first on the launchpad. An empty string removes it.",
  launchpadTabs: "Tabs of the launchpad, in display order.",
  templateVariables:
    "Template variables, by name. An update merges them; `null` removes a variable.",
  cspsConfig: "Customer-provided storage.",
  enabled: "Whether the storage is used.",
  storageProvider: "Storage provider.",
  s3Bucket: "S3 bucket.",
  s3Region: "Region of the S3 bucket.",
  s3Sse: "Server-side encryption of the S3 bucket.",
  awsRoleArn: "ARN of the AWS role.",
  gcsBucket: "Google Cloud Storage bucket.",
  gcpServiceAccountEmail: "Email of the GCP service account.",
  gcpWorkloadIdentityProvider: "GCP workload identity provider.",
  azureStorageAccount: "Azure storage account.",
  azureContainer: "Azure storage container.",
  azureTenantId: "ID of the Azure tenant.",
  azureClientId: "ID of the Azure client.",
  env_variables: "Variables to set. Other variables do not change.",
  expiresIn: "Lifetime of the token in seconds. Defaults to one day.",
  svcApiToken: "Token for the deployment's data API. This value is a secret.",
};

const workbook = {
  workbookId: "ID of a workbook.",
  slug: "Name of the workbook in URLs: lowercase, unique in the deployment.",
  slugTakeover: "Whether to move the slug from the workbook that currently has it.",
  meta: "Custom values, by name.",
  dashboardDraft: "Draft of the workbook's dashboard.",
  publishedDashboard: "Published dashboard of the workbook.",
  dashboardId: "ID of a dashboard.",
  publicId:
    "ID of a published dashboard in URLs. It stays as long as the workbook; a workbook that is deleted and created again gets another one.",
  dashboardPublicId: "Public ID of a published dashboard.",
  status: "Status of the dashboard.",
  allowEmbed: "Whether signed embedding can show the dashboard.",
  config: "Content and layout of the dashboard.",
  versionNumber: "Number of times the dashboard was saved.",
  kind: "Type of dashboard: classic, or app.",
  layout: "Layout, in the product's export format.",
  theme: "Theme, in the product's export format.",
  settings: "Settings, in the product's export format.",
  widgets: "Widgets of the dashboard, from top to bottom.",
  position: "Position on the dashboard's grid.",
  x: "Column, counted from the left.",
  y: "Row, counted from the top.",
  w: "Width in columns.",
  h: "Height in rows.",
  responsiveLayouts: "Positions at other screen widths, in the product's export format.",
  style: "Style, in the product's export format.",
};

const report = {
  reportId: "ID of a report.",
  jsonQuery: "Query of the data API, as JSON text.",
  sqlQuery: "Query in SQL, as the data API takes it, for a report without `jsonQuery`.",
  pivotItems:
    "Dimensions of the rows, `x`, and of the columns, `y`, where a chart shows the report as a pivot table.",
  source: "Where the report was created.",
  host: "Host of the spreadsheet.",
  externalWorkbookId: "ID of the spreadsheet that shows the results.",
  resultLocation: "First cell of the results.",
  endResultCell: "Last cell of the results.",
  sheetId: "ID of the sheet that shows the results.",
  workbookName: "Name of the spreadsheet that shows the results.",
  resultChecksum: "Checksum of the results.",
  user: "User who created it.",
  refreshedByUser: "User who refreshed the results last.",
  refreshedAt: "Time of the last refresh, in UTC.",
  sortBy: "What the reports are ordered by.",
  sortDirection: "Direction of the order.",
};

const folder = {
  type: "Type of the object.",
  folderId: "ID of a folder. Omitted for an object at the root.",
  parentId: "ID of the folder that contains it. Omitted at the root.",
  createdBy: "ID of the user who created it.",
  updatedBy: "ID of the user who last changed it.",
  orderByField: "What the items are ordered by.",
  orderByDirection: "Direction of the order.",
};

const notification = {
  scheduleType: "How often the notification is sent.",
  minute: "Minute of the hour.",
  hour: "Hour of the day.",
  dayOfWeek: "Day of the week; 0 is Sunday.",
  dayOfMonth: "Day of the month. Months without this day are skipped.",
  customCron:
    "Cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday).",
  cronExpression: "Schedule as a cron expression.",
  humanReadableSchedule: "Schedule in words.",
  timezone: "IANA time zone of the schedule.",
  isEnabled: "Whether the schedule is active.",
  notificationEnabled: "Whether each run is delivered to the recipients.",
  notificationFormat: "File format of the delivery.",
  notificationAiSummary:
    "Whether the mail starts with a generated summary: for each chart, its highest and lowest number, or how it changed over time. This service computes it, without a language model.",
  filters: "Filters applied to the dashboard when it is rendered.",
  timeGrains:
    "Granularities of time dimensions when the dashboard is rendered: `{ member, grain }`; without `member`, of all.",
  memberSwitchers: "Members that replace others when the dashboard is rendered: `{ from, to }`.",
  member: "Member of the data model: `view.member`.",
  operator: "Comparison operator.",
  caseSensitive: "Whether the comparison is case-sensitive.",
  startInclusive: "Whether the start of a range is included.",
  endInclusive: "Whether the end of a range is included.",
  recipients: "Recipients, 1 to 1000.",
  createdRecipients: "Recipients that this call subscribed.",
  updatedRecipients: "Existing recipients that this call changed.",
  unchangedRecipients: "Existing recipients that this call did not change.",
  recipientUserId: "Returns only notifications that this user receives.",
  recipientEmail:
    "Returns only notifications delivered to this address, compared case-insensitively.",
  recipientExternalId:
    "Returns only notifications that this external user receives. Requires `recipientEmbedTenantName`.",
  recipientEmbedTenantName: "Embed tenant of `recipientExternalId`.",
  channelId: "ID of a Slack channel. Slack recipients are not supported.",
  channelName: "Name of a Slack channel. Slack recipients are not supported.",
};

const embedding = {
  userProfile: "Profile of the external user. Omitted members are kept.",
  picture:
    "HTTP or HTTPS URL of the avatar, stored unchanged. Only the syntax is checked; the viewer's browser loads the image.",
  embedTenantProfile: "Profile of the embed tenant.",
  creatorMode:
    "Whether groups and attributes belong to the embed tenant, in this request and in the access policies that queries of an external user meet. Requires the account's creator mode setting.",
  userAttributes:
    "Attribute values, each name at most once. Attributes that are not listed keep their values.",
  groups:
    "Group names. Omit to keep the memberships; an empty list removes all; any other list replaces them.",
  tenantGroups:
    "Names of the embed tenant's groups. Omit to keep the memberships; an empty list removes all; any other list replaces them.",
  userAttributeDefinitions:
    "Attributes to create or update in the embed tenant. Requires `creatorMode`.",
  groupDefinitions: "Groups to create or update in the embed tenant. Requires `creatorMode`.",
  securityContext: "Custom context that queries run with.",
  showDashboardChat:
    "Whether embedded dashboards show the chat. Omit to use the account's setting, by default `true`.",
  allowAi: "Whether the page offers AI features. Omit to use the account's setting.",
  allowChatWorkspaceAuthoring:
    "Whether the chat may create content in the workspace. Omit to let the page decide.",
  locale: "Language of the page, as a BCP 47 tag such as `en-GB`.",
  showAiWidgets: "Whether dashboards show AI widgets. Omit to use the account's setting.",
  showDashboardSettings: "Whether dashboards show their settings. Omit to let the page decide.",
  showGroupByCube: "Whether members are grouped by data model. Omit to let the page decide.",
  showMemberNames: "Whether members show their technical names. Omit to let the page decide.",
  showWorkbookChat: "Whether workbooks show the chat. Omit to use the account's setting.",
  showWorkbookShare: "Whether workbooks can be shared. Omit to let the page decide.",
  tenantGroupDefinitions:
    "Groups to create or update in the embed tenant. Requires `embedTenantName`.",
  isEphemeral:
    "Whether an external user that this session creates is deleted with its last session. A later session or request without it makes the user permanent.",
  roles:
    "Names of the roles that the session has in its deployment, in place of the role of external users.",
  branchName: "Name of a branch of the data model.",
  commentId: "ID of a comment.",
  publicDashboardId:
    "Public ID of the dashboard that the page opens, which must allow embedding. The embed tenant must have access to its workbook. The session views and exports only this dashboard, whatever its roles grant, and its queries end with that access.",
  embedTheme:
    "Name of the theme of the page. `dark` is the dark mode of the account's theme, every other name its light mode.",
  sessionId: "ID of a session. This value is a secret.",
  members: "External users, each identified by exactly one ID, 1 to 1000.",
  addedMembers: "Users that this call added to the group.",
  unchangedMembers: "Users that were already in the group.",
  users: "External users, 1 to 100.",
  succeeded: "Users that the call created or updated.",
  failed: "Users that the call did not change, each with the error.",
  userAttributeId: "ID of an attribute.",
  defaultValue:
    "Default value as text: a number, `true` or `false`, or list items as a JSON list or separated by commas. An empty string means no default.",
  formattedValue: "Value as display text.",
};

const dataModel = {
  resolveMergeConflict:
    "Which version of a file with a conflict is kept: `ours`, that of the branch, or `theirs`, that of its parent.",
  branchName: "Name of a branch of the data model.",
  branchId: "ID of a branch, in place of its name.",
  parentBranch: "Branch that it was created from.",
  from: "Branch to create it from. Defaults to the deploy branch.",
  files: "Files of the data model.",
  transaction: "The upload.",
  commitMessage: "Message of the commit.",
  mode: "Whether the branch is production or in development.",
  autoRemoveFiles: "Whether files that `files` does not list are removed.",
  activate: "Whether to point the credential's session at the branch.",
  exitDevMode: "Whether to end the session.",
  switchToParentBranch: "Whether the session of the credential moves to the parent branch.",
  deleteBranch: "Whether to delete the merged branch.",
  removeBranchAfterMerge: "Whether to delete the merged branch.",
};

const account = {
  appTheme: "Theme of the application.",
  embedding: "What embedded pages show unless their session says otherwise.",
  light: "Theme on a light background.",
  dark: "Theme on a dark background.",
  typography: "Fonts of the pages.",
  logoUrl: "HTTP or HTTPS URL of the logo.",
  integrationId: "ID of an OAuth integration.",
  audienceType: "Who the tokens are for.",
  component: "Part of the platform that the token is for. Defaults to `svc_api`.",
};

const rest = {
  syncedAt: "When the branches were last compared with the remote.",
  token: "The secret. It is returned only once.",
  prefix: "First characters of the secret, to identify the key.",
  items: "Items of the page, in list order.",
  pageInfo: "Position of the page in the list.",
  hasNextPage: "Whether another page follows.",
  hasPreviousPage: "Whether a page precedes this one.",
  startCursor: "Cursor of the first item.",
  endCursor: "Cursor of the last item. Pass it as `after` to get the next page.",
  pagination: "Deprecated: use `pageInfo`.",
  total: "Number of items in the whole list.",
  offset: "Number of items skipped.",
  limit: "Maximum number of items on the page.",
  count: "Number of items on the page.",
  totalCount: "Number of items in the whole list.",
  error: "Error message: what is wrong, and what to do.",
  message: "Error message: what is wrong, and what to do.",
  statusCode: "HTTP status code.",
  details: "Machine-readable details. `errors` lists each invalid member with its path.",
};

const descriptionsByName: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...automation,
    ...identity,
    ...deployment,
    ...workbook,
    ...folder,
    ...report,
    ...notification,
    ...embedding,
    ...dataModel,
    ...account,
    ...rest,
  }),
);

/**
 * Returns an object schema whose members get the default descriptions where they have none. They get them when they are first
 * read: a command reads few of the schemas of the API, and to describe all of them is a twentieth of the CPU of its start.
 */
export function withDefaultDescriptions<S extends TObject>(schema: S): S {
  const { properties } = schema;
  let described: TProperties | undefined;
  return Object.defineProperty(schema, "properties", {
    configurable: true,
    enumerable: true,
    get: () => (described ??= describeMembers(properties)),
  });
}

function describeMembers(properties: TProperties): TProperties {
  const described = Object.entries(properties).map(([name, schema]) => {
    const own: Described = schema;
    const description = own.anyOf?.[0]?.description ?? descriptionsByName.get(name);
    if (own.description !== undefined || description === undefined) return [name, schema];
    return [name, withDescription(schema, withRecordedOnly(description, schema))];
  });
  return Object.fromEntries(described);
}

interface Described {
  readonly description?: string;
  readonly anyOf?: readonly { readonly description?: string }[];
}

/** Copies the schema with its non-enumerable TypeBox properties, which a spread drops. */
function withDescription(schema: TSchema, description: string): TSchema {
  const copy: TSchema = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
  return Object.assign(copy, { description });
}
