// The permission actions of the API, and the built-in roles that grant them. `authorize.ts` evaluates them.

/** An action: its effect, the actions that it includes, and whether roles can grant it. */
interface ActionInfo {
  readonly doc: string;
  readonly includes?: readonly string[];
  /** Only administrators have it: no role can grant it. */
  readonly administrators?: true;
  /** An addition of this project: public facts do not name it. */
  readonly proposed?: true;
  /** No operation needs it, or an action that it includes, so that granting it permits nothing. */
  readonly unused?: true;
}

const administrators = { administrators: true, proposed: true } as const;
const unused = true;

/** Every action, in the order of the reference. */
export const actions = {
  All: { doc: "do everything", administrators: true },
  ReadAll: {
    doc: "do what every action whose name ends in Read allows, except StateRead; list OAuth integrations, and the policies of objects",
    ...administrators,
  },
  DeploymentsManage: {
    doc: "create, read, update and delete deployments",
    includes: ["DeploymentCreate", "DeploymentRead", "DeploymentUpdate", "DeploymentDelete"],
  },
  DeploymentCreate: { doc: "create deployments" },
  DeploymentRead: { doc: "read a deployment and its settings", includes: ["EmbedDeploymentRead"] },
  DeploymentUpdate: {
    doc: "update the general settings of a deployment",
    includes: ["DeploymentRead"],
  },
  DeploymentDelete: { doc: "delete a deployment" },
  DeploymentTokenCreate: {
    doc: "create tokens for the data API of a deployment",
    ...administrators,
  },
  SecretsRead: { doc: "list environment variables; secret values stay masked", proposed: true },
  SecretsManage: {
    doc: "manage environment variables and data sources",
    includes: ["SecretsRead"],
  },
  DownloadData: { doc: "download query results", includes: ["EmbedExport"] },
  PlaygroundRead: { doc: "query in the playground" },
  SchemaRead: { doc: "read the data model and its development branches" },
  SchemaUpdate: {
    doc: "edit any branch of the data model, including the deploy branch",
    includes: ["SchemaUpdateDevBranches"],
  },
  SchemaUpdateDevBranches: {
    doc: "edit branches other than the deploy branch",
    includes: ["SchemaRead"],
  },
  APMRead: { doc: "read query history, performance and usage" },
  ChatHistoryRead: { doc: "read the chat history", unused },
  PreAggregationBuild: { doc: "build pre-aggregations", unused },
  AlertsCreate: { doc: "create alerts", unused, includes: ["AlertsRead"] },
  AlertsRead: { doc: "read alerts", unused },
  AlertsUpdate: { doc: "update alerts", unused, includes: ["AlertsRead"] },
  AlertsDelete: { doc: "delete alerts", unused, includes: ["AlertsRead"] },
  AuditLogRead: { doc: "read the audit log", proposed: true },
  AuditLogManage: { doc: "export the audit log", includes: ["AuditLogRead"] },
  BillingRead: { doc: "read billing", unused },
  SqlRunnerRead: { doc: "run SQL queries", unused },
  DataAssetsRead: { doc: "read data assets", unused },
  DataAssetsManage: { doc: "manage data assets", unused, includes: ["DataAssetsRead"] },
  SvcNetworkConnect: { doc: "connect to the private network", unused },
  ReportRead: { doc: "read reports" },
  ReportEdit: { doc: "edit reports", includes: ["ReportRead"] },
  ReportManage: { doc: "manage reports", includes: ["ReportEdit"] },
  WorkbookManage: { doc: "delete and publish workbooks", includes: ["WorkbookEdit"] },
  WorkbookRead: { doc: "read workbooks and dashboards", includes: ["EmbedDashboardRead"] },
  WorkbookEdit: { doc: "create and edit workbooks", includes: ["WorkbookRead"] },
  ChatThreadRead: { doc: "read chat threads", unused },
  AgentManage: { doc: "manage agents", unused, includes: ["AgentRead"] },
  AgentRead: { doc: "use agents", unused },
  AgentSpaceManage: { doc: "manage agent spaces", unused },
  AgentAdmin: { doc: "administer agents", unused, includes: ["AgentManage", "AgentSpaceManage"] },
  DeploymentAgentRead: { doc: "use the agents of a deployment" },
  OAuthIntegrationsManage: {
    doc: "manage OAuth integrations",
    includes: ["OAuthIntegrationsIssueTokens"],
  },
  OAuthIntegrationsIssueTokens: { doc: "issue tokens of OAuth integrations" },
  McpToolsManage: { doc: "manage tools of agents", unused },
  AIBIDevelop: { doc: "develop analyses", includes: ["AIBIExplore"] },
  AIBIExplore: { doc: "explore data", includes: ["AIBIView"] },
  AIBIView: { doc: "view analyses" },
  ChartPalettesManage: { doc: "manage chart palettes", unused },
  DashboardThemesManage: { doc: "manage dashboard themes", unused },
  AIBIDeveloper: { doc: "have the developer tier", includes: ["AIBIUser"] },
  AIBIUser: { doc: "have the explorer tier", includes: ["AIBIViewer"] },
  AIBIViewer: { doc: "have the viewer tier" },
  EmbedDeploymentRead: { doc: "read the name and address of a deployment" },
  EmbedDashboardRead: { doc: "view embedded dashboards" },
  EmbedExport: { doc: "export the dashboards that one may view", proposed: true },
  EmbedDashboardManage: {
    doc: "enable and disable embedding of dashboards, and set which embed tenants may view them",
    ...administrators,
  },
  EmbedSessionsManage: {
    doc: "create, list and revoke sessions of signed embedding",
    ...administrators,
  },
  EmbedTenantsRead: {
    doc: "read embed tenants, their users, groups and attributes, and which workbooks they may view",
    ...administrators,
  },
  EmbedTenantsManage: {
    doc: "manage embed tenants, their users, groups and attributes",
    includes: ["EmbedTenantsRead"],
    ...administrators,
  },
  FolderRead: {
    doc: "read folders and what is in them",
    includes: ["WorkbookRead", "ReportRead"],
  },
  FolderEdit: {
    doc: "edit folders and what is in them",
    includes: ["FolderRead", "WorkbookEdit", "ReportEdit"],
  },
  FolderManage: {
    doc: "manage folders and what is in them",
    includes: ["FolderEdit", "WorkbookManage", "ReportManage"],
  },
  ScheduledTasksCreate: { doc: "schedule tasks", unused },
  NotificationsRead: { doc: "read notifications and their recipients", ...administrators },
  NotificationsManage: {
    doc: "manage notifications and their recipients",
    includes: ["NotificationsRead"],
    ...administrators,
  },
  DirectoryRead: { doc: "list the names of users, groups and user attributes", proposed: true },
  UsersRead: {
    doc: "read users with their roles, groups and attribute values",
    includes: ["DirectoryRead"],
    ...administrators,
  },
  UsersManage: {
    doc: "manage users, groups and user attributes",
    includes: ["UsersRead"],
    ...administrators,
  },
  RolesRead: { doc: "read roles and the users who have them", ...administrators },
  RolesManage: { doc: "manage roles and assign them", includes: ["RolesRead"], ...administrators },
  ResourcePoliciesManage: {
    doc: "read and set the policies of every object; whoever manages an object manages its policies too",
    ...administrators,
  },
  PersonalKeysRead: { doc: "list one's own API keys, without their secrets", proposed: true },
  PersonalKeysManage: {
    doc: "create, update and delete one's own API keys; users of an account with `personalKeysEnabled` have it without a role",
    includes: ["PersonalKeysRead"],
    proposed: true,
  },
  ApiKeysRead: {
    doc: "list API keys, without their secrets, and workload trusts",
    includes: ["PersonalKeysRead"],
    ...administrators,
  },
  ApiKeysManage: {
    doc: "manage API keys and workload trusts",
    includes: ["ApiKeysRead", "PersonalKeysManage"],
    ...administrators,
  },
  TenantSettingsRead: { doc: "read the tenant settings", ...administrators },
  TenantSettingsManage: {
    doc: "update the tenant settings",
    includes: ["TenantSettingsRead"],
    ...administrators,
  },
  ScimRead: { doc: "read users and groups through SCIM", ...administrators },
  ScimManage: {
    doc: "manage users and groups through SCIM",
    includes: ["ScimRead"],
    ...administrators,
  },
  StateRead: { doc: "read states, which can contain secrets", ...administrators },
  StateWrite: { doc: "write, lock and delete states", includes: ["StateRead"], ...administrators },
} as const satisfies Readonly<Record<string, ActionInfo>>;

/** An action that an operation needs and that roles and API keys grant. */
export type PermissionAction = keyof typeof actions;

/** The names of all actions. */
export const permissionActions = Object.keys(actions) as readonly PermissionAction[];

/** Returns the effect of an action, in a few words. */
export function actionInfo(action: PermissionAction): ActionInfo {
  return actions[action];
}

/** Returns whether only administrators have the action. */
export function isForAdministrators(action: PermissionAction): boolean {
  return actionInfo(action).administrators === true;
}

/** Returns whether a role can grant the action. `All` grants every action that is not reserved for administrators. */
export function isGrantable(action: PermissionAction): boolean {
  return action === "All" || !isForAdministrators(action);
}

/** Returns whether no operation needs the action, or one that it includes. */
export function isUnused(action: PermissionAction): boolean {
  return actionInfo(action).unused === true;
}

/** Types of objects that rights can be limited to. */
export const resourceTypes = [
  "Global",
  "Deployment",
  "Report",
  "ReportFolder",
  "Agent",
  "AgentSpace",
  "Workbook",
  "Dashboard",
  "Folder",
  "ChatThread",
] as const;

/** One of {@link resourceTypes}. */
export type ResourceType = (typeof resourceTypes)[number];

/** The types of which no operation has objects, so that a grant on them permits nothing. */
const typesWithoutObjects: readonly ResourceType[] = ["Agent", "AgentSpace", "ChatThread"];

/** Returns whether operations have objects of the type. */
export function hasObjects(type: ResourceType): boolean {
  return !typesWithoutObjects.includes(type);
}

/** The types of objects in deployments that policies can be set on. */
export const contentPolicyTypes = ["Folder", "Workbook", "Dashboard", "Report"] as const;

/** The types of objects that policies can be set on. */
export const policyTypes = ["Deployment", ...contentPolicyTypes] as const;

/** One of {@link policyTypes}. */
export type PolicyType = (typeof policyTypes)[number];

/** The types that requests name: `ReportFolder` is an older name of `Folder`. */
export const namedPolicyTypes = [...policyTypes, "ReportFolder"] as const;

/** One of {@link namedPolicyTypes}. */
export type NamedPolicyType = (typeof namedPolicyTypes)[number];

/** Returns the type that a request names; undefined if policies cannot be set on it. */
export function policyTypeNamed(type: NamedPolicyType): PolicyType;
export function policyTypeNamed(type: unknown): PolicyType | undefined;
export function policyTypeNamed(type: unknown): PolicyType | undefined {
  return type === "ReportFolder" ? "Folder" : policyTypes.find((one) => one === type);
}

/** A type of stored objects that policies can be set on. */
export type ResourceKind = Lowercase<PolicyType>;

/** Returns the type whose name in lower case is stored. */
export function policyTypeOf(stored: string | undefined): PolicyType {
  return policyTypes.find((type) => type.toLowerCase() === stored) ?? "Deployment";
}

/** Returns the actions that a policy on an object of the type can grant. */
export function policyActions(type: PolicyType): readonly PermissionAction[] {
  if (type === "Dashboard") return ["EmbedDashboardRead"];
  const onAny = permissionActions.filter((action) => !isForAdministrators(action));
  return onAny.filter((action) => type === "Deployment" || action.startsWith(type));
}

const sharing: Readonly<Partial<Record<string, PermissionAction>>> = {
  folder: "FolderManage",
  workbook: "WorkbookManage",
  dashboard: "WorkbookManage",
  report: "ReportManage",
};

/** Returns the action that includes managing the policies of objects of the type; undefined for administrators only. */
export function sharingAction(type: string): PermissionAction | undefined {
  return sharing[type];
}

/** Actions on all objects of a type, or on some. A grant on `Global` covers every object of the account. */
export interface Grant {
  readonly resourceType: ResourceType;
  readonly actions: readonly PermissionAction[];
  /** IDs of the objects. */
  readonly resources: "All" | readonly string[];
}

/** A role: a name for grants. */
export interface Role {
  readonly name: string;
  readonly doc: string;
  readonly grants: readonly Grant[];
}

const everywhere = (...granted: readonly PermissionAction[]): readonly Grant[] => [
  { resourceType: "Global", actions: granted, resources: "All" },
];

const viewing = [
  "DeploymentRead",
  "WorkbookRead",
  "ReportRead",
  "FolderRead",
  "DirectoryRead",
  "AIBIView",
  "AIBIViewer",
] as const;

const exploring = [
  ...viewing,
  "WorkbookEdit",
  "ReportEdit",
  "FolderEdit",
  "SchemaRead",
  "PlaygroundRead",
  "DownloadData",
  "AlertsCreate",
  "AlertsUpdate",
  "AlertsDelete",
  "ScheduledTasksCreate",
  "AgentRead",
  "DeploymentAgentRead",
  "AIBIExplore",
  "AIBIUser",
] as const;

const analyzing = [
  ...exploring,
  "WorkbookManage",
  "ReportManage",
  "FolderManage",
  "SchemaUpdateDevBranches",
  "SqlRunnerRead",
  "DataAssetsRead",
  "AgentManage",
  "AIBIDevelop",
  "AIBIDeveloper",
] as const;

const developing = [
  ...analyzing,
  "SchemaUpdate",
  "APMRead",
  "PreAggregationBuild",
  "DataAssetsManage",
] as const;

/** The built-in roles that users can have. Administrators have all permissions without a role. */
export const userRoles = [
  "Developer",
  "AIBIDeveloper",
  "D3User",
  "AIBIUser",
  "AIBIViewer",
  "Guest",
] as const;

/** One of {@link userRoles}. */
export type UserRole = (typeof userRoles)[number];

/** The permissions of users without a role in an account where all users may create keys. */
export const personalKeyGrants = everywhere("PersonalKeysManage");

/** The role of users without one. */
export const defaultRole: UserRole = "AIBIViewer";

/** The role of external users. */
export const externalUserRole = "EmbedUser";

/** The built-in roles. `Admin` is the mark `isAdmin` of a user; `EmbedUser` is the role of external users. */
export const builtInRoles = {
  Admin: { name: "Admin", doc: "has all permissions", grants: everywhere("All") },
  Developer: { name: "Developer", doc: "develops data models", grants: everywhere(...developing) },
  AIBIDeveloper: {
    name: "AIBIDeveloper",
    doc: "develops workbooks, and data models in development branches",
    grants: everywhere(...analyzing),
  },
  D3User: {
    name: "D3User",
    doc: "uses agents",
    grants: everywhere("DeploymentRead", "AgentRead", "DeploymentAgentRead", "DirectoryRead"),
  },
  AIBIUser: { name: "AIBIUser", doc: "edits workbooks", grants: everywhere(...exploring) },
  AIBIViewer: {
    name: "AIBIViewer",
    doc: "reads workbooks; the role of users without another one",
    grants: everywhere(...viewing),
  },
  Guest: { name: "Guest", doc: "has only what is granted on single objects", grants: [] },
  EmbedUser: {
    name: "EmbedUser",
    doc: "views embedded dashboards",
    grants: everywhere("EmbedDeploymentRead", "EmbedDashboardRead"),
  },
} as const satisfies Readonly<Record<UserRole | "Admin" | "EmbedUser", Role>>;
