// Decides whether the files that a run reads are committed. Asks Git for lists of files and attributes only, which runs
// no code of the repository.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { gitSettings } from "../../core/system/git-settings.ts";
import { limits } from "../../core/limits/limits.ts";
import { isHiddenPath, parseTreeEntries } from "../../core/system/tree-entries.ts";
import { repositoryRoot } from "./commit.ts";
import { isAtOrBelow } from "./path-containment.ts";

/** The files that a run reads. */
export interface RunSources {
  /** The folder of the Stack, absolute. */
  readonly folder: string;
  /** Files, and folders with all their files, absolute; `-` is standard input. */
  readonly sources: readonly string[];
  /**
   * Files that values come from, absolute. Files that the commit does not have, such as secrets of the machine, do not
   * count.
   */
  readonly valueFiles?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns true if a source differs from the commit or is not in it, or if the commit has a file that the sources no longer have.
 * Undefined if that is unknown: without Git, or if a filter such as Git LFS stores a file in another form.
 */
export async function isUncommitted(
  commit: string,
  { folder, sources, valueFiles = [], env }: RunSources,
): Promise<boolean | undefined> {
  const root = repositoryRoot(folder);
  if (root === undefined || sources.length === 0) return undefined;
  if (sources.includes("-")) return true;
  try {
    const base = await realpath(root);
    const inBase = async (file: string) => path.relative(base, await realpath(file));
    const below = await inBase(folder);
    const files: string[] = [];
    const folders: string[] = [];
    for (const source of sources) {
      const found = await filesOf(source);
      if (found === undefined) files.push(await inBase(source));
      else folders.push(await inBase(source));
      for (const file of found ?? []) files.push(await inBase(file));
    }
    const values: string[] = [];
    for (const file of valueFiles.filter((name) => existsSync(name))) {
      const relative = await inBase(file);
      if (isAtOrBelow(".", relative)) values.push(relative);
    }
    // Folders, because a command line is limited.
    const outside = [...files, ...values]
      .filter((file) => !isAtOrBelow(below, file))
      .map(folderOrFile);
    const repository = { base, commit, env };
    const listed = await committedFiles(repository, [below || ".", ...new Set(outside)]);
    const isSource = (file: string) =>
      isManifest(file) || folders.some((one) => isAtOrBelow(one, file));
    const isRemoved = (file: string) =>
      !isHiddenPath(file) && isSource(file) && !existsSync(path.join(base, file));
    if ([...listed.keys()].some(isRemoved)) return true;
    const committedValues = values.filter((file) => listed.has(file));
    const differ: string[] = [];
    for (const file of new Set([...files, ...committedValues])) {
      const hashes = await hashesOf(path.join(base, file), commit);
      if (!hashes.has(listed.get(file) ?? "")) differ.push(file);
    }
    const filtered = await filteredFiles(repository, differ);
    if (differ.some((file) => !listed.has(file) || !filtered.has(file))) return true;
    return differ.length > 0 ? undefined : false;
  } catch {
    return undefined;
  }
}

/** Returns the folder of a file below the root, and a file of the root itself. */
function folderOrFile(file: string): string {
  const folder = path.dirname(file);
  return folder === "." ? file : folder;
}

function isManifest(file: string): boolean {
  return /\.(?:ya?ml|json)$/iu.test(file);
}

/** Returns the files below a folder without hidden ones. Undefined for a file. */
async function filesOf(source: string): Promise<readonly string[] | undefined> {
  if (!(await stat(source)).isDirectory()) return undefined;
  const files: string[] = [];
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const place = path.join(source, entry.name);
    if (entry.isDirectory()) files.push(...((await filesOf(place)) ?? []));
    else files.push(place);
  }
  return files;
}

/** Returns the hashes that Git may have for a file: unchanged, and with the line ends that Git stores. */
async function hashesOf(file: string, commit: string): Promise<ReadonlySet<string>> {
  const content = await readFile(file);
  const stored = Buffer.from(content.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  const algorithm = commit.length === 64 ? "sha256" : "sha1";
  return new Set(
    [content, stored].map((bytes) =>
      createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest("hex"),
    ),
  );
}

interface Repository {
  /** The root of the repository, without links. */
  readonly base: string;
  readonly commit: string;
  readonly env: RunSources["env"];
}

/** Returns the hash of each file of a commit at or below paths, by its path from the root of the repository. */
async function committedFiles(
  repository: Repository,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const list = ["ls-tree", "-r", "-z", "--full-tree", repository.commit, "--", ...paths];
  const entries = parseTreeEntries(await runGit(repository, list));
  return new Map(entries.map(({ path: file, hash }) => [file, hash]));
}

/** Returns the files that Git stores in another form than they have in a checkout. */
async function filteredFiles(
  repository: Repository,
  files: readonly string[],
): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set();
  const how = ["check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding"];
  const words = (await runGit(repository, how, `${files.join("\0")}\0`)).split("\0");
  // A file, an attribute and its value each.
  return new Set(
    words.filter((_, index) => {
      const value = index % 3 === 0 ? words[index + 2] : undefined;
      return value !== undefined && value !== "unspecified" && value !== "unset";
    }),
  );
}

/** Returns the output of a Git command on the local repository, which starts no other program. */
export function runGit(
  { base, env }: Pick<Repository, "base" | "env">,
  args: readonly string[],
  input = "",
): Promise<string> {
  const settings = ["safe.directory=*", "core.fsmonitor=false", "core.hooksPath=/dev/null"];
  const options = {
    cwd: base,
    encoding: "utf8",
    env: gitEnvironment(env),
    timeout: limits.gitResolveMs,
    maxBuffer: limits.gitOutputBytes,
  } as const;
  return new Promise((resolve, reject) => {
    const all = [...settings.flatMap((setting) => ["-c", setting]), ...args];
    const child = execFile("git", all, options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

/** Returns the environment in which Git reads the local repository only, and neither fetches nor runs a program. */
function gitEnvironment({ PATH }: RunSources["env"]): Record<string, string> {
  return {
    ...(PATH !== undefined && { PATH }),
    ...gitSettings,
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    // No transport has this name, so that Git fetches nothing from the remote of a partial clone.
    GIT_ALLOW_PROTOCOL: "none",
    GIT_OPTIONAL_LOCKS: "0",
  };
}
