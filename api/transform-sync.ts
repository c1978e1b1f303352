// Operations on transformation projects: the integration of a deployment, and the syncs that generate model files from it.
import { Type } from "typebox";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { gitRefNamePattern, gitRemotePattern } from "../core/text/text-patterns.ts";
import { documentedRule, field, oneOf, optionalForClient } from "../core/schema/traits.ts";
import { NewBranchName } from "./branches.ts";
import { webhookEvent, WebhookSecret, webhookSignatureDoc } from "./git.ts";
import { deploymentScope, Id, nullish, strictObject, Timestamp } from "./schemas.ts";

const area = "transform-sync";
const base = "/api/v1/deployments/{deploymentId}/transform-sync";
const integrationPath = "/api/v1/deployments/{deploymentId}/transform-integration";
const byDeployment = strictObject({ deploymentId: Id });
const SyncJobId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "ID of a sync, as `startSync` returns it.",
});
const bySync = strictObject({ deploymentId: Id, syncJobId: SyncJobId });
const reading = { action: "SchemaRead", scope: deploymentScope } as const;
const changing = { action: "SchemaUpdate", scope: deploymentScope } as const;

/** Statuses of syncs in the history. */
export const syncStatuses = ["RUNNING", "COMPLETED", "FAILED", "CANCELLED", "UNKNOWN"] as const;
/** The triggers of syncs. */
export const syncTriggers = ["manual", "api", "webhook", "agent", "unknown"] as const;
/** Phases of a sync. */
export const syncPhases = ["repo-clone", "compile", "write"] as const;

const Phase = oneOf(syncPhases);
const phaseDoc =
  "`repo-clone`: fetch the ref and its manifest. `compile`: generate the model files from the manifest. `write`: store them.";
const Phases = Type.Array(
  strictObject({
    phase: field(Phase, { doc: phaseDoc }),
    startedOffsetMs: Type.Integer({ minimum: 0, description: "Time since the sync began." }),
    durationMs: Type.Integer({ minimum: 0, description: "Duration of the phase." }),
    outcome: field(oneOf(["ok", "failed"]), { doc: "How the phase ended." }),
  }),
  { description: "Ended phases. All times are of one monotonic clock." },
);
const Stats = strictObject(
  {
    models: Type.Integer({ minimum: 0 }),
    sources: Type.Integer({ minimum: 0 }),
    macros: Type.Integer({ minimum: 0 }),
    cubeCount: Type.Optional(Type.Integer({ minimum: 0 })),
    generatedFileCount: Type.Optional(Type.Integer({ minimum: 0 })),
    toolVersion: Type.Optional(Type.String({ description: "Version that wrote the manifest." })),
    manifestGeneratedAt: Type.Optional(Type.String({ description: "Time in the manifest." })),
  },
  { description: "Counts of the manifest and of what was generated." },
);
/** The fields of a run, in the history and in its status. */
const outcome = {
  gitRef: Type.Optional(Type.String({ description: "Branch or tag of the remote." })),
  failedPhase: Type.Optional(field(Phase, { doc: `Phase that failed. ${phaseDoc}` })),
  durationMs: Type.Optional(Type.Integer({ minimum: 0, description: "Duration of the sync." })),
  phases: Type.Optional(Phases),
  stats: Type.Optional(Stats),
};

const SyncSource = oneOf(["git", "manifest"]);
const BranchOfRun = Type.String({
  description:
    "Shared branch that gets the files; it exists once the sync has completed, unless a push changed no file.",
});

/** List syncs. */
export const listSyncs = defineOperation({
  id: "listSyncs",
  area,
  method: "GET",
  path: base,
  summary: "List the syncs of a transformation project",
  description: `Returns syncs, newest first, at most ${limits.syncPage} a page. A cancelled sync is \`CANCELLED\` here. The newest ${limits.syncsKept} syncs are kept.`,
  source: "public",
  effect: "read",
  permission: reading,
  params: byDeployment,
  query: strictObject({
    status: Type.Optional(field(oneOf(syncStatuses), { doc: "Only syncs with this status." })),
    trigger: Type.Optional(field(oneOf(syncTriggers), { doc: "Only syncs with this trigger." })),
  }),
  answer: strictObject({
    syncJobId: SyncJobId,
    deploymentId: Id,
    status: field(oneOf(syncStatuses), { doc: "Status.", volatile: true }),
    trigger: field(oneOf(syncTriggers), { doc: "What started the sync." }),
    source: field(SyncSource, { doc: "Where the manifest came from." }),
    branchName: BranchOfRun,
    startedAt: Timestamp,
    completedAt: Type.Optional(Timestamp),
    lastStage: Type.Optional(Type.String({ description: "Last stage that the sync reached." })),
    errorMessage: Type.Optional(Type.String({ description: "Why the sync failed." })),
    userId: Type.Optional(Id),
    triggerContext: Type.Optional(
      strictObject({
        headSha: Type.String({ description: "Commit that the ref was at." }),
        pushedBranch: Type.Optional(
          Type.String({ description: "Branch or tag whose push started the sync." }),
        ),
        targetBranch: Type.Optional(
          Type.String({
            description: "Shared branch that gets the files of all pushes to that ref.",
          }),
        ),
      }),
    ),
    ...outcome,
  }),
  list: "cursor",
  page: { defaultSize: limits.syncPage, max: limits.syncPage },
  errorCodes: ["not_found"],
});

/** Start a sync. */
export const startSync = defineOperation({
  id: "startSync",
  area,
  method: "POST",
  path: base,
  summary: "Start a sync of a transformation project",
  description:
    "Reads the manifest that the project's tool wrote, from the Git remote of the integration or from the request, and generates a cube for each model. The files replace those of the integration's folder on a new shared branch, or are kept for an hour with `output: files`. The service does not run the tool.",
  source: "public",
  effect: "write",
  cost: 50,
  permission: changing,
  params: byDeployment,
  body: strictObject({
    ref: nullish(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: gitRefNamePattern,
        description:
          "Branch or tag of the remote, not a commit. A branch comes before a tag of the same name. Default: the branch of the integration.",
      }),
    ),
    branchName: Type.Optional(
      Type.Union([NewBranchName, Type.Null()], {
        description: "Name of the new shared branch. Default: a unique name with the ref.",
      }),
    ),
    source: nullish(field(SyncSource, { doc: "Where the manifest comes from. Default: `git`." })),
    manifest: nullish(
      Type.Unsafe<JsonObject>(
        Type.Object({}, { additionalProperties: true, description: "Manifest for `manifest`." }),
      ),
    ),
    output: nullish(
      field(oneOf(["branch", "files"]), { doc: "Where the files go. Default: `branch`." }),
    ),
  }),
  bodyOptional: true,
  answer: strictObject({
    syncJobId: SyncJobId,
    workflowId: Type.String({ description: "Same as `syncJobId`." }),
    branchName: BranchOfRun,
  }),
  errorCodes: ["not_found", "conflict", "limit_reached"],
});

/** Get the status of a sync. */
export const getSyncStatus = defineOperation({
  id: "getSyncStatus",
  area,
  method: "GET",
  path: `${base}/{syncJobId}`,
  summary: "Get the status of a sync",
  description:
    "`COMPLETED` and `FAILED` are final; every other status means that the sync runs. A cancelled sync is `FAILED` here, with the reason in `error`.",
  source: "public",
  effect: "read",
  permission: reading,
  params: bySync,
  answer: strictObject({
    syncJobId: SyncJobId,
    status: Type.String({ description: "Stage of the sync, or its final status." }),
    progress: strictObject({
      stage: Type.String(),
      percentComplete: Type.Integer({ minimum: 0, maximum: 100 }),
      message: Type.Optional(Type.String()),
    }),
    error: Type.Optional(Type.String({ description: "Why the sync failed." })),
    updatedAt: Timestamp,
    branchName: Type.Optional(BranchOfRun),
    ...outcome,
  }),
  errorCodes: ["not_found"],
});

/** Cancel a sync. */
export const cancelSync = defineOperation({
  id: "cancelSync",
  area,
  method: "DELETE",
  path: `${base}/{syncJobId}`,
  summary: "Cancel a sync",
  description: "Cancels a sync that runs. It writes nothing more. Returns 409 for one that ended.",
  source: "public",
  effect: "write",
  repeatable: true,
  permission: changing,
  params: bySync,
  answer: strictObject({ message: Type.String() }),
  errorCodes: ["not_found", "conflict"],
});

/** Get the result of a sync. */
export const getSyncResult = defineOperation({
  id: "getSyncResult",
  area,
  method: "GET",
  path: `${base}/{syncJobId}/result`,
  summary: "Get the result of a sync",
  description: "Returns what a completed sync generated, and 404 for any other.",
  source: "public",
  effect: "read",
  permission: reading,
  params: bySync,
  answer: strictObject({
    syncJobId: SyncJobId,
    generatedFiles: Type.Array(strictObject({ path: Type.String() })),
    manifestStats: strictObject({
      models: Type.Integer({ minimum: 0 }),
      sources: Type.Integer({ minimum: 0 }),
      macros: Type.Integer({ minimum: 0 }),
    }),
    cubeCount: Type.Integer({ minimum: 0 }),
    completedAt: Timestamp,
    durationMs: Type.Integer({ minimum: 0 }),
  }),
  errorCodes: ["not_found"],
});

/** List the log of a sync. */
export const listSyncLogs = defineOperation({
  id: "listSyncLogs",
  area,
  method: "GET",
  path: `${base}/{syncJobId}/logs`,
  summary: "List the log of a sync",
  description: "Returns a line for each phase with its duration, and for its failure.",
  source: "public",
  effect: "read",
  permission: reading,
  params: bySync,
  answer: strictObject({
    timestamp: Timestamp,
    level: field(oneOf(["info", "error"]), { doc: "Whether the line is an error." }),
    stream: field(oneOf(["system"]), { doc: "Where the line comes from." }),
    message: Type.String(),
    phase: Type.Optional(field(Phase, { doc: phaseDoc })),
    durationMs: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  list: "cursor",
  errorCodes: ["not_found"],
});

/** List the files that a sync generated. */
export const listSyncFiles = defineOperation({
  id: "listSyncFiles",
  area,
  method: "GET",
  path: `${base}/{syncJobId}/generated-files`,
  summary: "List the files that a sync generated",
  description:
    "Returns the files of a sync with `output: files` for an hour, and 404 afterwards and for any other sync.",
  source: "public",
  effect: "read",
  permission: reading,
  params: bySync,
  answer: strictObject({ path: Type.String(), content: Type.String() }),
  list: "cursor",
  errorCodes: ["not_found"],
});

const Folder = Type.String({ maxLength: limits.modelPathLength });

/** The parts of an integration that are not secrets. */
const settings = {
  repoUrl: documentedRule(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        "URL of the Git remote: `https://host/path`, `ssh://user@host/path`, `user@host:path`, or a folder on the server.",
    }),
    { pattern: gitRemotePattern },
  ),
  branch: nullish(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: gitRefNamePattern,
      description: "Branch or tag to sync by default. Default: the remote's default branch.",
    }),
  ),
  projectRoot: nullish(
    field(Folder, { doc: "Folder of the project in the repository. Empty for the whole one." }),
  ),
  manifestPath: nullish(
    field(Folder, { doc: "Path of the manifest in the project. Default: `target/manifest.json`." }),
  ),
  outputPath: nullish(
    field(Folder, { doc: "Folder of the generated files. Default: `model/cubes/transform`." }),
  ),
  username: nullish(
    Type.String({
      maxLength: 255,
      description: "User name for the token. Default: `x-access-token`.",
    }),
  ),
  knownHosts: nullish(
    Type.String({ maxLength: 16_384, description: "Host keys that SSH accepts." }),
  ),
};
const secret = (doc: string) =>
  nullish(field(Type.String({ maxLength: 16_384 }), { doc, sensitive: true, writeOnly: true }));

/** The integration of a transformation project. */
export const TransformIntegration = strictObject({
  deploymentId: Id,
  repoUrl: Type.String(),
  branch: Type.Optional(Type.String()),
  projectRoot: Type.String(),
  manifestPath: Type.String(),
  outputPath: Type.String(),
  username: Type.Optional(Type.String()),
  knownHosts: Type.Optional(Type.String()),
  hasCredential: Type.Boolean({ description: "Whether a token or private key is stored." }),
  hasWebhookSecret: optionalForClient(
    Type.Boolean({ description: "Whether webhooks start syncs." }),
  ),
});

/** Get the integration of a transformation project. */
export const getTransformIntegration = defineOperation({
  id: "getTransformIntegration",
  area,
  method: "GET",
  path: integrationPath,
  summary: "Get the integration of a transformation project",
  description: "Returns the repository of the project, never a secret.",
  source: "proposed",
  effect: "read",
  permission: reading,
  params: byDeployment,
  answer: TransformIntegration,
  errorCodes: ["not_found"],
});

/** Set the integration of a transformation project. */
export const setTransformIntegration = defineOperation({
  id: "setTransformIntegration",
  area,
  method: "PUT",
  path: integrationPath,
  summary: "Set the integration of a transformation project",
  description:
    "Creates or replaces the integration. Omitted settings get their defaults. Omitted secrets are kept while the host and port stay the same; an empty string removes one. The repository is read when a sync runs.",
  source: "proposed",
  effect: "write",
  repeatable: true,
  permission: changing,
  params: byDeployment,
  body: strictObject({
    ...settings,
    token: secret("Token or password for HTTPS. An empty string removes it."),
    privateKey: secret("Private key for SSH, without a passphrase. An empty string removes it."),
    webhookSecret: WebhookSecret,
  }),
  answer: TransformIntegration,
  errorCodes: ["not_found"],
});

/** Delete the integration of a transformation project. */
export const deleteTransformIntegration = defineOperation({
  id: "deleteTransformIntegration",
  area,
  method: "DELETE",
  path: integrationPath,
  summary: "Delete the integration of a transformation project",
  description: "Deletes the integration with its secrets. Branches and the history stay.",
  source: "proposed",
  effect: "write",
  permission: changing,
  params: byDeployment,
  answer: strictObject({ success: Type.Boolean() }),
  errorCodes: ["not_found"],
});

/** Receive a webhook that starts a sync. */
export const receiveSyncWebhook = defineOperation({
  id: "receiveSyncWebhook",
  area,
  method: "POST",
  path: `${integrationPath}/webhook`,
  summary: "Receive a webhook that starts a sync",
  description: `Starts a sync after a push to the branch or tag of the integration, unless a sync from a webhook has read that commit or is queued to read it. Pushes have no limit of syncs. The files of all pushes to \`main\` go to the shared branch \`sync/main\`, which is created from the deploy branch, and again after it was deleted. A push that changes no file creates no branch and no commit. Other events change nothing. ${webhookSignatureDoc}, also if there is no integration.`,
  source: "proposed",
  effect: "write",
  repeatable: true,
  permission: "public",
  verbatim: true,
  params: byDeployment,
  body: webhookEvent(
    "Event of the provider. Of a push, `ref`, `after` and the default branch are read.",
  ),
  status: 202,
  answer: strictObject({ success: Type.Boolean() }),
  errorCodes: ["unauthenticated"],
});
