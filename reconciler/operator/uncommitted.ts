// Decides whether what a run reads is committed. Asks Git only for the list of a commit's files, which runs no code of the repository.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { gitSettings } from "../../core/git-settings.ts";
import { limits } from "../../core/limits.ts";
import { parseTreeEntries } from "../../core/tree-entries.ts";
import { repositoryRoot } from "./commit.ts";
import { isAtOrBelow } from "./path-containment.ts";

/** What a run reads. */
export interface RunSources {
  /** The folder of the Stack, absolute. */
  readonly folder: string;
  /** Files, and folders with all their files, absolute; `-` is standard input. */
  readonly sources: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns true if a source differs from the commit or is not in it, or if the commit has a manifest that the folder no longer
 * has. Undefined if that is unknown: without Git, or if it cannot read the commit.
 */
export function isUncommitted(
  commit: string,
  { folder, sources, env }: RunSources,
): boolean | undefined {
  const root = repositoryRoot(folder);
  if (root === undefined || sources.length === 0) return undefined;
  if (sources.includes("-")) return true;
  try {
    const base = realpathSync(root);
    const below = path.relative(base, realpathSync(folder));
    const files = sources.flatMap(filesOf).map((file) => path.relative(base, realpathSync(file)));
    // Folders, because a command line is limited.
    const outside = files.filter((file) => !isAtOrBelow(below, file)).map(folderOrFile);
    const listed = committedFiles(commit, {
      base,
      paths: [below || ".", ...new Set(outside)],
      env,
    });
    const isRemoved = (file: string): boolean =>
      isManifest(file) && isAtOrBelow(below, file) && !existsSync(path.join(base, file));
    return (
      files.some((file) => !hashesOf(path.join(base, file), commit).has(listed.get(file) ?? "")) ||
      [...listed.keys()].some(isRemoved)
    );
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
  return /\.(?:ya?ml|json|stack\.ts)$/iu.test(file) && !/(?:^|\/)\./u.test(file);
}

/** Returns a file, or the files below a folder without hidden ones. */
function filesOf(source: string): readonly string[] {
  if (!statSync(source).isDirectory()) return [source];
  return readdirSync(source, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .flatMap((entry) => {
      const at = path.join(source, entry.name);
      return entry.isDirectory() ? filesOf(at) : [at];
    });
}

/** Returns the hashes that Git may have for a file: as it is, and with the line ends that Git stores. */
function hashesOf(file: string, commit: string): ReadonlySet<string> {
  const content = readFileSync(file);
  const stored = Buffer.from(content.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  const algorithm = commit.length === 64 ? "sha256" : "sha1";
  return new Set(
    [content, stored].map((bytes) =>
      createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest("hex"),
    ),
  );
}

/** Returns the hash of each file of a commit at or below paths, by its path from the root of the repository. */
function committedFiles(
  commit: string,
  { base, paths, env }: { base: string; paths: readonly string[]; env: RunSources["env"] },
): ReadonlyMap<string, string> {
  const list = ["ls-tree", "-r", "-z", "--full-tree", commit, "--", ...paths];
  const out = execFileSync("git", ["-c", "safe.directory=*", ...list], {
    cwd: base,
    encoding: "utf8",
    env: gitEnvironment(env),
    stdio: ["ignore", "pipe", "ignore"],
    timeout: limits.gitResolveMs,
    maxBuffer: limits.gitOutputBytes,
  });
  return new Map(parseTreeEntries(out).map(({ path: file, hash }) => [file, hash]));
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
