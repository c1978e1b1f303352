// Runs `svc deploy DEPLOYMENT`: uploads the changed files of a data model, and waits for the build.
import { resolve } from "node:path";
import { finishUpload, getDataModelFileHashes, startUpload } from "../../api/data-model.ts";
import type { Client } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Caller } from "../../core/operation/preparation.ts";
import { type BuildStatus, isUnserved, waitForBuild } from "../shared/wait/build-wait.ts";
import type { ConnectionFlags } from "../shared/connection/connection.ts";
import { deploymentOf } from "../shared/lookup/deployment-argument.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type StatusLine, statusLineFor } from "../shared/output/status-line.ts";
import type { Output } from "../shared/output/output.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import {
  type Project,
  type ProjectFile,
  readProject,
  readProjectFile,
} from "../../reconciler/manifest/project-files.ts";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import { runAction } from "../shared/run/run-action.ts";
import { sendFiles } from "../../resources/upload-files.ts";
import { withClient } from "../shared/connection/with-client.ts";
import { sanitize } from "../../client/sanitize.ts";

export interface Flags extends ConnectionFlags, OutputFlags {
  readonly folder: string;
  readonly branch?: string;
  readonly keepMissing?: true;
  readonly allowEmpty?: true;
  readonly message?: string;
  /** `false` for `--no-wait`. */
  readonly wait: boolean;
  readonly timeout: number;
}

/** Runs `svc deploy`. */
export function runDeploy(deployment: string, flags: Flags): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    const project = readProject(flags.folder);
    requireModel(project, flags);
    return withClient(flags, signal, (client) =>
      deploy({ client, flags, output, signal }, { deployment, project }),
    );
  });
}

interface DeployContext {
  readonly client: Client;
  readonly flags: Flags;
  readonly output: Output;
  readonly signal: AbortSignal;
}

async function deploy(
  { client, flags, output, signal }: DeployContext,
  { deployment, project: { files, links } }: { deployment: string; project: Project },
): Promise<number> {
  if (links.length > 0) output.warn(() => `Skipped symbolic links:\n${pathLines(links)}`);
  const { id: deploymentId, name } = await deploymentOf(client, deployment);
  const branch = flags.branch === undefined ? {} : { branchName: flags.branch };
  const params = { deploymentId };
  const before = await client.reader.call(getDataModelFileHashes, { params, query: branch });
  const changed = files.filter(({ path, hash }) => before[path]?.hash !== hash);
  const names = new Set(files.map(({ path }) => path));
  const removed =
    flags.keepMissing === true ? [] : Object.keys(before).filter((path) => !names.has(path));
  requireSomeKept(before, { removed, files, allowEmpty: flags.allowEmpty });
  const statusLine = statusLineFor(output);
  const isChanged = changed.length > 0 || removed.length > 0;
  if (isChanged) {
    await upload({ client, flags, signal, statusLine }, { params, branch, files, changed });
  }
  const counts = { files: files.length, uploaded: changed.length, removed: removed.length };
  const status = flags.wait
    ? await waitForBuild(client, {
        deploymentId,
        branchName: flags.branch,
        timeoutMs: flags.timeout * 1000,
        signal,
        statusLine,
        isNew: isChanged,
        graceMs: isChanged ? limits.buildGraceMs : 0,
      })
    : undefined;
  output.result({
    text: () =>
      `${countsText(counts, removed)}\n${status === undefined ? "" : buildText(name, status)}`,
    json: () =>
      commandJson("deploy", { deploymentId, ...counts, removedPaths: removed, build: status }),
  });
  return status === undefined || isDeployed(status) ? exitCodes.done : exitCodes.failed;
}

/** Returns whether a file belongs to the data model itself, and not only to its documentation. */
function isModelPath(path: string): boolean {
  return /^(?:model|schema)\//.test(path) && !path.endsWith(".md");
}

/** Throws `usage` for a folder that is not a project, such as its parent or one of its folders. */
function requireModel({ files }: Project, { folder, allowEmpty }: Flags): void {
  if (allowEmpty === true || files.some(({ path }) => /^(?:model|schema)\//.test(path))) return;
  throw new Failure("usage", `${resolve(folder)} has no files in a folder model or schema`, {
    remedy:
      "Pass the folder of the project with --folder. Only to remove every file of the deployed " +
      "data model, pass --allow-empty.",
  });
}

/** Throws `invalid` if no model file of the branch stays, also not at another path: the folder probably belongs to another project. */
function requireSomeKept(
  before: Readonly<Record<string, { readonly hash: string }>>,
  {
    removed,
    files,
    allowEmpty,
  }: Pick<Project, "files"> & { removed: readonly string[]; allowEmpty: true | undefined },
): void {
  const removedPaths = new Set(removed);
  const next = files.filter(({ path }) => isModelPath(path));
  const hashes = new Set(next.map(({ hash }) => hash));
  const model = Object.keys(before).filter(isModelPath);
  const isKept = (path: string): boolean =>
    !removedPaths.has(path) || hashes.has(before[path]?.hash ?? "");
  if (allowEmpty === true || model.length === 0 || model.some(isKept)) return;
  const [verb, last] =
    next.length === 0
      ? ["remove", "Only to remove them all, pass --allow-empty."]
      : ["replace", "The next deploy without it removes them."];
  throw new Failure(
    "invalid",
    `the deploy would ${verb} every model file of the branch:\n${pathLines(model)}`,
    {
      remedy: `Check --folder and --branch. To keep the files, pass --keep-missing. ${last}`,
    },
  );
}

/** Paths of a list that are shown; the rest are counted. */
const pathsShown = 10;

function pathLines(paths: readonly string[]): string {
  const shown = paths.slice(0, pathsShown).map((path) => `  ${sanitize(path)}`);
  const rest = paths.length - shown.length;
  return [...shown, ...(rest > 0 ? [`  and ${rest} more`] : [])].join("\n");
}

/** A branch that no environment serves is not built. */
function isDeployed(build: BuildStatus): boolean {
  return build.status === "built" || build.status === "none" || isUnserved(build);
}

interface UploadContext extends Pick<DeployContext, "client" | "flags" | "signal"> {
  readonly statusLine: StatusLine;
}

interface UploadInput {
  readonly params: { readonly deploymentId: number };
  readonly branch: { readonly branchName?: string };
  readonly files: readonly ProjectFile[];
  readonly changed: readonly ProjectFile[];
}

async function upload(
  { client, flags, signal, statusLine }: UploadContext,
  { params, branch, files, changed }: UploadInput,
): Promise<void> {
  const { transaction } = await client.call(startUpload, { params, query: branch });
  let sent = 0;
  const caller: Caller = {
    call: (operation, input) => {
      if (signal.aborted)
        throw new Failure("aborted", "the upload was interrupted; the branch did not change");
      return client.call(operation, input);
    },
  };
  await sendFiles(caller, {
    ...params,
    transaction,
    files: changed.map(({ path, source, bytes }) => ({
      path,
      bytes,
      content: () => readProjectFile(flags.folder, source),
    })),
    onSent: (count) => {
      sent += count;
      statusLine.show(`Uploaded ${sent} of ${pluralize(changed.length, "changed file")} …`);
    },
  });
  statusLine.clear();
  await client.call(finishUpload, {
    params,
    body: {
      transaction,
      files: Object.fromEntries(files.map(({ path, hash }) => [path, { hash }])),
      autoRemoveFiles: flags.keepMissing !== true,
      ...(flags.message !== undefined && { commitMessage: flags.message }),
    },
  });
}

function countsText(
  { files, uploaded }: Readonly<Record<"files" | "uploaded", number>>,
  removed: readonly string[],
): string {
  if (uploaded === 0 && removed.length === 0) {
    return `No changes: ${pluralize(files, "file is", "files are")} up to date.`;
  }
  const paths = removed.length === 0 ? "." : `:\n${pathLines(removed)}`;
  return `Uploaded ${uploaded} of ${pluralize(files, "file")}, removed ${removed.length}${paths}`;
}

function buildText(deployment: string, build: BuildStatus): string {
  const { branchName, status, errorText } = build;
  const place = `${deployment}, branch ${branchName}`;
  if (isUnserved(build)) return `${place}: not built, no environment serves it.`;
  if (status !== "failed")
    return `${place}: ${status}${status === "built" || errorText === undefined ? "" : `, ${errorText}`}`;
  return `The build of ${branchName} failed${errorText === undefined ? "." : `:\n${errorText}`}`;
}
