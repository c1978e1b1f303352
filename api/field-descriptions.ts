// What members of requests and answers mean, by their name: said once for every place where a name means the same.
// A member that means something else in its place has a description of its own there.
import type { TSchema } from "typebox";

const identity = {
  id: "Numeric id, unique in its account.",
  name: "Name by which requests call it.",
  username: "Name that the user signs in with; an external user's is its external id.",
  email: "Email address; of an external user, where notifications go.",
  firstName: "Name that people see.",
  isAdmin: "The user has the admin role.",
  userId: "Id of a user.",
  notificationId: "Id of a notification.",
  ownerUserId: "The user whose rights a key has; the caller where it is left out.",
  externalId: "Stable id of an external user in your own system: lowercase and trimmed.",
  internalId: "Username of one of the account's own users.",
  embedUserId: "Id of an external user.",
  embedTenantName: "Name of an embed tenant.",
  createdAt: "When it was made, in UTC.",
  updatedAt: "When it was changed last, in UTC.",
  lastLogin: "When the user was let in last, in UTC.",
  userCount: "How many users are in it.",
  isPublic: "Every account may use it.",
  provider: "Whose machines it is made of.",
  title: "Title that people see.",
  displayName: "Name that people see.",
  description: "What it is for; an empty text is none.",
  isDeactivated: "The user's keys and sessions are refused.",
  action: "What is done to the users.",
  userIds: "The users, each once.",
  success: "It was done.",
  search: "A part of a name, in any case.",
};

const deployment = {
  deploymentId: "Id of a deployment.",
  deploymentIds: "The deployments that a key reaches; `null` for all.",
  deploymentUrl: "Address of the deployment's data API.",
  creationStep: "How far its set-up has come.",
  region: "Name of the region that it lives in.",
  cloudProvider: "Who runs the machines.",
  targetPlatform: "Whose machines they are.",
  isManaged: "The vendor runs it.",
  creationMethod: "How the data model came in at first.",
  deployMode: "How changes of the data model come in.",
  template: "How many machines it has.",
  releaseChannel: "Update channel; given without a version, the deployment moves to its newest.",
  releaseChannelVersion:
    "Version of the platform: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`; it must be on the deployment's list.",
  releaseChannelVersionHold:
    "Keeps automatic upgrades away; a version that is not its channel's newest sets it unless it is given.",
  version: "The version without its image: `1.2.3`.",
  svcImageVersion: "Tag of the container image in effect.",
  isLatestInChannel: "It is its channel's newest.",
  isCurrent: "The deployment runs it.",
  deployBranchName: "Branch that production is built from.",
  deployBranchReadOnly: "Nobody writes to the deploy branch directly.",
  deployBranchMergeAllowed: "Branches may be merged into the deploy branch.",
  deployProjectRoot: "Folder of the data model.",
  isSvcSqlEnabled: "The SQL interface is on.",
  isSupportPreAggregations: "Pre-aggregations are on.",
  customDomain: "Domain that replaces the host of its address; an empty text clears it.",
  autoDomain: "The host of its address.",
  defaultLaunchpadViewGroup: "Group of views that people see first; an empty text clears it.",
  launchpadTabs: "Tabs that people see, in their order.",
  templateVariables:
    "Values of the template, by name; an update merges them, and `null` removes one.",
  cspsConfig: "The customer's own storage.",
  enabled: "It is used.",
  storageProvider: "Whose storage it is.",
  s3Bucket: "Bucket on S3.",
  s3Region: "Region of the bucket.",
  s3Sse: "Encryption of the bucket.",
  awsRoleArn: "Role on AWS.",
  gcsBucket: "Bucket on GCS.",
  gcpServiceAccountEmail: "Service account on GCP.",
  gcpWorkloadIdentityProvider: "Workload identity provider on GCP.",
  azureStorageAccount: "Storage account on Azure.",
  azureContainer: "Container on Azure.",
  azureTenantId: "Tenant on Azure.",
  azureClientId: "Client on Azure.",
  env_variables: "The variables to set; others stay.",
  expiresIn: "Life of the token in seconds; a day where it is left out.",
  svcApiToken: "Token for the deployment's data API: a secret.",
};

const workbook = {
  workbookId: "Id of a workbook.",
  slug: "What a workbook is called in addresses: lowercase, unique in its deployment.",
  slugTakeover: "Takes the slug from the workbook that has it.",
  meta: "Values of your own, by name.",
  dashboardDraft: "The draft of its dashboard.",
  publishedDashboard: "Its published dashboard.",
  dashboardId: "Id of a dashboard.",
  publicId: "Id of a published dashboard in addresses; it never changes.",
  dashboardPublicId: "Public id of a published dashboard.",
  status: "What has become of it.",
  allowEmbed: "Signed embedding may show it.",
  config: "What the dashboard shows and how.",
  versionNumber: "How often it was saved.",
  kind: "A classic dashboard, or an app.",
  layout: "Layout, as the product exports it.",
  theme: "Theme, as the product exports it.",
  settings: "Settings, as the product exports them.",
  widgets: "What is on it, from top to bottom.",
  position: "Where it stands on the dashboard's grid.",
  x: "Columns from the left.",
  y: "Rows from the top.",
  w: "Columns that it takes.",
  h: "Rows that it takes.",
  responsiveLayouts: "Positions on other widths, as the product exports them.",
  style: "Style, as the product exports it.",
};

const notification = {
  scheduleType: "How often it is sent.",
  minute: "Minute of the hour.",
  hour: "Hour of the day.",
  dayOfWeek: "Day of the week; 0 is Sunday.",
  dayOfMonth: "Day of the month; one that a month does not have is passed over.",
  customCron:
    "Cron expression: minute, hour, day of the month, month, day of the week (0 is Sunday).",
  cronExpression: "When it is sent, as a cron expression.",
  humanReadableSchedule: "When it is sent, in words.",
  timezone: "Time zone of the schedule, as the IANA database calls it.",
  isEnabled: "It runs at all.",
  notificationEnabled: "Its runs are delivered to recipients.",
  notificationFormat: "What is delivered.",
  notificationAiSummary: "A written summary comes with it.",
  filters: "Filters of the dashboard while it is rendered.",
  timeGrains: "Time grains, as the product exports them.",
  memberSwitchers: "Member switchers, as the product exports them.",
  member: "Member of the data model: `view.member`.",
  operator: "How the member is compared.",
  caseSensitive: "Capitals count.",
  startInclusive: "The beginning of a range belongs to it.",
  endInclusive: "The end of a range belongs to it.",
  recipients: "Whom it is about, 1 to 1000.",
  createdRecipients: "Newly subscribed.",
  updatedRecipients: "Subscribed before, with something changed.",
  unchangedRecipients: "Subscribed before and left as they were.",
  recipientUserId: "Only what this user receives.",
  recipientEmail: "Only what is delivered to this address, in any case.",
  recipientExternalId: "Only what this external user receives; with `recipientEmbedTenantName`.",
  recipientEmbedTenantName: "The embed tenant of `recipientExternalId`.",
  channelId: "Id of a Slack channel; nobody can subscribe one.",
  channelName: "Name of a Slack channel; nobody can subscribe one.",
};

const embedding = {
  userProfile: "What is shown of an external user; what it leaves out is kept.",
  picture:
    "Absolute http or https address of the avatar, in any script, kept to the letter. Only its form is checked; the viewer's browser loads it.",
  embedTenantProfile: "What is shown of the embed tenant.",
  creatorMode: "Groups and attributes are those of the embed tenant; needs the account's flag.",
  userAttributes: "Values of attributes, each name at most once; those not named are kept.",
  groups:
    "Names of groups: omitted keeps memberships, an empty list clears them, else they are replaced.",
  tenantGroups:
    "Names of the embed tenant's groups: omitted keeps memberships, an empty list clears them, else they are replaced.",
  userAttributeDefinitions: "Attributes to be there in the embed tenant; needs `creatorMode`.",
  groupDefinitions: "Groups to be there in the embed tenant; needs `creatorMode`.",
  securityContext: "Free-form context that queries are made with.",
  showDashboardChat:
    "Chat on embedded dashboards: omitted inherits the account's setting, `false` hides it, `true` shows it.",
  sessionId: "Identifier of a session: a secret.",
  members: "External users, each by exactly one id, 1 to 1000.",
  addedMembers: "Those who were not in the group.",
  unchangedMembers: "Those who were in it already.",
  users: "External users, 1 to 100.",
  succeeded: "Those that are as wished now.",
  failed: "Those that were left as they were, each with the reason.",
  userAttributeId: "Id of an attribute.",
  defaultValue:
    "Value of users who have none, written as text: a number, `true` or `false`, the items of a list with commas between or as a JSON list. An empty text is none.",
  formattedValue: "The value as people read it.",
};

const rest = {
  token: "The secret, shown this once.",
  prefix: "The first characters of the secret, to tell keys apart.",
  items: "The page, in the order of the list.",
  pageInfo: "Where the page lies in its list.",
  hasNextPage: "There is more after it.",
  hasPreviousPage: "There is more before it.",
  startCursor: "Cursor of its first item.",
  endCursor: "Cursor of its last item; `after` takes it for the next page.",
  pagination: "Use `pageInfo`.",
  total: "Items of the whole list.",
  offset: "Items passed over.",
  limit: "Items at most on the page.",
  count: "Items on the page.",
  totalCount: "Items of the whole list.",
  error: "What is wrong and what to do, for people.",
  message: "What is wrong and what to do, for people.",
  statusCode: "The status of the answer.",
  details:
    "Facts for machines; `errors` lists what breaks the schema or is refused by a rule, each with its path.",
};

const descriptionsByName: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...identity,
    ...deployment,
    ...workbook,
    ...notification,
    ...embedding,
    ...rest,
  }),
);

/** The members, each with a description: its own, else what its name means everywhere. */
export function describeMembers<P extends Readonly<Record<string, TSchema>>>(properties: P): P {
  const described = Object.entries(properties).map(([name, schema]) => {
    const description = descriptionsByName.get(name);
    const own: { readonly description?: string } = schema;
    if (own.description !== undefined || description === undefined) return [name, schema];
    return [name, withDescription(schema, description)];
  });
  return Object.fromEntries(described) as P;
}

/** TypeBox keeps what it needs in properties that a spread would pass over. */
function withDescription(schema: TSchema, description: string): TSchema {
  const copy: TSchema = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
  return Object.assign(copy, { description });
}
