// Operations on deployments: create, update, settings, versions, data API tokens and creation steps.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { channelOrVersionPattern, optionalHostNamePattern } from "../core/text/text-patterns.ts";
import { oneOf, optionalForClient, recordedOnly } from "../core/schema/traits.ts";
import { recordedBecause } from "./recorded-because.ts";
import {
  strictObject,
  Id,
  nullish,
  Name,
  anyDeployment,
  deploymentScope,
  signedToken,
} from "./schemas.ts";

const area = "deployments";
const base = "/api/v1/deployments";
const one = `${base}/{deploymentId}` as const;
const byId = strictObject({ deploymentId: Id });

/** Current step of a deployment's setup. */
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

/** The release channels. */
export const releaseChannels = ["latest", "release"] as const;

/** One of the release channels. */
export const ReleaseChannel = oneOf(releaseChannels);

/** Cloud provider that runs the deployment. */
export const CloudProvider = recordedOnly(
  oneOf(["svccloud", "aws", "gcp"]),
  recordedBecause.server,
);
/** How the data model was first imported. */
export const CreationMethod = oneOf(["upload", "svccloud", "github", "ssh"]);
/** How production changes: with `git` also by pushes to the connected Git remote, with `cli` only here. */
export const DeployMode = oneOf(["git", "cli"]);
/** Size of a deployment. */
export const Template = recordedOnly(
  oneOf(["single", "simpleCluster", "multiCluster"]),
  recordedBecause.sharedServer,
);
/** A deployment's name, unique in its account. */
export const DeploymentName = Name;
/** Cloud platform that hosts the deployment. */
export const TargetPlatform = recordedOnly(oneOf(["aws", "gcp"]), recordedBecause.server);
/** Whether the vendor manages the deployment. */
export const IsManaged = recordedOnly(Type.Boolean(), recordedBecause.server);
/** Tabs of the launchpad, in display order. */
export const LaunchpadTabs = recordedOnly(
  Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 }),
  recordedBecause.creatorMode,
);
/** Group of views shown first on the launchpad. */
export const LaunchpadViewGroup = recordedOnly(
  Type.String({ maxLength: 255 }),
  recordedBecause.creatorMode,
);

const BranchName = Type.String({ minLength: 1, maxLength: 255 });

/** A version: `1.2.3`, `v1.2.3`, `<image>:v1.2.3`, or the name of a release channel. */
const VersionText = Type.String({
  maxLength: 255,
  pattern: channelOrVersionPattern,
});

/** A deployment. */
export const Deployment = strictObject({
  id: Id,
  name: Type.String(),
  deploymentUrl: optionalForClient(Type.String()),
  creationStep: optionalForClient(CreationStep),
});

/** Customer-provided storage. */
export const CustomerStorage = recordedOnly(
  strictObject({
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
  }),
  recordedBecause.storage,
);

/** Value of a template variable. Must not be a secret. */
export const TemplateValue = Type.Union([
  Type.String({ maxLength: 10_000 }),
  Type.Number(),
  Type.Boolean(),
]);

/** Pattern of template variable names. */
export const templateNamePattern = "^[^\\u0000]{1,255}$";

/** Template variables, by name. */
export const TemplateVariables = recordedOnly(
  Type.Record(Type.String(), TemplateValue),
  recordedBecause.templates,
);

/** `null` removes a variable. */
const TemplateChanges = recordedOnly(
  Type.Record(
    Type.String({ pattern: templateNamePattern }),
    Type.Union([...TemplateValue.anyOf, Type.Null()]),
    { additionalProperties: false, maxProperties: limits.templateVariables },
  ),
  recordedBecause.templates,
);

/** All settings of a deployment, with the version and channel in use. */
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
  targetPlatform: Type.Optional(recordedOnly(Type.String(), recordedBecause.server)),
  isManaged: Type.Optional(IsManaged),
  creationMethod: Type.Optional(CreationMethod),
  deployMode: Type.Optional(DeployMode),
  releaseChannelVersion: Type.Optional(Type.String()),
  releaseChannelVersionHold: Type.Optional(Type.Boolean()),
  svcImageVersion: Type.Optional(Type.String()),
  customDomain: Type.Optional(Type.String()),
  autoDomain: Type.Optional(Type.String()),
  defaultLaunchpadViewGroup: Type.Optional(
    recordedOnly(Type.String(), recordedBecause.creatorMode),
  ),
  launchpadTabs: Type.Optional(
    recordedOnly(Type.Array(Type.String()), recordedBecause.creatorMode),
  ),
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
  description:
    "Returns deployments, newest first. A scoped key gets only the deployments in its scope.",
  source: "specification",
  effect: "read",
  permission: { action: "EmbedDeploymentRead", scope: anyDeployment },
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
  description: "Returns one deployment.",
  source: "public",
  effect: "read",
  permission: { action: "EmbedDeploymentRead", scope: deploymentScope },
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
    "`name` and `region` are required; other members have defaults. Returns 409 when the name is already in use in the account.",
  source: "public",
  effect: "write",
  permission: { action: "DeploymentCreate", scope: "account" },
  body: strictObject({
    name: DeploymentName,
    region: Type.String({ minLength: 1, maxLength: 255 }),
    cloudProvider: nullish(CloudProvider),
    targetPlatform: nullish(TargetPlatform),
    isManaged: nullish(IsManaged),
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
    "Omitted members are kept; `templateVariables` are merged by key. The version must be one of the deployment's available versions, or the name of a channel. A channel without a version upgrades to the newest version of that channel. A version that is not the newest of its channel sets `releaseChannelVersionHold`, unless the request contains it.",
  source: "specification",
  effect: "write",
  permission: { action: "DeploymentUpdate", scope: deploymentScope },
  params: byId,
  body: strictObject({
    name: nullish(DeploymentName),
    cloudProvider: nullish(CloudProvider),
    creationMethod: nullish(CreationMethod),
    cspsConfig: nullish(CustomerStorage),
    customDomain: nullish(Type.String({ maxLength: 253, pattern: optionalHostNamePattern })),
    defaultLaunchpadViewGroup: nullish(LaunchpadViewGroup),
    deployBranchMergeAllowed: nullish(Type.Boolean()),
    deployBranchName: nullish(BranchName),
    deployBranchReadOnly: nullish(Type.Boolean()),
    deployMode: nullish(DeployMode),
    deployProjectRoot: nullish(Type.String({ maxLength: 1024 })),
    launchpadTabs: nullish(LaunchpadTabs),
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
  description: "Deletes the deployment and everything in it.",
  source: "public",
  effect: "write",
  permission: { action: "DeploymentDelete", scope: deploymentScope },
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
  description: "Returns all settings, including the version and channel in use.",
  source: "public",
  effect: "read",
  permission: { action: "DeploymentRead", scope: deploymentScope },
  params: byId,
  answer: DeploymentSettings,
  errorCodes: ["not_found"],
});

/** List a deployment's available versions. */
export const listDeploymentVersions = defineOperation({
  id: "listDeploymentVersions",
  area,
  method: "GET",
  path: `${one}/versions`,
  summary: "List a deployment's available versions",
  description:
    "Returns the newest version of each release channel, and older versions that the account has run.",
  source: "public",
  effect: "read",
  permission: { action: "DeploymentRead", scope: deploymentScope },
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

/** Create a data API token. */
export const deploymentToken = defineOperation({
  id: "deploymentToken",
  area,
  method: "POST",
  path: `${one}/token`,
  summary: "Create a data API token",
  description:
    "Creates a token for the deployment's data API, with the rights of the caller, also to read SQL and tables. The token expires after one day, or after `expiresIn` seconds (60 to 86,400).",
  source: "public",
  effect: "write",
  permission: { action: "DeploymentTokenCreate", scope: deploymentScope },
  params: byId,
  body: strictObject({ expiresIn: nullish(Type.Integer({ minimum: 60, maximum: 86_400 })) }),
  bodyOptional: true,
  answer: strictObject({ svcApiToken: signedToken() }),
  errorCodes: ["not_found"],
});

/** Advance a deployment's creation step. */
export const advanceCreationStep = defineOperation({
  id: "advanceCreationStep",
  area,
  method: "POST",
  path: `${one}/creation-step/advance`,
  summary: "Advance a deployment's creation step",
  description: "Sets the current step of the deployment's setup.",
  source: "public",
  effect: "write",
  permission: { action: "DeploymentUpdate", scope: deploymentScope },
  repeatable: true,
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
  description: "Sets the creation step back to `project`, the first step.",
  source: "public",
  effect: "write",
  permission: { action: "DeploymentUpdate", scope: deploymentScope },
  repeatable: true,
  params: byId,
  answer: Deployment,
  errorCodes: ["not_found"],
});
