// Writes the files of a data model to a new branch of the deploy branch and validates it, so that one merge makes them visible.
import { createHash } from "node:crypto";
import { createBranch, deleteBranch } from "../api/branches.ts";
import {
  finishUpload,
  getDataModelFileHashes,
  startUpload,
  uploadFile,
  validateDataModel,
} from "../api/data-model.ts";
import { Failure, isFailure } from "../core/errors.ts";
import { canonical } from "../core/json.ts";
import type { ObjectWrite } from "../core/kind.ts";
import type { Caller, Preparation } from "../core/preparation.ts";
import { deploymentIdOf } from "./codec.ts";
import type { Files } from "./data-model-files.ts";
import {
  changedPaths,
  hashesOf,
  type MergedBranch,
  type Spec,
  upload,
  validate,
} from "./data-model-upload.ts";

type DeploymentIds = ReadonlyMap<string, number>;

/** Creates the branch with these files of an object. Fails before anything is merged if the model has errors. */
export function branchWith(
  filesOf: (spec: Spec) => Files,
): Preparation<ObjectWrite<Spec>, DeploymentIds, MergedBranch> {
  return {
    operations: [
      createBranch,
      deleteBranch,
      getDataModelFileHashes,
      startUpload,
      uploadFile,
      finishUpload,
      validateDataModel,
    ],
    calls: ({ spec, live }) =>
      otherCalls + changedPaths(filesOf(spec), hashesOf(live?.spec.files)).length,
    run: async (caller, { spec, live }, ids) => {
      const files = filesOf(spec);
      const deploymentId = deploymentIdOf(ids, spec.deployment);
      const branch = { deploymentId, branchName: branchNameOf(files) };
      await createAgain(caller, branch);
      try {
        await upload(caller, branch, { files, live });
        await validate(caller, branch, files);
      } catch (error) {
        await removeBranch(caller, branch);
        throw error;
      }
      return branch;
    },
    undo: removeBranch,
  };
}

/** Calls besides those that send a file: create, hashes, start, finish, validate. */
const otherCalls = 5;

/** Names the branch by its files: an apply that was killed leaves one branch, which the next apply replaces. */
function branchNameOf(files: Files): string {
  const hash = createHash("sha256")
    .update(canonical(hashesOf(files)))
    .digest("hex");
  return `svc-apply-${hash.slice(0, 16)}`;
}

async function createAgain(caller: Caller, branch: MergedBranch): Promise<void> {
  const { deploymentId, branchName: name } = branch;
  const create = () => caller.call(createBranch, { params: { deploymentId }, body: { name } });
  try {
    await create();
  } catch (error) {
    if (!isFailure(error, "conflict")) throw error;
    await removeBranch(caller, branch);
    await create();
  }
}

/** Deletes the branch. A merge deletes it too. */
async function removeBranch(
  caller: Caller,
  { deploymentId, branchName }: MergedBranch,
): Promise<void> {
  try {
    await caller.call(deleteBranch, { params: { deploymentId }, query: { branchName } });
  } catch (error) {
    // What made the branch useless is reported; the next apply of the same files replaces it.
    if (!(error instanceof Failure)) throw error;
  }
}
