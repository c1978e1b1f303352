// The commit that a source is at, in a folder of its own: bounded, without links, and without anything that the repository could run.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { git, type GitRun, rawGit } from "../promotion/git-command.ts";
import { type GitSource, isLocalPath, readSecret } from "./config.ts";

/** A commit that lies in a folder. */
export interface Checkout {
  /** Hexadecimal. */
  readonly commit: string;
  /** Absolute; of the Stack, not of the repository. */
  readonly folder: string;
}

/** The checkouts of one source. */
export interface Checkouts {
  /**
   * Asks where the reference is, and fetches only where that is another commit, and `wanted`: undefined where it is not. Fails as the
   * network and Git do.
   */
  latest(
    signal: AbortSignal | undefined,
    wanted?: (commit: string) => boolean,
  ): Promise<Checkout | undefined>;
}

/** What checkouts are made in. */
export interface CheckoutOptions {
  /** Absolute; nobody else's. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The checkouts of a repository; nothing is touched before the first is asked for. */
export function createCheckouts(place: GitSource, { folder, env }: CheckoutOptions): Checkouts {
  let at: Checkout | undefined;
  return {
    latest: async (signal, wanted) => {
      const settings = { ...gitEnv(env), ...gitSettings(place, env) };
      const run = { cwd: folder, env: settings, signal, ownSession: true };
      if (at === undefined) await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const tip = await resolveRef(place, run);
      if (at?.commit === tip && existsSync(at.folder)) return at;
      if (wanted?.(tip) === false) return undefined;
      const before = at;
      at = await fetchCommit(place, run);
      if (before !== undefined && before.commit !== at.commit) {
        await rm(path.join(folder, before.commit), { recursive: true, force: true });
      }
      return at;
    },
  };
}

/** The commit of the reference, also where that is a tag with a text of its own. */
async function resolveRef({ url, ref }: GitSource, run: GitRun): Promise<string> {
  const names = [`${ref}^{}`, ref];
  const lines = (await git(["ls-remote", "--", url, ...names], run)).split("\n");
  const found = names.flatMap((name) => lines.filter((one) => one.endsWith(`\t${name}`)));
  const tip = found[0]?.split("\t")[0];
  if (tip !== undefined) return tip;
  throw new Failure("not_found", `the repository has no ${ref}`, {
    remedy: "push it, or name another branch or ref in the configuration",
  });
}

/** Fetches into a repository that is thrown away, so that none grows. */
async function fetchCommit(place: GitSource, run: GitRun): Promise<Checkout> {
  const folder = await mkdtemp(path.join(run.cwd, "fetch-"));
  const [store, tree] = [path.join(folder, "git"), path.join(folder, "tree")];
  const within = [`--git-dir=${store}`, `--work-tree=${tree}`];
  try {
    await mkdir(tree);
    await git(["init", "--quiet", "--bare", "--template=", "--", store], run);
    const seen = "refs/svc/seen";
    const how = ["--quiet", "--no-tags", "--depth=1", "--no-recurse-submodules"];
    await git([`--git-dir=${store}`, "fetch", ...how, "--", place.url, `+${place.ref}:${seen}`], {
      ...run,
      fileBytes: limits.fetchBytes,
    });
    const commit = await git([`--git-dir=${store}`, "rev-parse", `${seen}^{commit}`], run);
    const below = place.path === "" ? "." : place.path;
    const files = ["ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", below];
    requireWithinLimits(await rawGit([`--git-dir=${store}`, ...files], run), { commit, below });
    await git([...within, "checkout", "--quiet", "--force", commit, "--", below], {
      ...run,
      cwd: tree,
    });
    const kept = path.join(run.cwd, commit);
    await rm(kept, { recursive: true, force: true });
    await rename(tree, kept);
    return { commit, folder: path.join(kept, place.path) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fails with `too_large`, before a byte of it is written, and with `not_found` where there is nothing. */
function requireWithinLimits(
  listed: string,
  { commit, below }: { commit: string; below: string },
): void {
  const sizes = listed
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => Number(/^\d+ blob [0-9a-f]+ +(\d+)\t/u.exec(line)?.[1] ?? 0));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length === 0) {
    throw new Failure("not_found", `commit ${commit.slice(0, 12)} has no folder ${below}`, {
      remedy: "name the folder of the Stack as git.path; links are not followed",
    });
  }
  if (sizes.length <= limits.checkoutFiles && bytes <= limits.checkoutBytes) return;
  throw new Failure(
    "too_large",
    `commit ${commit.slice(0, 12)} has ${sizes.length} files with ${bytes} bytes in ${below}; ${limits.checkoutFiles} and ${limits.checkoutBytes} are taken`,
    { remedy: "name the folder of the Stack as git.path" },
  );
}

/** Of the environment, what reaching a repository takes; nothing that changes what Git does, and no key. */
function gitEnv(env: CheckoutOptions["env"]): Record<string, string> {
  const wanted =
    /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|SSH_AUTH_SOCK|(?:https?|all|no)_proxy|SSL_CERT_(?:FILE|DIR)|GIT_SSL_CAINFO)$/iu;
  return {
    ...Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) =>
        value === undefined || !wanted.test(name) ? [] : [[name, value] as const],
      ),
    ),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
  };
}

/** Settings of Git by the environment: others can read a command line. */
function gitSettings(
  { url, token, username }: GitSource,
  env: CheckoutOptions["env"],
): Record<string, string> {
  const scheme = isLocalPath(url) ? "file" : (/^(\w+):\/\//u.exec(url)?.[1] ?? "ssh");
  const settings: (readonly [string, string])[] = [
    ["protocol.allow", "never"],
    [`protocol.${scheme}.allow`, "always"],
    ["core.hooksPath", "/dev/null"],
    // Links become small files with the place in them, so that none leads anywhere.
    ["core.symlinks", "false"],
    ["core.fsmonitor", "false"],
    ["core.autocrlf", "false"],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
    ["submodule.recurse", "false"],
    // One file, which has a bound.
    ["fetch.unpackLimit", "1"],
    // A redirect could take the token elsewhere.
    ["http.followRedirects", "false"],
    ["credential.helper", ""],
  ];
  if (token !== undefined) {
    const login = Buffer.from(`${username}:${readSecret(token, env).reveal()}`).toString("base64");
    settings.push([`http.${new URL(url).origin}/.extraHeader`, `Authorization: Basic ${login}`]);
  }
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(settings.length)],
    ...settings.flatMap(([name, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, name],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ]) as Record<string, string>;
}
