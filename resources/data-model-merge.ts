// Writes the files of a data model to a new branch of the deploy branch and validates it, so that one merge makes them visible.
import { randomUUID } from "node:crypto";
import { createBranch, deleteBranch, type mergeToDefault } from "../api/branches.ts";
import {
  finishUpload,
  getDataModelFileHashes,
  startUpload,
  uploadFile,
  uploadFiles,
  validateDataModel,
} from "../api/data-model.ts";
import { type ErrorCode, Failure, isFailure } from "../core/errors.ts";
import type { ObjectWrite } from "../core/kind/kind.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import type { Caller, Preparation, PreparingCaller } from "../core/operation/preparation.ts";
import { temporaryPrefix } from "../core/text/branch-names.ts";
import type { Files, Hashes } from "./data-model-files.ts";
import {
  type MergedBranch,
  requireSameHashes,
  sendingCalls,
  type Spec,
  upload,
  validate,
} from "./data-model-upload.ts";

/** The files that a write merges, and their deployment. `Fact` is the value of the prerequisite. */
export interface Merge<Fact> {
  readonly filesOf: (spec: Spec) => Files;
  /** Whether each file has a separate call, as on servers without the call for many. */
  readonly oneByOne: boolean;
  readonly deploymentIdFor: (write: ObjectWrite<Spec>, fact: Fact) => number;
}

/** Creates the branch with the files. Fails before anything is merged if the model has errors. */
export function branchWith<Fact>({
  filesOf,
  oneByOne,
  deploymentIdFor,
}: Merge<Fact>): Preparation<ObjectWrite<Spec>, Fact, MergedBranch> {
  return {
    operations: [
      createBranch,
      deleteBranch,
      getDataModelFileHashes,
      startUpload,
      ...(oneByOne ? [] : [uploadFiles]),
      uploadFile,
      finishUpload,
      validateDataModel,
    ],
    calls: ({ spec, live }) => otherWrites + sendingCalls({ files: filesOf(spec), live, oneByOne }),
    run: async (caller, write, fact) => {
      const { spec, live } = write;
      const files = filesOf(spec);
      const deploymentId = deploymentIdFor(write, fact);
      const branch = { deploymentId, branchName: `${temporaryPrefix}${randomUUID()}` };
      const from = await create(caller, branch);
      const calls = withoutNotFound(caller);
      try {
        const before = await upload(calls, branch, { files, live, oneByOne });
        await validate(calls, branch, files);
        await requireSameFiles(calls, { deploymentId, branchName: from }, before);
      } catch (error) {
        await removeBranch(caller.cleanup, branch);
        throw error;
      }
      return branch;
    },
    problem: (answer) => ((answer as Merged).merged ? undefined : unmergedFailure()),
    undo: removeBranch,
  };
}

type Merged = AnswerOf<typeof mergeToDefault>;

/** Calls that write, besides those that send files: create, start, finish. */
const otherWrites = 3;

/** Creates the branch. Returns the name of the deploy branch. */
async function create(caller: PreparingCaller, branch: MergedBranch): Promise<string | undefined> {
  const { deploymentId, branchName: name } = branch;
  try {
    const request = { params: { deploymentId }, body: { name } };
    return (await caller.call(createBranch, request)).parentBranch;
  } catch (error) {
    const isUncertain = error instanceof Failure && uncertainErrorCodes.has(error.code);
    if (isUncertain) await removeBranch(caller.cleanup, branch);
    throw error;
  }
}

/** Errors after which the branch may exist. */
const uncertainErrorCodes: ReadonlySet<ErrorCode> = new Set([
  "unknown_outcome",
  "unexpected_answer",
  "timeout",
  "aborted",
]);

/**
 * Returns a caller for the calls after the branch was created: if they find nothing, the model may still exist. Only
 * the call for many files fails with `not_found`: each file then has a separate call.
 */
function withoutNotFound(caller: Caller): Caller {
  return {
    call: (operation, input) =>
      caller.call(operation, input).catch((cause: unknown) => {
        if (!isFailure(cause, "not_found") || operation.id === uploadFiles.id) throw cause;
        const message =
          "the temporary branch or upload of this change was deleted before it was used";
        throw new Failure("conflict", message, { cause, remedy: "Plan and apply again." });
      }),
  };
}

/** Fails with `conflict` if the deploy branch has other files than the branch had at first: the merged files were not validated. */
async function requireSameFiles(
  caller: Caller,
  {
    deploymentId,
    branchName,
  }: Omit<MergedBranch, "branchName"> & { branchName: string | undefined },
  before: Hashes,
): Promise<void> {
  const now = await caller.call(getDataModelFileHashes, {
    params: { deploymentId },
    query: { ...(branchName !== undefined && { branchName }) },
  });
  requireSameHashes(now, before);
}

function unmergedFailure(): Failure {
  return new Failure("conflict", "the deploy branch did not change: it has these files already", {
    remedy: "Plan again.",
  });
}

/** Deletes the branch. A merge deletes it too. */
async function removeBranch(
  caller: Caller,
  { deploymentId, branchName }: MergedBranch,
): Promise<void> {
  try {
    await caller.call(deleteBranch, { params: { deploymentId }, query: { branchName } });
  } catch (error) {
    // The error that made the branch useless is reported. A branch that stays has no effect.
    if (!(error instanceof Failure)) throw error;
  }
}
