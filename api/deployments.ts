// Area deployments: making them, their settings with the version they run, tokens for their data, and their steps of set-up.
import { Type } from "typebox";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import { hostNameOrNone } from "../core/texts.ts";
import { oneOf, undemanded } from "../core/traits.ts";
import {
  closed,
  Id,
  maybe,
  deploymentAdmins,
  deploymentInsiders,
  deploymentReaders,
  Name,
} from "./schemas.ts";

const area = "deployments";
const base = "/api/v1/deployments";
const one = `${base}/{deploymentId}` as const;
const byId = closed({ deploymentId: Id });

/** How far a deployment has come in being set up. */
export const CreationStep = oneOf([
  "project",
  "upload",
  "schema",
  "github",
  "ssh",
  "databases",
  "ready",
  "demo",
]);

/** The update channels. */
export const releaseChannels = ["latest", "release"] as const;

/** One of the update channels. */
export const ReleaseChannel = oneOf(releaseChannels);
/** Who runs the machines. */
export const CloudProvider = oneOf(["svccloud", "aws", "gcp"]);
/** How the data model came in at first. */
export const CreationMethod = oneOf(["upload", "svccloud", "github", "ssh"]);
/** How changes of the data model come in. */
export const DeployMode = oneOf(["git", "cli"]);
/** How many machines a deployment has. */
export const Template = oneOf(["single", "simpleCluster", "multiCluster"]);
/** A deployment's name, unique in its account. */
export const DeploymentName = Name;
/** Whose machines they are. */
export const TargetPlatform = oneOf(["aws", "gcp"]);

const BranchName = Type.String({ minLength: 1, maxLength: 255 });

/** A version as it may be written: `1.2.3`, `v1.2.3` or `<image>:v1.2.3`. */
const VersionText = Type.String({ minLength: 1, maxLength: 255 });

const Deployment = closed({
  id: Id,
  name: Type.String(),
  deploymentUrl: undemanded(Type.String()),
  creationStep: undemanded(CreationStep),
});

/** Where the customer's own storage lies. */
export const CustomerStorage = closed({
  enabled: Type.Boolean(),
  storageProvider: Type.String({ minLength: 1, maxLength: 255 }),
  s3Bucket: maybe(Type.String({ maxLength: 255 })),
  s3Region: maybe(Type.String({ maxLength: 255 })),
  s3Sse: maybe(Type.String({ maxLength: 255 })),
  awsRoleArn: maybe(Type.String({ maxLength: 2048 })),
  gcsBucket: maybe(Type.String({ maxLength: 255 })),
  gcpServiceAccountEmail: maybe(Type.String({ maxLength: 255 })),
  gcpWorkloadIdentityProvider: maybe(Type.String({ maxLength: 2048 })),
  azureStorageAccount: maybe(Type.String({ maxLength: 255 })),
  azureContainer: maybe(Type.String({ maxLength: 255 })),
  azureTenantId: maybe(Type.String({ maxLength: 255 })),
  azureClientId: maybe(Type.String({ maxLength: 255 })),
});

/** A value of a template variable; secrets never belong here. */
export const TemplateValue = Type.Union([
  Type.String({ maxLength: 10_000 }),
  Type.Number(),
  Type.Boolean(),
]);

/** How a template variable may be called. */
export const templateNamePattern = "^[^\\u0000]{1,255}$";

const TemplateVariables = Type.Record(Type.String(), TemplateValue);

/** `null` removes a variable. */
const TemplateChanges = Type.Record(
  Type.String({ pattern: templateNamePattern }),
  Type.Union([...TemplateValue.anyOf, Type.Null()]),
  { additionalProperties: false, maxProperties: limits.templateVariables },
);

/** Everything that is set on a deployment, with the version and channel in effect. */
export const DeploymentSettings = closed({
  id: Id,
  name: Type.String(),
  template: undemanded(Template),
  cloudProvider: undemanded(CloudProvider),
  creationStep: undemanded(CreationStep),
  deploymentUrl: undemanded(Type.String()),
  releaseChannel: undemanded(ReleaseChannel),
  deployBranchName: undemanded(Type.String()),
  deployBranchReadOnly: undemanded(Type.Boolean()),
  deployBranchMergeAllowed: undemanded(Type.Boolean()),
  deployProjectRoot: undemanded(Type.String()),
  isSvcSqlEnabled: undemanded(Type.Boolean()),
  isSupportPreAggregations: undemanded(Type.Boolean()),
  region: Type.Optional(Type.String()),
  targetPlatform: Type.Optional(Type.String()),
  isManaged: Type.Optional(Type.Boolean()),
  creationMethod: Type.Optional(CreationMethod),
  deployMode: Type.Optional(DeployMode),
  releaseChannelVersion: Type.Optional(Type.String()),
  releaseChannelVersionHold: Type.Optional(Type.Boolean()),
  svcImageVersion: Type.Optional(Type.String()),
  customDomain: Type.Optional(Type.String()),
  autoDomain: Type.Optional(Type.String()),
  defaultLaunchpadViewGroup: Type.Optional(Type.String()),
  launchpadTabs: Type.Optional(Type.Array(Type.String())),
  templateVariables: Type.Optional(TemplateVariables),
  cspsConfig: Type.Optional(CustomerStorage),
});

/** Get deployments. */
export const getDeployments = defineOperation({
  id: "getDeployments",
  area,
  method: "GET",
  path: base,
  summary: "Get deployments",
  description: "A scoped key sees the deployments in its scope.",
  source: "specification",
  effect: "read",
  access: "user",
  scope: "filtered",
  query: closed({ creationStep: Type.Optional(Type.Array(CreationStep, { maxItems: 8 })) }),
  answer: Deployment,
  list: "transitional",
});

/** Get a deployment. */
export const getDeployment = defineOperation({
  id: "getDeployment",
  area,
  method: "GET",
  path: one,
  summary: "Get a deployment",
  description: "One deployment.",
  source: "public",
  effect: "read",
  ...deploymentReaders,
  params: byId,
  answer: Deployment,
  fails: ["not_found"],
});

/** Create a deployment. */
export const createDeployment = defineOperation({
  id: "createDeployment",
  area,
  method: "POST",
  path: "/build/api/v1/deployments",
  summary: "Create a deployment",
  description:
    "`name` and `region` are needed, the rest has defaults; names are unique in an account.",
  source: "public",
  effect: "write",
  access: "admin",
  scope: "account",
  body: closed({
    name: DeploymentName,
    region: Type.String({ minLength: 1, maxLength: 255 }),
    cloudProvider: maybe(CloudProvider),
    targetPlatform: maybe(TargetPlatform),
    isManaged: maybe(Type.Boolean()),
    creationStep: maybe(CreationStep),
    creationMethod: maybe(CreationMethod),
    deployMode: maybe(DeployMode),
  }),
  answer: Deployment,
  fails: ["conflict"],
});

/** Update a deployment. */
export const updateDeployment = defineOperation({
  id: "updateDeployment",
  area,
  method: "PUT",
  path: one,
  summary: "Update a deployment",
  description:
    "Omitted members are kept, and `templateVariables` merge key by key. A version off the list is refused; a channel alone moves to that channel's newest version; a version that is not its channel's newest sets the hold unless that is sent too.",
  source: "specification",
  effect: "write",
  ...deploymentAdmins,
  params: byId,
  body: closed({
    name: maybe(DeploymentName),
    cloudProvider: maybe(CloudProvider),
    creationMethod: maybe(CreationMethod),
    cspsConfig: maybe(CustomerStorage),
    customDomain: maybe(Type.String({ maxLength: 253, pattern: hostNameOrNone })),
    defaultLaunchpadViewGroup: maybe(Type.String({ maxLength: 255 })),
    deployBranchMergeAllowed: maybe(Type.Boolean()),
    deployBranchName: maybe(BranchName),
    deployBranchReadOnly: maybe(Type.Boolean()),
    deployMode: maybe(DeployMode),
    deployProjectRoot: maybe(Type.String({ maxLength: 1024 })),
    launchpadTabs: maybe(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 })),
    region: maybe(Type.String({ minLength: 1, maxLength: 255 })),
    releaseChannel: maybe(ReleaseChannel),
    releaseChannelVersion: maybe(VersionText),
    releaseChannelVersionHold: maybe(Type.Boolean()),
    template: maybe(Template),
    templateVariables: maybe(TemplateChanges),
  }),
  answer: DeploymentSettings,
  fails: ["not_found", "conflict"],
});

/** Delete a deployment. */
export const deleteDeployment = defineOperation({
  id: "deleteDeployment",
  area,
  method: "DELETE",
  path: one,
  summary: "Delete a deployment",
  description: "Deletes the deployment with everything scoped to it.",
  source: "public",
  effect: "write",
  ...deploymentAdmins,
  params: byId,
  answer: closed({ success: undemanded(Type.Boolean()) }),
  fails: ["not_found"],
});

/** Get a deployment's settings. */
export const getDeploymentSettings = defineOperation({
  id: "getDeploymentSettings",
  area,
  method: "GET",
  path: `${one}/settings`,
  summary: "Get a deployment's settings",
  description: "Reads every setting, including version and channel in effect.",
  source: "public",
  effect: "read",
  ...deploymentInsiders,
  params: byId,
  answer: DeploymentSettings,
  fails: ["not_found"],
});

/** List the versions that a deployment may run. */
export const listDeploymentVersions = defineOperation({
  id: "listDeploymentVersions",
  area,
  method: "GET",
  path: `${one}/versions`,
  summary: "List the versions that a deployment may run",
  description: "The head of each update channel, and older versions that the account ran.",
  source: "public",
  effect: "read",
  ...deploymentInsiders,
  params: byId,
  answer: closed({
    releaseChannelVersion: Type.String(),
    version: Type.String(),
    releaseChannel: ReleaseChannel,
    isLatestInChannel: Type.Boolean(),
    isCurrent: Type.Boolean(),
  }),
  list: "cursor",
  fails: ["not_found"],
});

/** Mint a data API token. */
export const deploymentToken = defineOperation({
  id: "deploymentToken",
  area,
  method: "POST",
  path: `${one}/token`,
  summary: "Mint a data API token",
  description:
    "Mints a token for the deployment's data API; it lives a day unless `expiresIn` (60 to 86,400 seconds) says less.",
  source: "public",
  effect: "write",
  ...deploymentAdmins,
  params: byId,
  body: closed({ expiresIn: maybe(Type.Integer({ minimum: 60, maximum: 86_400 })) }),
  bodyOptional: true,
  answer: closed({ svcApiToken: Type.String() }),
  fails: ["not_found"],
});

/** Advance a deployment's creation step. */
export const advanceCreationStep = defineOperation({
  id: "advanceCreationStep",
  area,
  method: "POST",
  path: `${one}/creation-step/advance`,
  summary: "Advance a deployment's creation step",
  description: "Moves the set-up of a deployment on to a step.",
  source: "public",
  effect: "write",
  repeatable: true,
  ...deploymentAdmins,
  params: byId,
  body: closed({ creationStep: CreationStep }),
  answer: Deployment,
  fails: ["not_found"],
});

/** Reset a deployment's creation step. */
export const resetCreationStep = defineOperation({
  id: "resetCreationStep",
  area,
  method: "POST",
  path: `${one}/creation-step/reset`,
  summary: "Reset a deployment's creation step",
  description: "Back to `project`, the first step.",
  source: "public",
  effect: "write",
  repeatable: true,
  ...deploymentAdmins,
  params: byId,
  answer: Deployment,
  fails: ["not_found"],
});
