// Area data-model: files, uploads, validation and the build status of a deployment.
import {
  buildStatus,
  deleteDataModelFiles,
  finishUpload,
  getDataModelFileHashes,
  listDataModelFiles,
  putDataModelFiles,
  renameDataModelFiles,
  startUpload,
  uploadFile,
  uploadFiles,
  validateDataModel,
  validateDataModelFiles,
} from "../../../api/data-model.ts";
import { Failure } from "../../../core/errors.ts";
import { fieldError } from "../shared/field-error.ts";
import {
  handle,
  handleList,
  handleThenFinish,
  omitNullish,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { inMemorySource, pageOfBatch } from "../shared/pagination.ts";
import {
  branchContext,
  type BranchContext,
  type BranchRow,
  devBranch,
  findBranch,
  isDeployBranch,
  sessionBranch,
  targetBranch,
  uploadBranch,
} from "./branches.ts";
import { compileTree } from "./builder.ts";
import { newestBuild } from "./builds.ts";
import { deleteFiles, putFiles, renameFiles } from "./edit-files.ts";
import { fileTree, topLevelNodes } from "./file-tree.ts";
import { changeBranches, finishChange, handleBuilding } from "./handle-building.ts";
import { isServed } from "./serving.ts";
import { base64Bytes } from "./paths.ts";
import { hashOfTree, readContents, readTree, type TreeFiles } from "./trees.ts";
import { addUploadFiles, beginUpload, endUpload } from "./uploads.ts";
import { validateFiles } from "./validate-files.ts";

/** The handlers of this area. */
export const dataModel: readonly OperationHandler[] = [
  handleList(listDataModelFiles, async (call) => {
    const on = await branchContext(call);
    const branch = await targetBranch(on, call.query);
    const { showLastCLIUpload: isUpload, withContent } = call.query;
    const treeId = isUpload === true ? branch.upload_tree_id : branch.tree_id;
    const files: TreeFiles = treeId === null ? new Map() : await readTree(call.db, treeId);
    return pageOfBatch(call, inMemorySource(topLevelNodes(files)), async (nodes) => {
      const shown = nodes.flatMap((node) => node.files);
      const contents = withContent === true ? await readContents(call.db, shown) : [];
      const paths = shown.map(([path]) => path);
      return fileTree(paths, new Map(contents.map((one) => [one.path, one])));
    });
  }),
  handleBuilding(putDataModelFiles, async (on, call) => {
    await putFiles(on, await devBranch(on, call.body), call.body.files);
    return { success: true };
  }),
  handleBuilding(deleteDataModelFiles, async (on, call) => {
    const paths = call.body.files.map(({ path }) => path);
    await deleteFiles(on, await devBranch(on, call.body), paths);
    return { success: true };
  }),
  handleBuilding(renameDataModelFiles, async (on, call) => {
    await renameFiles(on, await devBranch(on, call.body), call.body.files);
    return { success: true };
  }),
  handle(getDataModelFileHashes, async (call) => {
    const on = await branchContext(call);
    const branch = await uploadBranch(on, call.query);
    const files = await readTree(call.db, branch.tree_id);
    return Object.fromEntries([...files].map(([path, { sha1 }]) => [path, { hash: sha1 }]));
  }),
  handle(startUpload, async (call) => {
    const on = await branchContext(call);
    const branchName = uploadBranchName(call);
    const live = call.query.live ?? call.body?.live;
    const branch = await uploadBranch(on, omitNullish({ branchName, live }));
    return {
      transaction: { id: await beginUpload(on, branch) },
      deploymentName: on.deployment.name,
    };
  }),
  handle(uploadFile, async (call) => {
    const { transaction, fileName, file } = call.body;
    const on = await branchContext(call);
    await addUploadFiles(on, transaction, [{ fileName, bytes: base64Bytes(file) }]);
  }),
  handle(uploadFiles, async (call) => {
    const { transaction, files } = call.body;
    const on = await branchContext(call);
    const sent = files.map(({ fileName, file }) => ({ fileName, bytes: base64Bytes(file) }));
    await addUploadFiles(on, transaction, sent);
  }),
  handleThenFinish(
    finishUpload,
    (call) =>
      changeBranches(call, async (on) => {
        const { transaction, files, autoRemoveFiles, commitMessage } = call.body;
        const lastHash = await endUpload(on, {
          id: transaction.id,
          files,
          removesOthers: autoRemoveFiles ?? true,
          message: commitMessage ?? null,
          branchName: uploadBranchName(call),
        });
        return { lastHash };
      }),
    (draft, call) => finishChange(draft, call, { waits: call.body.awaitGitOperations !== false }),
  ),
  handle(validateDataModel, async (call) => {
    const on = await branchContext(call);
    const branch = await validatedBranch(on, call.query);
    const { compiler, db } = call;
    const result = await compileTree(db, { treeId: branch.tree_id, compiler });
    const failures = call.rollupFailures(on.deployment.id);
    return {
      deploymentId: on.deployment.id,
      branchName: branch.name,
      mode: modeOf(on, branch),
      valid: result.valid,
      errors: result.errors.map((error) => ({ ...error })),
      warnings: result.warnings.map((warning) => ({ ...warning })),
      cubesCount: result.cubesCount,
      preAggregations: result.preAggregations.map((one) => {
        const lastFailure = failures.get(one.name);
        return { ...one, ...(lastFailure !== undefined && { lastFailure }) };
      }),
    };
  }),
  handle(validateDataModelFiles, async (call) => {
    const { errors, warnings, preAggregations, ...report } = await validateFiles(call);
    return {
      ...report,
      errors: errors.map((error) => ({ ...error })),
      warnings: warnings.map((warning) => ({ ...warning })),
      preAggregations: preAggregations.map((one) => ({ ...one })),
    };
  }),
  handle(buildStatus, async (call) => {
    const on = await branchContext(call);
    const { branchName } = call.query;
    const isNamed = branchName !== undefined && branchName !== "";
    const branch = isNamed ? await findBranch(on, branchName) : await targetBranch(on, {});
    const unserved = (name: string, errorText: string) => ({
      deploymentId: on.deployment.id,
      branchName: name,
      mode: "dev_mode" as const,
      status: "building" as const,
      errorText,
    });
    if (!branch) return unserved(branchName ?? "", "Bad branch");
    if (!(await isServed(on, branch))) return unserved(branch.name, "Branch is not active");
    return { ...(await statusOf(on, branch)), deploymentId: on.deployment.id };
  }),
];

interface BranchNamed {
  readonly branchName?: string | null;
}

/** Returns the branch that the query or the body of an upload names; "" for none. Throws `invalid` if they differ. */
function uploadBranchName({
  query,
  body,
}: {
  readonly query: BranchNamed;
  readonly body: BranchNamed | null | undefined;
}): string {
  const [inQuery, inBody] = [query.branchName ?? "", body?.branchName ?? ""];
  if (inQuery === "" || inBody === "" || inQuery === inBody) return inQuery || inBody;
  throw fieldError("branchName", ["invalid", "the query and the body name different branches"]);
}

async function validatedBranch(
  on: BranchContext,
  { branchName, devMode }: { readonly branchName?: string; readonly devMode?: boolean },
): Promise<BranchRow> {
  if (devMode !== true) {
    return targetBranch(on, { branchName: branchName || on.deployment.deploy_branch_name });
  }
  const branch = await sessionBranch(on);
  if (branch) return branch;
  throw new Failure("not_found", "no dev-mode session is open; enter dev mode first");
}

function modeOf(on: BranchContext, branch: BranchRow): "production" | "dev_mode" {
  return isDeployBranch(on, branch) ? "production" : "dev_mode";
}

async function statusOf(on: BranchContext, branch: BranchRow) {
  const build = await newestBuild(on.db, branch.id);
  const shared = {
    branchName: branch.name,
    mode: modeOf(on, branch),
    lastHash: await hashOfTree(on.db, branch.tree_id),
  };
  if (!build) return { ...shared, status: "none" as const };
  return {
    ...shared,
    status: statuses[build.status] ?? ("building" as const),
    buildJobId: String(build.id),
    version: build.version,
    filesHash: await hashOfTree(on.db, build.tree_id),
    updatedAt: build.updated_at,
    ...omitNullish({ errorText: build.error_text }),
  };
}

const statuses: Readonly<Record<string, "built" | "building" | "failed" | "cancelled">> = {
  queued: "building",
  building: "building",
  built: "built",
  failed: "failed",
  cancelled: "cancelled",
};
