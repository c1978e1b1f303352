// Installs a release of svc with npm.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../../core/errors.ts";
import { escapeInvisible } from "../../../core/text/escape-text.ts";
import { downloadAsset, type Release } from "./github-release.ts";

/** A global installation of npm. */
export interface Installation {
  readonly prefix: string;
  /** The packages of a release that it has: the names of their archives. */
  readonly packages: readonly string[];
}

/** Longest time of the download and of npm, in milliseconds. */
export const installMs = 15 * 60_000;

/** Downloads packages of a release, compares their checksums, and installs them, in place of others of their name. */
export async function installRelease(
  release: Release,
  { prefix, packages }: Installation,
  signal: AbortSignal,
): Promise<void> {
  const { version } = release;
  const read = (name: string) => downloadAsset(release, name, signal);
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
