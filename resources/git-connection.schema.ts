// Spec and status schemas of GitConnection.
import { Type } from "typebox";
import { NewBranchName } from "../api/branches.ts";
import { GitCommit, ProjectRoot, SyncStatus, syncStatusDoc } from "../api/git.ts";
import { Id } from "../api/schemas.ts";
import { field } from "../core/schema/traits.ts";
import { deploymentField } from "./codec.ts";
import { remoteCredential, remoteUrlField, webhookSecretField } from "./git-remote.schema.ts";
import { statusSchema } from "./status-schema.ts";

/** The spec schema. */
export const spec = Type.Object({
  deployment: deploymentField,
  remoteUrl: remoteUrlField,
  branch: Type.Optional(
    field(NewBranchName, {
      doc: "Branch of the remote that production is built from, by default the default branch of the remote. It becomes the `deployBranchName` of the deployment; declare one of the two.",
      serverChosen: true,
      neverCleared: true,
    }),
  ),
  deployProjectRoot: Type.Optional(
    field(ProjectRoot, {
      doc: "Folder of the repository that contains the data model, without slashes around it. Empty for the whole repository. It becomes the `deployProjectRoot` of the deployment, which it defaults to; declare one of the two.",
      serverChosen: true,
      neverCleared: true,
    }),
  ),
  commit: Type.Optional(
    field(GitCommit, {
      doc: "Commit of the branch that production is built from; `svc git commits` lists them. It pins the deploy branch: pushes of the remote do not reach production, and nothing else changes the branch. Without it, production follows the branch.",
      whenOmitted: "clear",
    }),
  ),
  ...remoteCredential,
  webhookSecret: webhookSecretField,
  replaceFiles: Type.Optional(
    field(Type.Boolean(), {
      doc: "Whether the files of the remote may replace different files of the deploy branch. Otherwise such a connection is refused.",
      onChange: "ignore",
      writeOnly: true,
    }),
  ),
});

/** The status schema. */
export const status = statusSchema({
  deploymentId: Id,
  hasCredential: field(Type.Boolean(), { doc: "Whether a token or private key is stored." }),
  hasWebhookSecret: field(Type.Boolean(), { doc: "Whether webhooks are accepted." }),
  headCommit: Type.Optional(
    field(Type.String(), {
      doc: "Commit of the remote that the deploy branch has. Missing before its first push.",
      volatile: true,
    }),
  ),
  installationId: Type.Optional(
    field(Type.Integer(), {
      doc: "Installation of the GitHub App that the remote belongs to. A change of the object ends its use.",
    }),
  ),
  status: field(SyncStatus, {
    doc: `The status of the branch that needs most attention. ${syncStatusDoc}`,
    volatile: true,
  }),
});
