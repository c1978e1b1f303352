// Runs `svc update`: compares this version with the newest release, and runs the installer of this package for it.
import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { compareVersions } from "../../core/text/compare-versions.ts";
import { Failure } from "../../core/errors.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { limits } from "../../core/limits/limits.ts";
import { isExecutable } from "../../core/system/executable.ts";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { latestRelease, releaseAddress } from "../shared/release/releases.ts";
import { runAction } from "../shared/run/run-action.ts";

export interface Flags extends OutputFlags {
  readonly check?: true;
}

/** Longest run of the installer, in milliseconds. It limits its downloads itself. */
const installMs = 15 * 60_000;

/** Runs `svc update`. */
export function runUpdate(flags: Flags, version: string): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    const address = releaseAddress();
    if (address === undefined && flags.check === true) {
      output.result({
        text: () =>
          `${noAddress}, so svc ${version} is not compared with releases. ${noAddressRemedy}`,
        json: () => commandJson("update", { version, isInstalled: false }),
      });
      return exitCodes.done;
    }
    if (address === undefined) throw new Failure("usage", noAddress, { remedy: noAddressRemedy });
    const stop = AbortSignal.any([signal, AbortSignal.timeout(limits.requestMs)]);
    const latest = await latestRelease(address, stop);
    const isNewer = compareVersions(latest, version) > 0;
    const isInstalled = isNewer && flags.check !== true;
    if (isInstalled) {
      output.info(() => `Installing svc ${latest} …`);
      await install({ address, latest, signal });
    }
    output.result({
      text: () => resultText({ version, latest, isNewer, isInstalled }),
      json: () => commandJson("update", { version, latest, isNewer, isInstalled }),
    });
    return exitCodes.done;
  });
}

interface UpdateResult {
  readonly version: string;
  readonly latest: string;
  readonly isNewer: boolean;
  readonly isInstalled: boolean;
}

function resultText({ version, latest, isNewer, isInstalled }: UpdateResult): string {
  if (isInstalled) return `Installed svc ${latest} in place of ${version}.`;
  return isNewer
    ? `svc ${latest} is available (installed: ${version}); run svc update`
    : `svc ${version} is the newest release.`;
}

const noAddress = "the address of the releases is not set";
const noAddressRemedy = "Set SVC_RELEASE_URL to the base address of the releases of svc.";

interface InstallRequest {
  readonly address: string;
  readonly latest: string;
  readonly signal: AbortSignal;
}

/** Runs the installer of this package for the folder that this program is installed in. */
async function install({ address, latest, signal }: InstallRequest): Promise<void> {
  const script = realpathSync(process.argv[1] ?? "");
  const program = isExecutable() ? realpathSync(process.execPath) : script;
  const installer = join(dirname(script), "install.sh");
  const [, folder] = /^(.+)\/versions\/[^/]+\/(?:dist\/svc\.js|svc)$/u.exec(program) ?? [];
  if (folder === undefined || !existsSync(installer)) {
    throw new Failure("usage", `${program} was not installed by the installer of svc`, {
      remedy: `Install the package of svc ${latest} as this one was installed, such as with npm install --global FILE.`,
    });
  }
  const env = {
    ...process.env,
    SVC_RELEASE_URL: address,
    SVC_VERSION: latest,
    SVC_INSTALL_DIR: folder,
    ...(isExecutable() ? { SVC_EXECUTABLE: "1" } : { SVC_NODE: process.execPath }),
  };
  await promisify(execFile)("sh", [installer], { env, signal, timeout: installMs }).catch(
    (error: { readonly stderr?: string }) => {
      if (signal.aborted) throw new Failure("aborted", "the update was stopped", { cause: error });
      const reason = escapeInvisible((error.stderr ?? "").trim().split("\n").at(-1) ?? "");
      throw new Failure("unavailable", `svc ${latest} was not installed: ${reason}`, {
        cause: error,
        remedy: "This version stays in use. Run the command again.",
      });
    },
  );
}
