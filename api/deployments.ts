// Area deployments: making them, their settings with the version they run, tokens for their data, and their steps of set-up.
import { Type } from "typebox";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import { optionalHostNamePattern } from "../core/text-patterns.ts";
import { oneOf, optionalForClient } from "../core/traits.ts";
import {
  strictObject,
  Id,
  nullish,
  deploymentAdmins,
  deploymentReadersExceptViewers,
  deploymentReaders,
  Name,
} from "./schemas.ts";

const area = "deployments";
const base = "/api/v1/deployments";
const one = `${base}/{deploymentId}` as const;
const byId = strictObject({ deploymentId: Id });

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

const Deployment = strictObject({
  id: Id,
  name: Type.String(),
  deploymentUrl: optionalForClient(Type.String()),
  creationStep: optionalForClient(CreationStep),
});

/** Where the customer's own storage lies. */
export const CustomerStorage = strictObject({
  enabled: Type.Boolean(),
  storageProvider: Type.String({ minLength: 1, maxLength: 255 }),
  s3Bucket: nullish(Type.String({ maxLength: 255 })),
  s3Region: nullish(Type.String({ maxLength: 255 })),
  s3Sse: nullish(Type.String({ maxLength: 255 })),
  awsRoleArn: nullish(Type.String({ maxLength: 2048 })),
  gcsBucket: nullish(Type.String({ maxLength: 255 })),
  gcpServiceAccountEmail: nullish(Type.String({ maxLength: 255 })),
  gcpWorkloadIdentityProvider: nullish(Type.String({ maxLength: 2048 })),
  azureStorageAccount: nullish(Type.String({ maxLength: 255 })),
  azureContainer: nullish(Type.String({ maxLength: 255 })),
  azureTenantId: nullish(Type.String({ maxLength: 255 })),
  azureClientId: nullish(Type.String({ maxLength: 255 })),
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
export const DeploymentSettings = strictObject({
  id: Id,
  name: Type.String(),
  template: optionalForClient(Template),
  cloudProvider: optionalForClient(CloudProvider),
  creationStep: optionalForClient(CreationStep),
  deploymentUrl: optionalForClient(Type.String()),
  releaseChannel: optionalForClient(ReleaseChannel),
  deployBranchName: optionalForClient(Type.String()),
  deployBranchReadOnly: optionalForClient(Type.Boolean()),
  deployBranchMergeAllowed: optionalForClient(Type.Boolean()),
  deployProjectRoot: optionalForClient(Type.String()),
  isSvcSqlEnabled: optionalForClient(Type.Boolean()),
  isSupportPreAggregations: optionalForClient(Type.Boolean()),
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
  query: strictObject({ creationStep: Type.Optional(Type.Array(CreationStep, { maxItems: 8 })) }),
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
  errorCodes: ["not_found"],
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
  body: strictObject({
    name: DeploymentName,
    region: Type.String({ minLength: 1, maxLength: 255 }),
    cloudProvider: nullish(CloudProvider),
    targetPlatform: nullish(TargetPlatform),
    isManaged: nullish(Type.Boolean()),
    creationStep: nullish(CreationStep),
    creationMethod: nullish(CreationMethod),
    deployMode: nullish(DeployMode),
  }),
  answer: Deployment,
  errorCodes: ["conflict"],
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
  body: strictObject({
    name: nullish(DeploymentName),
    cloudProvider: nullish(CloudProvider),
    creationMethod: nullish(CreationMethod),
    cspsConfig: nullish(CustomerStorage),
    customDomain: nullish(Type.String({ maxLength: 253, pattern: optionalHostNamePattern })),
    defaultLaunchpadViewGroup: nullish(Type.String({ maxLength: 255 })),
    deployBranchMergeAllowed: nullish(Type.Boolean()),
    deployBranchName: nullish(BranchName),
    deployBranchReadOnly: nullish(Type.Boolean()),
    deployMode: nullish(DeployMode),
    deployProjectRoot: nullish(Type.String({ maxLength: 1024 })),
    launchpadTabs: nullish(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 })),
    region: nullish(Type.String({ minLength: 1, maxLength: 255 })),
    releaseChannel: nullish(ReleaseChannel),
    releaseChannelVersion: nullish(VersionText),
    releaseChannelVersionHold: nullish(Type.Boolean()),
    template: nullish(Template),
    templateVariables: nullish(TemplateChanges),
  }),
  answer: DeploymentSettings,
  errorCodes: ["not_found", "conflict"],
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
  answer: strictObject({ success: optionalForClient(Type.Boolean()) }),
  errorCodes: ["not_found"],
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
  ...deploymentReadersExceptViewers,
  params: byId,
  answer: DeploymentSettings,
  errorCodes: ["not_found"],
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
  ...deploymentReadersExceptViewers,
  params: byId,
  answer: strictObject({
    releaseChannelVersion: Type.String(),
    version: Type.String(),
    releaseChannel: ReleaseChannel,
    isLatestInChannel: Type.Boolean(),
    isCurrent: Type.Boolean(),
  }),
  list: "cursor",
  errorCodes: ["not_found"],
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
  body: strictObject({ expiresIn: nullish(Type.Integer({ minimum: 60, maximum: 86_400 })) }),
  bodyOptional: true,
  answer: strictObject({ svcApiToken: Type.String() }),
  errorCodes: ["not_found"],
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
  body: strictObject({ creationStep: CreationStep }),
  answer: Deployment,
  errorCodes: ["not_found"],
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
  errorCodes: ["not_found"],
});
