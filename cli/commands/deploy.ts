// `svc deploy DEPLOYMENT`: uploads the changed files of a data model, and waits for the build.
import { Command, InvalidArgumentError } from "commander";
import pLimit from "p-limit";
import {
  finishUpload,
  getDataModelFileHashes,
  startUpload,
  uploadFile,
} from "../../api/data-model.ts";
import { createClient } from "../../client/client.ts";
import type { Client } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { type BuildStatus, waitForBuild } from "../shared/build-wait.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "../shared/connection.ts";
import { deploymentIdOf } from "../shared/deployment-argument.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type Output, type OutputFlags, outputOptions } from "../shared/output.ts";
import { type ProjectFile, readProject, readProjectFile } from "../shared/project-files.ts";
import { runAction } from "../shared/run-action.ts";

interface Flags extends ConnectionFlags, OutputFlags {
  readonly folder: string;
  readonly branch?: string;
  readonly keepMissing?: true;
  readonly message?: string;
  /** `false` for `--no-wait`. */
  readonly wait: boolean;
  readonly timeout: number;
}

/** Returns the `deploy` command. */
export function deployCommand(): Command {
  const command = new Command("deploy")
    .description(
      "Upload the files of a data model that changed, remove those that are gone, and build once.\n\n" +
        "Deploys to --branch, otherwise to the open dev-mode branch of your credential, otherwise to\n" +
        "the deploy branch. Skips hidden files except .gitignore, node_modules and dashboard-app.",
    )
    .argument("<deployment>", "ID or name of the deployment")
    .option("--folder <path>", "folder of the project", ".")
    .option("--branch <name>", "branch to deploy to")
    .option("--keep-missing", "keep files of the branch that the folder does not have")
    .option("--message <text>", "message of the commit")
    .option("--no-wait", "do not wait for the build")
    .option("--timeout <seconds>", "longest wait for the build", secondsOf, 900)
    .action((deployment: string, flags: Flags) =>
      runAction(flags, async ({ output, signal }) => {
        const files = readProject(flags.folder);
        const client = createClient({ ...(await serverAccess(flags)), signal });
        try {
          return await deploy({ client, flags, output, signal }, { deployment, files });
        } finally {
          await client.close();
        }
      }),
    );
  return outputOptions(connectionOptions(command));
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError("Use a number of seconds from 1 to 86400.");
}

interface DeployContext {
  readonly client: Client;
  readonly flags: Flags;
  readonly output: Output;
  readonly signal: AbortSignal;
}

async function deploy(
  { client, flags, output, signal }: DeployContext,
  { deployment, files }: { deployment: string; files: readonly ProjectFile[] },
): Promise<number> {
  const deploymentId = await deploymentIdOf(client, deployment);
  const branch = flags.branch === undefined ? {} : { branchName: flags.branch };
  const params = { deploymentId };
  const before = await client.reader.call(getDataModelFileHashes, { params, query: branch });
  const changed = files.filter(({ path, hash }) => before[path]?.hash !== hash);
  const names = new Set(files.map(({ path }) => path));
  const removed =
    flags.keepMissing === true ? [] : Object.keys(before).filter((path) => !names.has(path));
  if (changed.length > 0 || removed.length > 0) {
    await upload({ client, flags, output, signal }, { params, branch, files, changed });
  }
  const counts = { files: files.length, uploaded: changed.length, removed: removed.length };
  const status = flags.wait
    ? await waitForBuild(client, {
        deploymentId,
        branchName: flags.branch,
        timeoutMs: flags.timeout * 1000,
        signal,
      })
    : undefined;
  output.result({
    text: () => `${countsText(counts)}\n${status === undefined ? "" : buildText(status)}`,
    json: () => ({ deploymentId, ...counts, ...(status && { build: { ...status } }) }),
  });
  return status === undefined || isDeployed(status) ? exitCodes.done : exitCodes.failed;
}

/** A shared branch has no environment, so it is never built. */
function isDeployed({ status, buildJobId }: BuildStatus): boolean {
  return status === "built" || status === "none" || buildJobId === undefined;
}

interface UploadInput {
  readonly params: { readonly deploymentId: number };
  readonly branch: { readonly branchName?: string };
  readonly files: readonly ProjectFile[];
  readonly changed: readonly ProjectFile[];
}

async function upload(
  { client, flags, output, signal }: DeployContext,
  { params, branch, files, changed }: UploadInput,
): Promise<void> {
  const { transaction } = await client.call(startUpload, { params, query: branch });
  const running = pLimit(limits.concurrency);
  let sent = 0;
  await running.map(changed, async ({ path }) => {
    if (signal.aborted)
      throw new Failure("aborted", "the upload was interrupted; the branch did not change");
    const file = readProjectFile(flags.folder, path).toString("base64");
    await client.call(uploadFile, { params, body: { transaction, fileName: path, file } });
    sent++;
    if (sent % 100 === 0) output.info(() => `Uploaded ${sent} of ${changed.length} files.`);
  });
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

function countsText({
  files,
  uploaded,
  removed,
}: Readonly<Record<"files" | "uploaded" | "removed", number>>): string {
  if (uploaded === 0 && removed === 0) return `No changes: ${files} files are up to date.`;
  return `Uploaded ${uploaded} of ${files} files, removed ${removed}.`;
}

function buildText({ branchName, status, errorText, buildJobId }: BuildStatus): string {
  if (buildJobId === undefined)
    return `${branchName} is not built: ${errorText ?? "no environment serves it"}.`;
  if (status === "built") return `${branchName} is built.`;
  return `The build of ${branchName} is ${status}${errorText === undefined ? "." : `:\n${errorText}`}`;
}
