// Operations on GitHub: the installations of the server's GitHub App, their repositories, and connecting one.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { Deployment } from "./deployments.ts";
import { NewBranchName } from "./branches.ts";
import { ProjectRoot, ReplaceFiles, WebhookSecret } from "./git.ts";
import { deploymentScope, Id, nullish, strictObject } from "./schemas.ts";
import { repositoryNamePattern } from "../core/text/text-patterns.ts";

const area = "github";
const base = "/api/v1/github";
const forAccount = { action: "SchemaUpdate", scope: "account" } as const;

/** Get the status of the GitHub App. */
export const getGithubStatus = defineOperation({
  id: "getGithubStatus",
  area,
  method: "GET",
  path: `${base}/status`,
  summary: "Get the status of the GitHub App",
  description:
    "Returns whether the account can use an installation of the GitHub App, and where to install and configure it. The operator of the server configures the App.",
  source: "public",
  effect: "read",
  permission: forAccount,
  answer: strictObject({
    connected: Type.Boolean({ description: "Whether there is an installation." }),
    linkUrl: Type.Optional(
      Type.String({ description: "Page on which the App is installed. Omitted without an App." }),
    ),
    settingsUrl: Type.Optional(
      Type.String({ description: "Page of the newest installation. Omitted without one." }),
    ),
  }),
  errorCodes: ["conflict", "unavailable"],
});

/** List the installations of the GitHub App. */
export const listGithubInstallations = defineOperation({
  id: "listGithubInstallations",
  area,
  method: "GET",
  path: `${base}/installations`,
  summary: "List the installations of the GitHub App",
  description: "Returns the installations that the account can use, newest first.",
  source: "public",
  effect: "read",
  cost: 10,
  permission: forAccount,
  answer: strictObject({
    installationId: Type.String({ description: "ID of the installation." }),
    id: Type.String({ description: "ID of the installation." }),
    login: Type.String({ description: "Organization or user that installed the App." }),
    avatarUrl: Type.Optional(Type.String({ description: "URL of a picture." })),
  }),
  list: "cursor",
  errorCodes: ["conflict", "limit_reached", "unavailable"],
});

const InstallationId = Type.Integer({
  minimum: 1,
  maximum: limits.idMax,
  description: "ID of an installation of the GitHub App.",
});

/** List the repositories of an installation. */
export const listGithubRepositories = defineOperation({
  id: "listGithubRepositories",
  area,
  method: "GET",
  path: `${base}/installations/{installationId}/repositories`,
  summary: "List the repositories of an installation",
  description: "Returns the repositories that the installation can use, newest first.",
  source: "public",
  effect: "read",
  cost: 10,
  permission: forAccount,
  params: strictObject({ installationId: InstallationId }),
  answer: strictObject({
    id: Type.Integer({ description: "ID of the repository." }),
    name: Type.String({ description: "Name without the owner." }),
    htmlUrl: Type.String({ description: "Page of the repository." }),
  }),
  list: "cursor",
  errorCodes: ["not_found", "conflict", "limit_reached", "unavailable"],
});

const GithubName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: repositoryNamePattern,
});

/** List the branches of a repository. */
export const listGithubBranches = defineOperation({
  id: "listGithubBranches",
  area,
  method: "GET",
  path: `${base}/repositories/{owner}/{repo}/branches`,
  summary: "List the branches of a repository",
  description: "Returns the branches of a repository of the installation.",
  source: "public",
  effect: "read",
  cost: 10,
  permission: forAccount,
  params: strictObject({
    owner: Type.String({ ...GithubName, description: "Owner of the repository." }),
    repo: Type.String({ ...GithubName, description: "Name of the repository." }),
  }),
  query: strictObject({ installationId: InstallationId }),
  answer: strictObject({
    name: Type.String({ description: "Name of the branch." }),
    isDefault: Type.Boolean({ description: "Whether it is the default branch." }),
  }),
  list: "cursor",
  errorCodes: ["not_found", "conflict", "limit_reached", "unavailable"],
});

/** Connect a deployment to a GitHub repository. */
export const connectGithub = defineOperation({
  id: "connectGithub",
  area,
  method: "POST",
  path: "/build/api/v1/deployments/{deploymentId}/github/connect",
  summary: "Connect a deployment to a GitHub repository",
  description:
    "Clones the repository and starts the first build, as `connectGit` does, with tokens of the installation instead of a stored credential. `isNewRepo` creates a repository that does not exist yet; only organizations allow it. A connection to another repository needs `SchemaUpdate` for the account, because an installation can reach all of its repositories.",
  source: "public",
  effect: "write",
  cost: 10,
  repeatable: true,
  permission: { action: "SchemaUpdate", scope: deploymentScope },
  params: strictObject({ deploymentId: Id }),
  body: strictObject({
    installationId: InstallationId,
    name: Type.String({ ...GithubName, description: "Name of the repository, without its owner." }),
    deployBranchName: nullish(NewBranchName),
    branch: Type.Optional(
      Type.Union([NewBranchName, Type.Null()], {
        description: "The same as `deployBranchName`, which wins.",
      }),
    ),
    deployProjectRoot: nullish(ProjectRoot),
    isNewRepo: nullish(Type.Boolean({ description: "Whether to create the repository." })),
    private: nullish(
      Type.Boolean({ description: "Whether a new repository is private. Default: `true`." }),
    ),
    webhookSecret: WebhookSecret,
    replaceFiles: ReplaceFiles,
  }),
  answer: Deployment,
  errorCodes: ["not_found", "conflict", "limit_reached", "too_large", "unavailable"],
});
