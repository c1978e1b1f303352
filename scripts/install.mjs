// Installs the packages of package-lock.json if they are missing or differ from it.
// Plain JavaScript for Node 20, because it runs before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, existsSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root folder of this repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The pinned Node.js that `npm ci` installs. Everything after the installation runs on it. */
export const pinnedNode = join(root, "node_modules", "node", "bin", "node");

/** An error that the user can fix; shown without a stack trace. */
export class SetupError extends Error {}

/** Returns why the installed packages are not those of the lock file, or undefined. More packages do no harm. */
export function staleReason(folder = root) {
  const wanted = readPackages(join(folder, "package-lock.json"));
  if (!wanted)
    throw new SetupError(
      `${join(folder, "package-lock.json")} is missing or broken; restore it with git.`,
    );
  const installed = readPackages(join(folder, "node_modules", ".package-lock.json"));
  if (!installed) return "no packages are installed";
  for (const [path, entry] of Object.entries(wanted)) {
    const found = installed[path];
    if (path === "" || (!found && (entry.optional || entry.devOptional))) continue;
    if (!found) return `${name(path)} is missing`;
    if (found.version !== entry.version || found.integrity !== entry.integrity) {
      return `${name(path)} has version ${found.version}; the lock file requires ${entry.version}`;
    }
  }
  // npm's list of installed packages does not show that a folder was deleted later.
  const deleted = Object.keys(installed).find((path) => !isPresent(folder, path));
  if (deleted) return `the folder ${deleted} is missing`;
  return existsSync(join(folder, "node_modules", "node", "bin", "node"))
    ? undefined
    : "the pinned Node.js is missing";
}

/** Runs `npm ci` if required and prints the reason. Throws a SetupError with a remedy on failure. */
export async function ensureInstalled() {
  if (Number(process.versions.node.split(".")[0]) < 20) {
    throw new SetupError(
      `Node.js ${process.versions.node} is too old; install Node.js 20 or newer.`,
    );
  }
  const reason = staleReason();
  if (!reason) return;
  console.error(
    `Installing packages from the npm registry (${reason}); from half a minute to several minutes ...`,
  );
  const started = Date.now();
  requireWritable();
  await runNpm([
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
      `npm ci succeeded, but ${still}. Delete ${join(root, "node_modules")} and try again.`,
    );
  }
  console.error(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
}

/**
 * Returns the Node.js to run the sources with: the pinned one, or the current one if the pinned binary (for glibc) does not
 * run here and the current version can run TypeScript.
 */
export function nodeForSources() {
  const tried = spawnSync(pinnedNode, ["--version"], { encoding: "utf8" });
  if (tried.status === 0) return pinnedNode;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  throw new SetupError(
    `The pinned Node.js at ${pinnedNode} does not run here (${tried.error?.message ?? `exit ${tried.status}`}).\n` +
      `Delete ${join(root, "node_modules")} and try again, or use Node.js 22.19 or newer.`,
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
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new SetupError(
      `${modules} is a link, and npm would empty the folder that it names. Install the packages there, or remove the link.`,
    );
  }
  for (const folder of existsSync(modules) ? [root, modules] : [root]) {
    try {
      accessSync(folder, constants.W_OK);
    } catch {
      throw new SetupError(`cannot install packages: the current user cannot write to ${folder}.`);
    }
  }
}

/** Returns whether a package of a lock file is in its folder. */
function isPresent(folder, path) {
  return existsSync(join(folder, path, "package.json"));
}

/** Prints the current step every few seconds, because npm prints nothing while it waits for a registry. */
function showProgress(started) {
  const packages = Object.entries(readPackages(join(root, "package-lock.json")) ?? {});
  const required = packages.filter(([path, { optional }]) => path !== "" && !optional);
  return setInterval(() => {
    const present = required.filter(([path]) => isPresent(root, path)).length;
    const seconds = Math.round((Date.now() - started) / 1000);
    console.error(progressLine({ present, required: required.length, seconds }));
  }, 3000);
}

/** Returns the line of progress. Once the packages are there, npm runs their scripts, and `prepare` of this repository. */
export function progressLine({ present, required, seconds }) {
  if (present === required) {
    return `  all ${required} packages are there; npm finishes them and builds svc, ${seconds} s so far`;
  }
  const hint = seconds < 60 ? "" : "; npm still waits for the registry or unpacks (Ctrl-C stops)";
  return `  ${present} of ${required} packages after ${seconds} s${hint}`;
}

async function runNpm(args) {
  // The system's node runs npm, because npm replaces the one in node_modules.
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .join(delimiter);
  const env = { ...process.env, PATH: path, SVC_BOOTSTRAP: "1", npm_config_cache: writableCache() };
  const cli = process.env.npm_execpath;
  const [command, lead] = cli?.endsWith(".js") ? ["node", [cli]] : ["npm", []];
  const run = spawn(command, [...lead, ...args], { cwd: root, env, stdio: ["ignore", 2, 2] });
  const timer = showProgress(Date.now());
  const cause = await once(run, "exit")
    .then(([code, signal]) => (signal ? `ended by ${signal}` : `exit ${code}`))
    .catch((error) => error.message)
    .finally(() => clearInterval(timer));
  if (cause === "exit 0") return;
  throw new SetupError(
    `Cannot install the packages (npm ci: ${cause}; see its output above).\n` +
      "Required: access to the npm registry (see `npm config get registry`, proxy and CA settings), about 700 MB of disk,\n" +
      `and write access to ${root}. Then run the same command again.`,
  );
}

/** Returns npm's cache folder, or one in the temporary folder if the user's home is not writable. */
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
