// Installs a plugin: copies its built files to their folder atomically.
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { Failure } from "../../../core/errors.ts";
import { writeAtomically } from "../../../files/atomic-files.ts";
import { nodeVersionError } from "../../../core/system/node-version.ts";
import { systemErrorText } from "../../../core/system/system-error.ts";
import type { Output } from "../output/output.ts";

/** A built plugin. */
export interface PluginBundle {
  /** Its folder beside the built command. */
  readonly name: string;
  /** Its program in that folder, which loads the other `.mjs` files there. An installed package has each as `FILE.gz`. */
  readonly file: string;
  /** The script that builds it in a checkout, with its arguments for a target folder. */
  readonly bundleCommand: (folder: string) => readonly [script: string, ...args: string[]];
}

/**
 * Calls `work` with a temporary folder that contains the plugin. A checkout bundles it from the current
 * sources and says so, because it takes seconds; an installed package ships it. Fails with `usage` if
 * neither exists, or if the current Node.js, which the launcher uses, is too old.
 */
export async function withPluginFolder<T>(
  plugin: PluginBundle,
  { info, isJson }: Pick<Output, "info" | "isJson">,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  requireNode(process.versions.node);
  const root = checkoutRoot(plugin.bundleCommand("")[0]);
  const folder = await mkdtemp(join(tmpdir(), "svc-install-"));
  try {
    if (root === undefined) await unpack(plugin, folder);
    else {
      if (!isJson)
        info(
          () =>
            "Building the provider from this checkout, up to half a minute; an installed package contains it built ...",
        );
      await runBundler(root, plugin.bundleCommand(folder));
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies the plugin of an installed package into a folder, with its programs as plain files. */
async function unpack({ name, file }: PluginBundle, folder: string): Promise<void> {
  const packaged = packagedFolder(name, `${file}.gz`);
  await cp(packaged, folder, { recursive: true });
  await decompressPrograms(packaged, folder);
}

/** Writes the programs of a plugin, which its package compresses, into a folder. */
export async function decompressPrograms(packaged: string, folder: string): Promise<void> {
  for (const packed of (await readdir(packaged)).filter((one) => one.endsWith(".gz"))) {
    const content = gunzipSync(await readFile(join(packaged, packed)));
    await writeFile(join(folder, packed.slice(0, -".gz".length)), content);
  }
}

/**
 * Installs the program of a plugin from its built folder. Installs the files that the program loads before the program
 * itself, so that a starting engine finds matching files. Removes the files of an earlier build.
 */
export async function installProgram(
  { file }: PluginBundle,
  { from, into }: { readonly from: string; readonly into: string },
): Promise<void> {
  const files = await programFiles(from);
  for (const name of [...files.filter((one) => one !== file), file])
    installFile(join(into, name), await readFile(join(from, name)), 0o644);
  for (const name of await programFiles(into))
    if (!files.includes(name)) await rm(join(into, name), { force: true });
}

async function programFiles(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(".mjs"));
}

/** Fails with `usage` if the provider cannot run under this version of Node.js. */
export function requireNode(version: string): void {
  const why = nodeVersionError(version);
  if (why === undefined) return;
  throw new Failure("usage", `the provider ${why}`, {
    remedy: "Run the command with a newer Node.js: the provider starts with the same one.",
  });
}

/** Returns the root of the checkout; packages do not contain the scripts. */
function checkoutRoot(script: string): string | undefined {
  const places = ["..", "../../.."].map((place) => join(import.meta.dirname, place));
  return places.find((place) => existsSync(join(place, script)));
}

function packagedFolder(name: string, file: string): string {
  const places = [name, `../${name}`].map((place) => join(import.meta.dirname, place));
  const folder = places.find((place) => existsSync(join(place, file)));
  if (folder !== undefined) return folder;
  throw new Failure("usage", "this package does not contain the provider", {
    remedy: "Reinstall svc-as-code.",
  });
}

async function runBundler(
  root: string,
  [script, ...args]: ReturnType<PluginBundle["bundleCommand"]>,
): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [join(root, script), ...args]);
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const [line = "it exited with an error"] = stderr
      .split("\n")
      .filter((one) => /error/i.test(one));
    throw new Failure("usage", `building the provider failed: ${line.trim()}`, {
      cause: error,
      remedy: "Run `npm run build` for details.",
    });
  }
}

/**
 * Writes a file atomically, so that a starting engine finds either the old or the new one. Fails with
 * `usage` if the folder cannot be created or written.
 */
export function installFile(path: string, content: string | Uint8Array, mode: number): void {
  try {
    // Node says "exists" of a file in the place of the folder; the write below says that it is not a folder.
    if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true });
    // Whatever the umask: the engine may run as another user.
    const beforeRename = (file: string) => chmodSync(file, mode);
    writeAtomically(path, typeof content === "string" ? [content] : content, { beforeRename });
  } catch (error) {
    throw cannotInstallError(path, error);
  }
}

function cannotInstallError(path: string, cause: unknown): unknown {
  if (!(cause instanceof Error) || !("syscall" in cause)) return cause;
  const summary = `the provider cannot be installed: ${path}: ${systemErrorText(cause)}`;
  return new Failure("usage", summary, {
    cause,
    remedy: "Make its folder writable, or choose another with --plugin-dir.",
  });
}

/** Returns the launcher with the path of the current Node.js, which is new enough. */
export function withCurrentNode(launcher: string): string {
  return launcher.replace("${SVC_NODE:-node}", `\${SVC_NODE:-'${process.execPath}'}`);
}
