// Operations on the data model of a deployment: its files, uploads, validation and builds.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { notBoth, ruleSchema } from "../core/schema/member-rules.ts";
import { documentedRule, field, oneOf, openForClient } from "../core/schema/traits.ts";
import { anyDeployment, deploymentScope, Id, nullish, strictObject, Timestamp } from "./schemas.ts";
import { base64Pattern, modelPathPattern, sha1Pattern } from "../core/text/text-patterns.ts";

const area = "data-model";
const base = "/build/api/v1/deployments/{deploymentId}/data-model";
const byDeployment = strictObject({ deploymentId: Id });

/** A branch to look up: any text, so that an unknown branch is `not_found` instead of `invalid`. */
export const BranchLookup = Type.String({ maxLength: 255 });

const FilePath = documentedRule(
  Type.String({
    minLength: 1,
    maxLength: limits.modelPathLength,
    description:
      "Path of a file relative to the project, such as `model/cubes/orders.yml`. A leading `/` is ignored.",
  }),
  { pattern: modelPathPattern },
);
const Sha1 = Type.String({
  pattern: sha1Pattern,
  description: "SHA-1 of the content in hexadecimal.",
});
const FileHash = strictObject({ hash: Sha1 });
/** Hashes of files by path. */
export const FileHashes = Type.Record(Type.String(), FileHash, {
  description: "Files by path.",
  maxProperties: limits.modelFiles,
});

/** Without a branch: the open dev-mode branch, otherwise the deploy branch. */
const readTarget = { branchName: Type.Optional(BranchLookup) };
/** The state with which an upload is compared. */
const uploadTarget = {
  ...readTarget,
  live: Type.Optional(
    Type.Boolean({
      description:
        "Whether to use the deploy branch, also while a dev-mode session is open. Not together with another `branchName`.",
    }),
  ),
  useDeployProjectRoot: Type.Optional(
    Type.Boolean({
      description:
        "Accepted without effect: paths are always relative to `deployProjectRoot`, the only folder of a repository that is stored.",
    }),
  ),
};
/** A branch by name or ID. An empty or absent name means the open dev-mode branch. */
export const branchTarget = { branchName: nullish(BranchLookup), branchId: nullish(Id) };

/** The rule of {@link branchTarget}. */
export const branchTargetRules = [notBoth("branchName", "branchId")];

/** A file or folder of a data model. */
export const FileNode = strictObject({
  path: Type.String({ description: "Path in the project, with a leading `/`." }),
  type: field(oneOf(["file", "directory"]), { doc: "Whether it is a file or a folder." }),
  content: Type.Optional(
    Type.String({ description: "Text of the file. Base64 for a file that is not text." }),
  ),
  encoding: Type.Optional(
    field(oneOf(["utf8", "base64"]), { doc: "How `content` holds the bytes of the file." }),
  ),
  children: Type.Optional(
    Type.Array(Type.Unknown(), { description: "Nodes of the folder, each like this one." }),
  ),
});

/** List the files of a branch. */
export const listDataModelFiles = defineOperation({
  id: "listDataModelFiles",
  area,
  method: "GET",
  path: `${base}/files`,
  summary: "List the files of a branch",
  description:
    "Returns the files as a tree. Pages count the nodes of the top level. Without `branchName`, lists the open dev-mode branch of the credential, otherwise the deploy branch.",
  source: "public",
  effect: "read",
  permission: { action: "SchemaRead", scope: deploymentScope },
  params: byDeployment,
  query: strictObject({
    ...readTarget,
    withContent: Type.Optional(Type.Boolean({ description: "Whether to include the contents." })),
    showLastCLIUpload: Type.Optional(
      Type.Boolean({
        description:
          "Whether to list the files as the last upload left them, without later changes; none without an upload.",
      }),
    ),
  }),
  answer: FileNode,
  list: "transitional",
  errorCodes: ["not_found"],
});

/** Create or replace files of a dev-mode branch. */
export const putDataModelFiles = defineOperation({
  id: "putDataModelFiles",
  area,
  method: "PUT",
  path: `${base}/files`,
  summary: "Create or replace files of a dev-mode branch",
  description:
    "Writes files of a personal dev-mode branch: the named one, otherwise the open one of the credential. Writes all files or none.",
  source: "public",
  effect: "write",
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  body: strictObject(
    {
      files: Type.Array(
        strictObject({
          path: FilePath,
          content: Type.String({
            maxLength: limits.modelFileBytes,
            description: "Text of the file.",
          }),
        }),
        { minItems: 1, maxItems: limits.modelFilesPerRequest },
      ),
      ...branchTarget,
    },
    { rules: branchTargetRules },
  ),
  answer: strictObject({ success: Type.Boolean() }),
  errorCodes: ["not_found", "limit_reached"],
});

/** Delete files of a dev-mode branch. */
export const deleteDataModelFiles = defineOperation({
  id: "deleteDataModelFiles",
  area,
  method: "DELETE",
  path: `${base}/files`,
  summary: "Delete files of a dev-mode branch",
  description:
    "Deletes files, or whole folders by their path, of a personal dev-mode branch. Paths that do not exist are ignored.",
  source: "public",
  effect: "write",
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  body: strictObject(
    {
      files: Type.Array(strictObject({ path: FilePath }), {
        minItems: 1,
        maxItems: limits.modelFilesPerRequest,
      }),
      ...branchTarget,
    },
    { rules: branchTargetRules },
  ),
  answer: strictObject({ success: Type.Boolean() }),
  errorCodes: ["not_found"],
});

/** Rename files of a dev-mode branch. */
export const renameDataModelFiles = defineOperation({
  id: "renameDataModelFiles",
  area,
  method: "POST",
  path: `${base}/files/rename`,
  summary: "Rename files of a dev-mode branch",
  description:
    "Renames files or folders of a personal dev-mode branch, all or none. Refuses a new path that exists.",
  source: "public",
  effect: "write",
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  body: strictObject(
    {
      files: Type.Array(
        strictObject({
          path: FilePath,
          newPath: { ...FilePath, description: "New path of the file or folder." },
        }),
        { minItems: 1, maxItems: limits.modelFilesPerRequest },
      ),
      ...branchTarget,
    },
    { rules: branchTargetRules },
  ),
  answer: strictObject({ success: Type.Boolean() }),
  errorCodes: ["not_found", "conflict"],
});

/** Get the hashes of a branch's files. */
export const getDataModelFileHashes = defineOperation({
  id: "getDataModelFileHashes",
  area,
  method: "GET",
  path: `${base}/file-hashes`,
  summary: "Get the hashes of a branch's files",
  description:
    "Returns the SHA-1 of each file by path, so that a client uploads only what changed. Without `branchName`, reads the open dev-mode branch of the credential, otherwise the deploy branch.",
  source: "public",
  effect: "read",
  permission: { action: "SchemaRead", scope: deploymentScope },
  params: byDeployment,
  query: strictObject(uploadTarget),
  answer: Type.Record(Type.String(), FileHash),
  errorCodes: ["not_found"],
});

const Transaction = strictObject({
  id: Type.String({ minLength: 1, maxLength: 64, description: "ID of the upload." }),
});

/** Start an upload. */
export const startUpload = defineOperation({
  id: "startUpload",
  area,
  method: "POST",
  path: `${base}/upload/start`,
  summary: "Start an upload",
  description:
    "Starts an upload to the named branch, otherwise to the open dev-mode branch of the credential, otherwise to the deploy branch. An upload ends after one hour, or when the same credential starts another one to the branch. Nothing changes before it is finished.",
  source: "public",
  effect: "write",
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  query: strictObject(uploadTarget),
  // The service takes both if the branch is the deploy branch, whose name the schema does not know.
  body: documentedRule(
    strictObject({
      branchName: nullish(BranchLookup),
      live: nullish(Type.Boolean({ description: "As in the query." })),
      useDeployProjectRoot: nullish(Type.Boolean({ description: "As in the query." })),
    }),
    { allOf: [ruleSchema(notBoth("live", "branchName"))] },
  ),
  bodyOptional: true,
  answer: strictObject({
    transaction: Transaction,
    deploymentName: Type.String({ description: "Name of the deployment." }),
  }),
  errorCodes: ["not_found", "conflict", "limit_reached"],
});

const FileContent = documentedRule(
  Type.String({ contentEncoding: "base64", description: "Content of the file." }),
  { pattern: base64Pattern },
);

/** Upload a file. */
export const uploadFile = defineOperation({
  id: "uploadFile",
  area,
  method: "POST",
  path: `${base}/upload/file`,
  summary: "Upload a file",
  description:
    "Adds one changed file to an upload. A second file of the same path replaces the first.",
  source: "public",
  effect: "write",
  repeatable: true,
  multipart: true,
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  body: strictObject({ transaction: Transaction, fileName: FilePath, file: FileContent }),
  errorCodes: ["not_found", "limit_reached"],
});

/** Upload many files. */
export const uploadFiles = defineOperation({
  id: "uploadFiles",
  area,
  method: "POST",
  path: `${base}/upload/files`,
  summary: "Upload many files",
  description:
    "Adds changed files to an upload, all or none. A file replaces an earlier one of the same path, so the call can be repeated.",
  source: "proposed",
  effect: "write",
  repeatable: true,
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  body: strictObject({
    transaction: Transaction,
    files: Type.Array(strictObject({ fileName: FilePath, file: FileContent }), {
      minItems: 1,
      maxItems: limits.modelFilesPerRequest,
    }),
  }),
  errorCodes: ["not_found", "limit_reached"],
});

/** Finish an upload. */
export const finishUpload = defineOperation({
  id: "finishUpload",
  area,
  method: "POST",
  path: `${base}/upload/finish`,
  summary: "Finish an upload",
  description:
    "Replaces the files of the branch in one step and starts one build. `files` lists every file of the project with its hash: uploaded, or already on the branch. With `autoRemoveFiles` (the default), files that it does not list are removed. Returns 409 if the branch changed since the upload started.",
  source: "public",
  effect: "write",
  cost: 20,
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  query: strictObject(readTarget),
  body: strictObject({
    transaction: Transaction,
    files: FileHashes,
    autoRemoveFiles: nullish(Type.Boolean()),
    commitMessage: nullish(Type.String({ maxLength: 10_000 })),
    branchName: nullish(BranchLookup),
    awaitGitOperations: nullish(
      Type.Boolean({
        description:
          "Whether to wait until the commit is pushed to the Git remote. Default: `true`.",
      }),
    ),
  }),
  answer: strictObject({
    lastHash: Type.Optional(Type.String({ description: "Hash of all files of the branch." })),
  }),
  errorCodes: ["not_found", "conflict", "limit_reached"],
});

/** An error in a data model. */
export const ModelValidationError = strictObject({
  message: Type.String({ description: "What is wrong." }),
  fileName: Type.Optional(Type.String({ description: "File that the error is in." })),
  line: Type.Optional(Type.Integer({ minimum: 1, description: "Line of the error, from 1." })),
  column: Type.Optional(Type.Integer({ minimum: 1, description: "Column of the error, from 1." })),
});

const ModelValidationWarning = strictObject({
  code: Type.String({
    description:
      "`open-filter`: a condition on the security context opens every row to a caller without the value. `no-join`: queries of some members of a view fail, since no cube declares the join to them. `unused-pre-aggregation`: no query can use a pre-aggregation. `compile-context`: the data model differs between security contexts.",
  }),
  ...ModelValidationError.properties,
});
const Warnings = Type.Optional(
  Type.Array(ModelValidationWarning, {
    description: "Declarations that mostly are mistakes, by file and line, at most 1,000.",
  }),
);

const PreAggregationUses = Type.Optional(
  Type.Array(
    strictObject({
      name: Type.String({ description: "`cube.name`." }),
      usable: Type.Boolean({ description: "Whether queries can use it." }),
      reason: Type.Optional(Type.String({ description: "Why no query can use it." })),
      lastFailure: Type.Optional(
        Type.String({
          description:
            "Why its last build for the deployment failed on the server that answers; absent once one succeeds.",
        }),
      ),
    }),
    { description: "Proposed. The pre-aggregations of a valid model, at most 1,000." },
  ),
);

const Mode = oneOf(["production", "dev_mode"]);

/** Validate a branch's data model. */
export const validateDataModel = defineOperation({
  id: "validateDataModel",
  area,
  method: "GET",
  path: `${base}/validate`,
  summary: "Validate a branch's data model",
  description:
    "Compiles the data model of the deploy branch, of the named branch, or with `devMode` of the open dev-mode branch with its uncommitted changes. Returns 200 with all errors, also for an invalid model.",
  source: "public",
  effect: "read",
  cost: 20,
  permission: { action: "SchemaRead", scope: deploymentScope },
  params: byDeployment,
  query: strictObject(
    {
      ...readTarget,
      devMode: Type.Optional(
        Type.Boolean({ description: "Whether to validate the open dev-mode branch." }),
      ),
    },
    { rules: [notBoth("branchName", "devMode")] },
  ),
  answer: strictObject({
    deploymentId: Id,
    branchName: Type.String({ description: "Name of the branch." }),
    mode: Mode,
    valid: Type.Boolean({ description: "Whether the model has no errors." }),
    errors: Type.Array(ModelValidationError, {
      description: "Errors by file and line, at most 1,000.",
    }),
    warnings: Warnings,
    cubesCount: Type.Optional(
      Type.Integer({ minimum: 0, description: "Number of cubes and views." }),
    ),
    preAggregations: PreAggregationUses,
  }),
  errorCodes: ["not_found", "unavailable"],
});

/** Validate files before they are uploaded. */
export const validateDataModelFiles = defineOperation({
  id: "validateDataModelFiles",
  area,
  method: "POST",
  path: "/build/api/v1/data-model/validate",
  summary: "Validate files before they are uploaded",
  description:
    "Compiles files without storing them: those of the request, and with `deploymentId` also those of the deploy branch that it neither replaces nor removes. Only files that the compiler reads matter. Returns 200 with all errors, also for an invalid model.",
  source: "proposed",
  effect: "read",
  cost: 20,
  // The handler checks the deployment, which is optional.
  permission: { action: "SchemaRead", scope: anyDeployment },
  body: strictObject({
    deploymentId: nullish(Id),
    files: Type.Array(
      strictObject({
        path: FilePath,
        content: Type.String({
          maxLength: 2 * limits.modelFileBytes,
          description: "Content of the file.",
        }),
        encoding: nullish(
          field(oneOf(["utf8", "base64"]), { doc: "How `content` holds the bytes of the file." }),
        ),
      }),
      { maxItems: limits.modelFiles, description: "Files that are new or replace others." },
    ),
    removedPaths: nullish(
      Type.Array(FilePath, {
        maxItems: limits.modelFiles,
        description: "Files of the deploy branch to leave out.",
      }),
    ),
  }),
  answer: strictObject({
    valid: Type.Boolean({ description: "Whether the model has no errors." }),
    errors: Type.Array(ModelValidationError, {
      description: "Errors by file and line, at most 1,000.",
    }),
    errorCount: Type.Integer({ minimum: 0, description: "Number of all errors." }),
    warnings: Warnings,
    cubesCount: Type.Optional(
      Type.Integer({ minimum: 0, description: "Number of cubes and views." }),
    ),
    preAggregations: PreAggregationUses,
  }),
  errorCodes: ["not_found", "limit_reached", "too_large", "unavailable"],
});

/** Get the status of a branch's build. */
export const buildStatus = defineOperation({
  id: "buildStatus",
  area: "deployments",
  method: "GET",
  path: "/api/v1/deployments/{deploymentId}/build-status",
  summary: "Get the status of a branch's build",
  description:
    "Returns the status of the newest build. Without `branchName`, reports the open dev-mode branch of the credential, otherwise the deploy branch. A branch that no environment serves is `building` with `errorText` `Branch is not active`, and an unknown branch is `building` with `Bad branch`.",
  source: "public",
  effect: "read",
  permission: { action: "DeploymentRead", scope: deploymentScope },
  params: byDeployment,
  query: strictObject(readTarget),
  answer: strictObject({
    deploymentId: Id,
    branchName: Type.String({ description: "Name of the branch." }),
    mode: openForClient(Mode),
    status: openForClient(
      oneOf(["built", "building", "warmup", "failed", "cancelled", "stopped", "none"]),
    ),
    buildJobId: Type.Optional(Type.String({ description: "ID of the build." })),
    errorText: Type.Optional(Type.String({ description: "Why the build failed." })),
    version: Type.Optional(
      Type.String({ description: "Proposed. Platform version of the build: `1.2.3`." }),
    ),
    filesHash: Type.Optional(Type.String({ description: "Hash of the files that were built." })),
    lastHash: Type.Optional(Type.String({ description: "Hash of the files of the branch." })),
    updatedAt: Type.Optional(Timestamp),
  }),
  errorCodes: ["not_found"],
});
