// Installs the packages of package-lock.json when they are missing or not the ones it names.
// Plain JavaScript for Node 20: this runs before anything is installed.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this repository, wherever the command was given. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The pinned Node.js that `npm ci` brings; everything after the installation runs on it. */
export const pinnedNode = join(root, "node_modules", "node", "bin", "node");

/** Something the user can mend: told without a stack. */
export class SetupError extends Error {}

/** Why the installed packages are not those of the lock file; undefined when they are. */
export function staleReason(folder = root) {
  const wanted = readPackages(join(folder, "package-lock.json"));
  if (!wanted)
    throw new SetupError(
      `${join(folder, "package-lock.json")} is missing or broken: restore it with git.`,
    );
  const installed = readPackages(join(folder, "node_modules", ".package-lock.json"));
  if (!installed) return "nothing is installed yet";
  for (const [path, entry] of Object.entries(wanted)) {
    const found = installed[path];
    if (path === "" || (!found && (entry.optional || entry.devOptional))) continue;
    if (!found) return `${name(path)} is missing`;
    if (found.version !== entry.version || found.integrity !== entry.integrity) {
      return `${name(path)} is ${found.version}, ${entry.version} is wanted`;
    }
  }
  const extra = Object.keys(installed).find((path) => !(path in wanted));
  if (extra) return `${name(extra)} is no longer wanted`;
  return existsSync(join(folder, "node_modules", "node", "bin", "node"))
    ? undefined
    : "the pinned Node.js was not unpacked";
}

/** Runs `npm ci` when it is needed, saying why; throws a SetupError that tells what to do when it fails. */
export function ensureInstalled() {
  if (Number(process.versions.node.split(".")[0]) < 20) {
    throw new SetupError(
      `Node.js ${process.versions.node} is too old to install with: 20 or newer is needed.`,
    );
  }
  const reason = staleReason();
  if (!reason) return;
  console.error(`Installing packages from the npm registry (${reason}); about half a minute ...`);
  const started = Date.now();
  requireWritable();
  runNpm([
    "ci",
    "--include=dev",
    "--ignore-scripts=false",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ]);
  const still = staleReason();
  if (still) {
    throw new SetupError(
      `npm ci ended well, but ${still}. Delete ${join(root, "node_modules")} and run this again.`,
    );
  }
  console.error(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
}

/**
 * The Node.js to run the sources with: the pinned one, or this very process where the pinned build
 * cannot run (its binary is for glibc) and this one is new enough to take TypeScript sources.
 */
export function nodeForSources() {
  const tried = spawnSync(pinnedNode, ["--version"], { encoding: "utf8" });
  if (tried.status === 0) return pinnedNode;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  throw new SetupError(
    `The pinned Node.js at ${pinnedNode} does not run here (${tried.error?.message ?? `exit ${tried.status}`}).\n` +
      `Delete ${join(root, "node_modules")} and run this again, or use Node.js 22.19 or newer.`,
  );
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

function name(path) {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

function requireWritable() {
  const modules = join(root, "node_modules");
  for (const folder of existsSync(modules) ? [root, modules] : [root]) {
    try {
      accessSync(folder, constants.W_OK);
    } catch {
      throw new SetupError(
        `${folder} is not writable for this user: packages cannot be installed there.`,
      );
    }
  }
}

function runNpm(args) {
  // The system's own node runs npm: the one in node_modules is about to be replaced.
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .join(delimiter);
  const env = { ...process.env, PATH: path, SVC_BOOTSTRAP: "1", npm_config_cache: writableCache() };
  const cli = process.env.npm_execpath;
  const [command, lead] = cli?.endsWith(".js") ? ["node", [cli]] : ["npm", []];
  const run = spawnSync(command, [...lead, ...args], { cwd: root, env, stdio: ["ignore", 2, 2] });
  if (run.status === 0) return;
  const cause =
    run.error?.message ?? (run.signal ? `ended by ${run.signal}` : `exit ${run.status}`);
  throw new SetupError(
    `The packages could not be installed (npm ci: ${cause}; its words are above).\n` +
      "It needs: the npm registry (see `npm config get registry`, proxy and CA settings), about 700 MB of disk,\n" +
      `and write access to ${root}. Once that is mended, run the same command again.`,
  );
}

/** npm's cache folder, or one in the temporary folder for a user whose home cannot be written. */
function writableCache() {
  const usual = process.env.npm_config_cache ?? join(homedir(), ".npm");
  try {
    mkdirSync(usual, { recursive: true });
    accessSync(usual, constants.W_OK);
    return usual;
  } catch {
    return join(tmpdir(), `svc-npm-cache-${process.getuid?.() ?? "user"}`);
  }
}
