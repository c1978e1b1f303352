// Operations on the Git remote of a deployment's data model.
import { Type } from "typebox";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { gitCommitPattern, gitRemotePattern } from "../core/text/text-patterns.ts";
import { documentedRule, field, oneOf } from "../core/schema/traits.ts";
import { NewBranchName } from "./branches.ts";
import { deploymentScope, Id, nullish, strictObject, Timestamp } from "./schemas.ts";

const area = "git";
const base = "/build/api/v1/deployments/{deploymentId}/git";
const byDeployment = strictObject({ deploymentId: Id });

/** Folder of the data model in a repository. */
export const ProjectRoot = Type.String({
  maxLength: limits.modelPathLength,
  description:
    "Folder of the repository that contains the data model. Empty for the whole repository.",
});

/** Whether a branch and the remote have the same commits. */
export const SyncStatus = oneOf(["synced", "pending", "conflict", "failed"]);
/** The meaning of {@link SyncStatus}. */
export const syncStatusDoc =
  "`synced`: the branch and the remote have the same files. `pending`: commits are not pushed yet. `conflict`: both changed the same lines; pull with `resolveMergeConflict`. `failed`: the remote refused or did not answer, and the service tries again.";

/** Hash of a commit, in full. */
export const GitCommit = documentedRule(
  Type.String({ maxLength: 64, description: "Hash of the commit, in full." }),
  { pattern: gitCommitPattern },
);

/** The connection of a data model to a Git remote. */
export const GitConnection = strictObject({
  deploymentId: Id,
  remoteUrl: Type.String({ description: "URL of the remote, without a password." }),
  branch: Type.String({ description: "Branch of the remote that production is built from." }),
  deployProjectRoot: Type.String({
    description: "Folder of the repository that contains the data model.",
  }),
  commit: Type.Optional(
    Type.String({
      description: "Commit that production is pinned to. Missing if production follows the branch.",
    }),
  ),
  username: Type.Optional(Type.String({ description: "User name that the token belongs to." })),
  knownHosts: Type.Optional(Type.String({ description: "Host keys that SSH accepts." })),
  installationId: Type.Optional(
    Type.Integer({ description: "Installation of the GitHub App that the remote belongs to." }),
  ),
  hasCredential: Type.Boolean({ description: "Whether a token or private key is stored." }),
  hasWebhookSecret: Type.Boolean({ description: "Whether webhooks are accepted." }),
  status: field(SyncStatus, {
    doc: `The status of the branch that needs most attention. ${syncStatusDoc}`,
    volatile: true,
  }),
  branches: Type.Array(
    strictObject({
      name: Type.String({ description: "Name of the branch, here and at the remote." }),
      commit: Type.Optional(
        Type.String({ description: "Commit of the remote that the branch last had in common." }),
      ),
      status: field(SyncStatus, { doc: syncStatusDoc }),
      errorText: Type.Optional(Type.String({ description: "Why the last attempt failed." })),
    }),
    {
      description:
        "Shared branches. Personal dev-mode branches are not pushed, and neither are branches whose name begins with `svc-apply-`, which the provider creates for a moment.",
    },
  ),
  syncedAt: Type.Optional(Timestamp),
});

/** Get the Git connection of a deployment. */
export const getGitConnection = defineOperation({
  id: "getGitConnection",
  area,
  method: "GET",
  path: base,
  summary: "Get the Git connection of a deployment",
  description: "Returns the remote and the status of each branch, never a secret.",
  source: "proposed",
  effect: "read",
  permission: { action: "SchemaRead", scope: deploymentScope },
  params: byDeployment,
  answer: GitConnection,
  errorCodes: ["not_found"],
});

const secret = (doc: string, maxLength = 16_384) =>
  nullish(field(Type.String({ maxLength }), { doc, sensitive: true, writeOnly: true }));

/** Secret of webhooks. */
export const WebhookSecret = secret(
  "Secret that signs webhooks: GitHub's secret or GitLab's token. An empty string removes it.",
  1024,
);

/** Whether files of the deploy branch may be lost. */
export const ReplaceFiles = nullish(
  Type.Boolean({
    description:
      "Whether the files of the remote may replace different files of the deploy branch. Otherwise such a connection is refused.",
  }),
);

/** Connect a deployment to a Git remote. */
export const connectGit = defineOperation({
  id: "connectGit",
  area,
  method: "POST",
  path: `${base}/connect`,
  summary: "Connect a deployment to a Git remote",
  description:
    "Reads the branch of the remote, replaces the files of the deploy branch by them, and starts a build. An empty repository receives the files of the deploy branch instead. Commits to shared branches are pushed from then on. A second call changes the connection; secrets that it omits are kept while the host and port stay the same. With `commit`, production is built from this commit of the branch and stays there until a later call: the deploy branch takes neither pushes of the remote nor changes here. With `commit: null`, or another remote or branch, production follows the branch again. Nothing changes if the remote cannot be read. Remotes in private networks and in folders need the operator's permission.",
  source: "proposed",
  effect: "write",
  cost: 20,
  repeatable: true,
  permission: { action: "SchemaUpdate", scope: deploymentScope },
  params: byDeployment,
  body: strictObject({
    remoteUrl: documentedRule(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          "`https://host/path`, `ssh://user@host/path`, `user@host:path`, or the path of a folder on the server.",
      }),
      { pattern: gitRemotePattern },
    ),
    branch: Type.Optional(
      Type.Union([NewBranchName, Type.Null()], {
        description: "Branch of the remote that production is built from.",
      }),
    ),
    commit: Type.Optional(
      Type.Union([GitCommit, Type.Null()], {
        description: `Commit to build production from, one of the newest ${limits.gitPinHistory} of the branch. An omitted one stays while the remote and the branch do; null removes it.`,
      }),
    ),
    deployProjectRoot: nullish(ProjectRoot),
    username: Type.Optional(
      Type.Union([Type.String({ maxLength: 255 }), Type.Null()], {
        description: "User name for the token. Default: `x-access-token`.",
      }),
    ),
    token: secret("Token or password for HTTPS. An empty string removes it."),
    privateKey: secret("Private key for SSH, without a passphrase. An empty string removes it."),
    knownHosts: nullish(
      Type.String({
        maxLength: 16_384,
        description: "Host keys that SSH accepts, as `ssh-keyscan` prints them. Required for SSH.",
      }),
    ),
    webhookSecret: WebhookSecret,
    replaceFiles: ReplaceFiles,
  }),
  answer: GitConnection,
  errorCodes: ["not_found", "conflict", "limit_reached", "too_large", "unavailable"],
});

/** List the commits that a deployment can be pinned to. */
export const listGitCommits = defineOperation({
  id: "listGitCommits",
  area,
  method: "GET",
  path: `${base}/commits`,
  summary: "List the commits that a deployment can be pinned to",
  description: `Reads the branch of the remote. Returns its newest commits, at most ${limits.gitHistory}, each followed by its first parent: the states that the branch had. If the deployment is pinned, the last ${limits.gitRunCommits} commits that it had follow, as far as the branch has them. Commits that only a merged branch had are left out.`,
  source: "proposed",
  effect: "read",
  cost: 20,
  permission: { action: "SchemaRead", scope: deploymentScope },
  params: byDeployment,
  answer: strictObject({
    commit: Type.String({ description: "Hash of the commit." }),
    branch: Type.String({ description: "Branch of the remote that has it." }),
    isNewest: Type.Boolean({ description: "Whether it is the last commit of the branch." }),
    subject: Type.String({ description: "First line of its message." }),
    committedAt: field(Timestamp, { doc: "When it was committed, in UTC." }),
  }),
  list: "cursor",
  errorCodes: ["not_found", "conflict", "unavailable"],
});

/** Disconnect a deployment from its Git remote. */
export const disconnectGit = defineOperation({
  id: "disconnectGit",
  area,
  method: "DELETE",
  path: base,
  summary: "Disconnect a deployment from its Git remote",
  description:
    "Removes the connection and its secrets. The branches and their files stay, here and at the remote. Commits that were not pushed stay here only.",
  source: "proposed",
  effect: "write",
  permission: { action: "SchemaUpdate", scope: deploymentScope },
  params: byDeployment,
  answer: strictObject({ success: Type.Boolean() }),
  errorCodes: ["not_found"],
});

/** Returns the schema of a webhook's body. */
export function webhookEvent(description: string) {
  const schema = Type.Object({}, { description, additionalProperties: true });
  return Type.Unsafe<JsonObject>(schema);
}

/** How webhooks are authenticated. */
export const webhookSignatureDoc =
  "The request is signed with the webhook secret as GitHub does it (`X-Hub-Signature-256`), or carries it as GitLab does it (`X-Gitlab-Token`). Returns 401 for any other request";

/** Receive a webhook of a Git provider. */
export const receiveGitWebhook = defineOperation({
  id: "receiveGitWebhook",
  area,
  method: "POST",
  path: `${base}/webhook`,
  summary: "Receive a webhook of a Git provider",
  description: `Pulls the branches of the remote in the background. ${webhookSignatureDoc}, also if there is no such connection.`,
  source: "proposed",
  effect: "write",
  repeatable: true,
  permission: "public",
  verbatim: true,
  params: byDeployment,
  body: webhookEvent("Event of the provider. Its content is not used."),
  status: 202,
  answer: strictObject({ success: Type.Boolean() }),
  errorCodes: ["unauthenticated"],
});
