// Runs `svc update`: compares this version with the newest release, and installs its packages with npm.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { compareVersions } from "../../core/text/compare-versions.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import {
  download,
  newestRelease,
  newestReleaseURL,
  type Release,
} from "../shared/release/github-release.ts";
import { runAction } from "../shared/run/run-action.ts";

export interface Flags extends OutputFlags {
  readonly check?: true;
}

/** Bytes of a package of svc, and of the checksums of a release. */
const packageBytes = 100 * 1024 * 1024;
/** Longest time of the download and of npm, in milliseconds. */
const installMs = 15 * 60_000;

/** Runs `svc update`. */
export function runUpdate(flags: Flags, version: string): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    const url = newestReleaseURL();
    if (url === undefined) {
      throw new Failure("usage", "no repository of releases is set", {
        remedy: "Set SVC_UPDATE_REPO to the repository on GitHub, such as acme/svc.",
      });
    }
    const stop = AbortSignal.any([signal, AbortSignal.timeout(limits.requestMs)]);
    const release = await newestRelease(url, stop);
    const { version: latest } = release;
    const isNewer = compareVersions(latest, version) > 0;
    const isInstalled = isNewer && flags.check !== true;
    if (isInstalled) {
      const place = installation();
      output.info(() => `Installing svc ${latest} …`);
      await install(release, place, AbortSignal.any([signal, AbortSignal.timeout(installMs)]));
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

/** A global installation of npm. */
interface Installation {
  readonly prefix: string;
  /** The packages of a release that it has: the names of their archives. */
  readonly packages: readonly string[];
}

/** Returns the installation that this program runs from. Fails with `usage` if npm did not install it globally. */
function installation(): Installation {
  const program = realpathSync(process.argv[1] ?? "");
  const pattern = /^(.+?)((?:[/\\]lib)?[/\\]node_modules)[/\\]svc-as-code[/\\]dist[/\\]svc\.js$/u;
  const [, prefix, folder = ""] = pattern.exec(program) ?? [];
  // A local installation has a package.json of its own beside the folder of packages.
  if (prefix === undefined || existsSync(join(prefix, "package.json"))) {
    throw new Failure("usage", `${program} is not a global installation of npm`, {
      remedy: "Install the archive of the release as this one was installed.",
    });
  }
  const hasService = existsSync(join(prefix, folder, "svc-as-code-service"));
  return { prefix, packages: hasService ? ["svc", "svc-service"] : ["svc"] };
}

/** Downloads the packages of a release, compares their checksums, and installs them in place of those of the installation. */
async function install(
  { version, assets }: Release,
  { prefix, packages }: Installation,
  signal: AbortSignal,
): Promise<void> {
  const read = async (name: string): Promise<Buffer> => {
    const url = assets.get(name);
    if (url !== undefined) return download(url, packageBytes, signal);
    throw new Failure("unexpected_answer", `the release ${version} has no ${name}`);
  };
  const sums = (await read(`svc_${version}_SHA256SUMS`)).toString().split("\n");
  const folder = mkdtempSync(join(tmpdir(), "svc-update-"));
  try {
    const files: string[] = [];
    for (const name of packages.map((part) => `${part}_${version}.tgz`)) {
      const content = await read(name);
      const sum = createHash("sha256").update(content).digest("hex");
      if (!sums.includes(`${sum}  ${name}`)) {
        throw new Failure("unexpected_answer", `the checksum of ${name} differs`, {
          remedy: "Nothing was installed. Run the command again.",
        });
      }
      const file = join(folder, name);
      writeFileSync(file, content);
      files.push(file);
    }
    await npmInstall(prefix, files, signal);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function npmInstall(
  prefix: string,
  files: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const args = [
    "install",
    "--global",
    "--prefix",
    prefix,
    "--no-audit",
    "--no-fund",
    "--loglevel",
    "error",
    ...files,
  ];
  // npm is a script for a shell on Windows.
  const shell = process.platform === "win32";
  await promisify(execFile)("npm", shell ? args.map((arg) => `"${arg}"`) : args, {
    signal,
    shell,
  }).catch((error: { readonly stderr?: string; readonly message?: string }) => {
    if (signal.aborted) throw new Failure("aborted", "the update was stopped", { cause: error });
    const reason = (error.stderr || error.message || "").trim().split("\n")[0] ?? "";
    throw new Failure(
      "unavailable",
      `npm did not install the packages: ${escapeInvisible(reason)}`,
      {
        cause: error,
        remedy: `Install them with npm install --global --prefix ${prefix} FILES.`,
      },
    );
  });
}
