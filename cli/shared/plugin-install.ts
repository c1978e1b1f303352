// What installing a plugin needs: the built files beside the command, written to their place whole or not at all.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../core/errors.ts";
import { nodeVersionError } from "../../core/node-version.ts";

/** A plugin as it is built. */
export interface PluginBundle {
  /** Its folder beside the built command. */
  readonly name: string;
  /** A file in it. */
  readonly file: string;
  /** What writes it in a checkout: a script and its arguments, given the folder to write into. */
  readonly bundleCommand: (folder: string) => readonly [script: string, ...args: string[]];
}

/**
 * Works with a folder of the build. In a checkout it is bundled for this from the sources as they are, for what was built
 * before may be of older ones; in an installed package it lies beside the command. Fails with `usage` where there is neither,
 * and where the Node.js that runs now, which the launcher would start it with, is too old for it.
 */
export async function withPluginFolder<T>(
  { name, file, bundleCommand: bundled }: PluginBundle,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  requireNode(process.versions.node);
  const root = checkoutRoot(bundled("")[0]);
  if (root === undefined) return work(packagedFolder(name, file));
  const folder = await mkdtemp(join(tmpdir(), "svc-install-"));
  try {
    const [script, ...args] = bundled(folder);
    await runBundler(join(root, script), args);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fails with `usage` where a provider would not start under a Node.js of this version. */
export function requireNode(version: string): void {
  const why = nodeVersionError(version);
  if (why === undefined) return;
  throw new Failure("usage", `the provider ${why}`, {
    remedy: "install it with a newer one: the one that installs it starts it later",
  });
}

/** The checkout that this is run in; packages come without the scripts. */
function checkoutRoot(script: string): string | undefined {
  const places = ["..", "../.."].map((place) => join(import.meta.dirname, place));
  return places.find((place) => existsSync(join(place, script)));
}

function packagedFolder(name: string, file: string): string {
  const places = [name, `../${name}`].map((place) => join(import.meta.dirname, place));
  const folder = places.find((place) => existsSync(join(place, file)));
  if (folder !== undefined) return folder;
  throw new Failure("usage", "the provider is not in this package", {
    remedy: "install svc-as-code again",
  });
}

async function runBundler(script: string, args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [script, ...args]);
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const [line = "it ended with an error"] = stderr
      .split("\n")
      .filter((one) => /error/i.test(one));
    throw new Failure("usage", `the provider cannot be built from the sources: ${line.trim()}`, {
      cause: error,
      remedy: "run `npm run build`, which says why",
    });
  }
}

/**
 * Writes a file in one step, so that an engine that starts meanwhile finds the old one or the new one. Fails with `usage` where
 * its folder cannot be made or written to.
 */
export async function writeAtomically(
  path: string,
  content: string | Buffer,
  mode: number,
): Promise<void> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(`${path}.new`, content);
    await chmod(`${path}.new`, mode);
    await rename(`${path}.new`, path);
  } catch (error) {
    throw cannotInstallError(folder, error);
  }
}

const writeErrors: Readonly<Record<string, string>> = {
  ENOTDIR: "a part of this path is a file, and no folder",
  EEXIST: "a part of this path is a file, and no folder",
  EISDIR: "a folder stands in the place of a file",
  EACCES: "you have no permission",
  EPERM: "you have no permission",
  EROFS: "its disk can only be read",
  ENOSPC: "its disk is full",
};

function cannotInstallError(folder: string, cause: unknown): unknown {
  if (!(cause instanceof Error) || !("syscall" in cause)) return cause;
  const { code = "" } = cause as NodeJS.ErrnoException;
  const summary = `the provider cannot be installed in ${folder}: ${writeErrors[code] ?? code}`;
  return new Failure("usage", summary, {
    cause,
    remedy: "make that a folder that you may write to, or name another with --plugin-dir",
  });
}

/** The launcher with the Node.js that runs now: it is known to be new enough, whatever is first on PATH later. */
export function withCurrentNode(launcher: string): string {
  return launcher.replace("${SVC_NODE:-node}", `\${SVC_NODE:-'${process.execPath}'}`);
}
