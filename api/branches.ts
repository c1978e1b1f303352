// Operations on the branches of a deployment's data model, and on dev mode.
import { Type } from "typebox";
import { defineOperation } from "../core/operation/operation.ts";
import { exactlyOne } from "../core/schema/member-rules.ts";
import { field, oneOf } from "../core/schema/traits.ts";
import { BranchLookup, branchTarget, branchTargetRules } from "./data-model.ts";
import { deploymentScope, Id, nullish, strictObject, Timestamp } from "./schemas.ts";
import { branchNamePattern } from "../core/text/text-patterns.ts";

const area = "branches";
const base = "/build/api/v1/deployments/{deploymentId}";
const byDeployment = strictObject({ deploymentId: Id });

/** Name of a new branch: letters, digits and `._/-`, as Git allows. Names that begin with `dev-` belong to dev mode. */
export const NewBranchName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: branchNamePattern,
  description:
    "Name of the branch: letters, digits and `._/-`. Names that begin with `dev-` belong to dev mode.",
});
const RequiredBranch = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "Name of a branch.",
});
const Message = Type.String({ maxLength: 10_000, description: "Message of the commit." });
const Active = strictObject({
  active: Type.Boolean({ description: "Whether the credential's session is on a branch." }),
  branchName: Type.Optional(Type.String({ description: "Branch of the session." })),
  parentBranch: Type.Optional(Type.String({ description: "Branch that it was created from." })),
});
const Merged = strictObject({
  merged: Type.Boolean({ description: "Whether the parent branch changed." }),
  branchDeleted: Type.Boolean({ description: "Whether the branch was deleted." }),
});

/** A branch of a data model. */
export const Branch = strictObject({
  id: Id,
  name: Type.String(),
  parentBranch: Type.Optional(Type.String({ description: "Branch that it was created from." })),
  lastHash: Type.Optional(Type.String({ description: "Hash of all files of the branch." })),
  isStagingEnvironmentEnabled: Type.Optional(
    Type.Boolean({
      description: "Whether the staging environment of the branch is always active.",
    }),
  ),
  isSessionOpen: Type.Optional(
    Type.Boolean({
      description:
        "Proposed. Whether the session of the credential is open on the branch. Only in the list of branches.",
    }),
  ),
  lastCommit: Type.Optional(
    strictObject(
      { message: Type.String(), userId: Type.Optional(Id), createdAt: Timestamp },
      { description: "Last commit, merge or upload." },
    ),
  ),
});

/** List branches. */
export const listBranches = defineOperation({
  id: "listBranches",
  area,
  method: "GET",
  path: `${base}/branches`,
  summary: "List branches",
  description: "Returns the branches of the data model, newest first.",
  source: "public",
  effect: "read",
  permission: { action: "SchemaRead", scope: deploymentScope },
  params: byDeployment,
  answer: Branch,
  list: "transitional",
  errorCodes: ["not_found"],
});

/** Create a branch. */
export const createBranch = defineOperation({
  id: "createBranch",
  area,
  method: "POST",
  path: `${base}/branches`,
  summary: "Create a branch",
  description:
    "Creates a shared branch from `from`, by default the deploy branch. Uncommitted changes of `from` are committed to it first. `activate` points the session of the credential at it without forking, so its files cannot be written.",
  source: "public",
  effect: "write",
  cost: 10,
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  body: strictObject({
    name: NewBranchName,
    from: nullish(BranchLookup),
    activate: nullish(Type.Boolean()),
    enterDevMode: nullish(Type.Boolean({ description: "Another name of `activate`." })),
  }),
  answer: Active,
  errorCodes: ["not_found", "conflict", "limit_reached"],
});

/** Delete a branch. */
export const deleteBranch = defineOperation({
  id: "deleteBranch",
  area,
  method: "DELETE",
  path: `${base}/branches`,
  summary: "Delete a branch",
  description:
    "Deletes a branch. The sessions on it end. Its children then belong to its parent, otherwise to the deploy branch. The deploy branch cannot be deleted. `removeOnUpstream` needs a connected Git provider.",
  source: "public",
  effect: "write",
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  query: strictObject({
    branchName: RequiredBranch,
    removeOnUpstream: Type.Optional(
      Type.Boolean({ description: "Whether to delete the branch at the Git provider too." }),
    ),
  }),
  answer: strictObject({ success: Type.Boolean() }),
  errorCodes: ["not_found", "conflict", "unavailable"],
});

/** Enable or disable a branch's staging environment. */
export const setStagingEnvironment = defineOperation({
  id: "setStagingEnvironment",
  area,
  method: "PUT",
  path: `${base}/branches/staging-environment`,
  summary: "Enable or disable a branch's staging environment",
  description:
    "An enabled staging environment always serves the shared branch. A disabled one serves it only while a session is open on a personal dev-mode branch that was forked from it. The deploy branch and personal dev-mode branches have no staging environment.",
  source: "public",
  effect: "write",
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  body: strictObject(
    {
      enabled: Type.Boolean({ description: "Whether the environment is always active." }),
      ...branchTarget,
    },
    { rules: [exactlyOne("branchName", "branchId")] },
  ),
  answer: strictObject({ data: field(Branch, { doc: "The branch." }) }),
  errorCodes: ["not_found"],
});

/** Enter dev mode. */
export const enterDevMode = defineOperation({
  id: "enterDevMode",
  area,
  method: "POST",
  path: `${base}/dev-mode`,
  summary: "Enter dev mode",
  description:
    "Forks a new personal branch, whose name begins with `dev-`, and opens a session of the credential on it. While the session is open, operations that omit the branch use it. Each call forks another branch.",
  source: "public",
  effect: "write",
  cost: 10,
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  body: strictObject({ branchName: RequiredBranch }),
  answer: Active,
  errorCodes: ["not_found", "limit_reached"],
});

/** Exit dev mode. */
export const exitDevMode = defineOperation({
  id: "exitDevMode",
  area,
  method: "DELETE",
  path: `${base}/dev-mode`,
  summary: "Exit dev mode",
  description: "Ends the session of the credential. The branch stays.",
  source: "public",
  effect: "write",
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  answer: strictObject({ success: Type.Boolean() }),
  errorCodes: ["not_found"],
});

/** Proposed: the specification names the member without its type. */
const ResolveMergeConflict = field(oneOf(["ours", "theirs"]), {
  doc: "Proposed. Whose version to take of files that both branches changed in the same lines: `ours`, that of the branch, or `theirs`, that of its parent. Without it, such files are a conflict.",
});

/** Commit a dev-mode branch. */
export const commitBranch = defineOperation({
  id: "commitBranch",
  area,
  method: "POST",
  path: `${base}/commit`,
  summary: "Commit a dev-mode branch",
  description:
    "Merges the changes of a personal dev-mode branch into the branch that it was forked from. Without a branch, commits the open one. Changes of both branches to the same lines are a conflict: 409 lists the files, and `resolveMergeConflict` resolves it.",
  source: "public",
  effect: "write",
  cost: 10,
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  body: strictObject(
    {
      ...branchTarget,
      message: nullish(Message),
      exitDevMode: nullish(Type.Boolean()),
      resolveMergeConflict: nullish(ResolveMergeConflict),
    },
    { rules: branchTargetRules },
  ),
  bodyOptional: true,
  answer: strictObject({ success: Type.Boolean() }),
  errorCodes: ["not_found", "conflict"],
});

/** Pull the changes of the parent branch. */
export const pullBranch = defineOperation({
  id: "pullBranch",
  area,
  method: "POST",
  path: `${base}/pull`,
  summary: "Pull the changes of the parent branch",
  description:
    "Merges the changes of the parent branch into the branch. With a Git connection, a shared branch pulls from the remote, and a branch that only the remote has is created here, as a child of the deploy branch. Without a branch, pulls into the open dev-mode branch, otherwise into the deploy branch. Changes of both branches to the same lines are a conflict: 409 lists the files, and `resolveMergeConflict` resolves it.",
  source: "public",
  effect: "write",
  cost: 20,
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  body: strictObject({
    branchName: nullish(BranchLookup),
    resolveMergeConflict: nullish(ResolveMergeConflict),
  }),
  bodyOptional: true,
  answer: strictObject({
    buildTriggered: Type.Boolean({ description: "Whether the files changed and a build started." }),
  }),
  errorCodes: ["not_found", "conflict", "limit_reached", "too_large", "unavailable"],
});

/** Merge a branch into its parent. */
export const mergeBranch = defineOperation({
  id: "mergeBranch",
  area,
  method: "POST",
  path: `${base}/merge`,
  summary: "Merge a branch into its parent",
  description:
    "Merges the changes of a branch into the branch that it was created from. Changes of both to the same lines are a conflict, and the error lists the files.",
  source: "public",
  effect: "write",
  cost: 20,
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  body: strictObject(
    {
      ...branchTarget,
      message: nullish(Message),
      squashCommits: nullish(
        Type.Boolean({
          description:
            "Whether the parent gets one commit with the changes, without the history of the branch. Default: `false`.",
        }),
      ),
      switchToParentBranch: nullish(Type.Boolean()),
      deleteBranch: nullish(Type.Boolean()),
    },
    { rules: branchTargetRules },
  ),
  answer: Merged,
  errorCodes: ["not_found", "conflict"],
});

/** Merge a branch into the deploy branch. */
export const mergeToDefault = defineOperation({
  id: "mergeToDefault",
  area,
  method: "POST",
  path: `${base}/merge-to-default`,
  summary: "Merge a branch into the deploy branch",
  description:
    "Merges the changes of a branch into the deploy branch and rebuilds production. Deletes the merged branch unless `removeBranchAfterMerge` is `false`.",
  source: "public",
  effect: "write",
  cost: 20,
  permission: { action: "SchemaUpdateDevBranches", scope: deploymentScope },
  params: byDeployment,
  body: strictObject(
    {
      ...branchTarget,
      message: Type.String({
        minLength: 1,
        maxLength: 10_000,
        description: "Message of the commit.",
      }),
      removeBranchAfterMerge: nullish(Type.Boolean()),
    },
    { rules: branchTargetRules },
  ),
  answer: Merged,
  errorCodes: ["not_found", "conflict"],
});
