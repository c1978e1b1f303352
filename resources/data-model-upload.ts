// Uploads the files of a data model to a branch, and validates them there.
import {
  finishUpload,
  getDataModelFileHashes,
  startUpload,
  validateDataModel,
} from "../api/data-model.ts";
import { Failure } from "../core/errors.ts";
import { fileBytes, fileHash } from "../core/text/file-text.ts";
import type { ObjectWrite } from "../core/kind/kind.ts";
import type { Caller } from "../core/operation/preparation.ts";
import { modelErrorText } from "../core/data-model/model-error-text.ts";
import { joinPointer } from "../core/pointer.ts";
import { type Files, type Hashes, hasModel } from "./data-model-files.ts";
import { type SentFile, sendFiles, uploadBatches } from "./upload-files.ts";

/** The spec of a data model. */
export interface Spec {
  readonly deployment: string;
  readonly files: Files;
}

/** The branch to merge. */
export interface MergedBranch {
  readonly deploymentId: number;
  readonly branchName: string;
}

type Subject = ObjectWrite<Spec>;

interface FilesToUpload {
  readonly files: Files;
  readonly live: Subject["live"];
  /** Whether each file has a separate call. */
  readonly oneByOne: boolean;
}

/**
 * Sends the files that differ, and lists all of them. Returns the hashes that the branch had before. Fails with `conflict` if
 * the deploy branch changed since it was read, and with `not_found` only if it has no data model.
 */
export async function upload(
  caller: Caller,
  { deploymentId, branchName }: MergedBranch,
  { files, live, oneByOne }: FilesToUpload,
): Promise<Hashes> {
  const params = { deploymentId };
  const before = await caller.call(getDataModelFileHashes, { params, query: { branchName } });
  requireUnchanged(before, live);
  const query = { branchName };
  const { transaction } = await caller.call(startUpload, { params, query, body: {} });
  const hashes = hashesOf(files);
  const changed = changedFiles(files, { hashes, before });
  await sendFiles(caller, { deploymentId, transaction, files: changed, oneByOne });
  const body = { transaction, files: hashes, autoRemoveFiles: true };
  await caller.call(finishUpload, { params, body: { ...body, commitMessage: "Apply" } });
  return before;
}

function requireUnchanged(before: Hashes, live: Subject["live"]): void {
  if (live !== undefined && !hasModel(Object.keys(before)))
    throw new Failure("not_found", "the deployment has no data model");
  if (live === undefined ? !hasModel(Object.keys(before)) : live.spec.files === undefined) return;
  const read = hashesOf(live?.spec.files);
  requireSameHashes(before, read);
}

/** Fails with `conflict` and the paths of the files that differ. */
export function requireSameHashes(now: Hashes, read: Hashes): void {
  const changed = [...new Set([...changedPaths(now, read), ...changedPaths(read, now)])];
  if (changed.length === 0) return;
  const shown = changed.slice(0, pathsShown).join(", ");
  const rest = changed.length > pathsShown ? ` and ${changed.length - pathsShown} more` : "";
  throw new Failure("conflict", `the deploy branch changed since it was read: ${shown}${rest}`, {
    remedy: "Plan again, and check what the other change did.",
  });
}

/** Compiles the files of the branch. Fails with `invalid` and every error if the model has errors. */
export async function validate(
  caller: Caller,
  { deploymentId, branchName }: MergedBranch,
  files: Files,
): Promise<void> {
  const report = await caller.call(validateDataModel, {
    params: { deploymentId },
    query: { branchName },
  });
  if (report.valid) return;
  const shown = report.errors.slice(0, errorsShown);
  const rest = report.errors.length - shown.length;
  const count = report.errors.length === 1 ? "an error" : `${report.errors.length} errors`;
  const summary = `The data model has ${count}; production did not change.`;
  throw new Failure(
    "invalid",
    [summary, ...shown.map(modelErrorText), ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n"),
    {
      remedy: "Correct the files.",
      validationErrors: shown.flatMap(({ fileName, line = 1, column = 1, message }) =>
        fileName === undefined || !Object.hasOwn(files, fileName)
          ? []
          : [{ path: joinPointer(["files", fileName]), message: `${line}:${column}: ${message}` }],
      ),
    },
  );
}

/** Paths and errors that a message lists. */
const [pathsShown, errorsShown] = [10, 50];

/** Returns the number of calls that send the files which differ from the files of the live object. */
export function sendingCalls({ files, live, oneByOne }: FilesToUpload): number {
  const before = hashesOf(live?.spec.files);
  const changed = changedFiles(files, { hashes: hashesOf(files), before });
  return oneByOne ? changed.length : uploadBatches(changed).length;
}

function changedFiles(
  files: Files,
  { hashes, before }: Readonly<Record<"hashes" | "before", Hashes>>,
): readonly SentFile[] {
  return changedPaths(hashes, before).map((path) => {
    const content = () => fileBytes(files[path] ?? "");
    return { path, bytes: content().length, content };
  });
}

/** Returns the hashes of files. */
function hashesOf(files: Files | undefined): Hashes {
  return Object.fromEntries(
    Object.entries(files ?? {}).map(([path, text]) => [path, { hash: fileHash(text) }]),
  );
}

/** Returns the paths of the files that are new or differ. */
function changedPaths(now: Hashes, before: Hashes): readonly string[] {
  return Object.keys(now).filter((path) => now[path]?.hash !== before[path]?.hash);
}
