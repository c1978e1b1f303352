// Lists the files that the rules apply to: committed files, files that `git add` would add, and the generated SDKs.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { globSync } from "tinyglobby";
import { parseSource, type Source } from "./source.ts";

const root = resolve(import.meta.dirname, "../..");

let listed: readonly string[] | undefined;
let parsed: readonly Source[] | undefined;
let names: readonly string[] | undefined;

/**
 * Returns every file of the repository by its relative path, including untracked files and, of the ignored ones, the
 * SDKs.
 */
export function files(): readonly string[] {
  listed ??= list()
    .filter((path) => existsSync(join(root, path)))
    .toSorted();
  return listed;
}

/** Returns the text of a file of the repository. */
export function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Returns true if the repository has this file. */
export function has(path: string): boolean {
  return files().includes(path);
}

/** Returns every TypeScript source of the repository, parsed once. */
export function sources(): readonly Source[] {
  parsed ??= files()
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"))
    .map((path) => parseSource(path, read(path)));
  return parsed;
}

/** Returns the repository path that a relative import names; undefined for a package. */
export function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : undefined;
}

/** Returns the paths that `next` leads to from `start`, including `start`; `next` is called once for each source. */
export function reachablePaths(
  start: readonly string[],
  next: (source: Source) => readonly string[],
): ReadonlySet<string> {
  const byPath = new Map(sources().map((source) => [source.path, source]));
  const reached = new Set(start);
  for (const path of reached) {
    const source = byPath.get(path);
    for (const target of source === undefined ? [] : next(source)) reached.add(target);
  }
  return reached;
}

/** Returns the kinds, by the names of the files in resources/: `embed-user.ts` declares EmbedUser. */
export function kindNames(): readonly string[] {
  names ??= kindNamesOf(sources());
  return names;
}

/** Like {@link kindNames}, but excludes helper files of several kinds, which do not contain their name as a word. */
export function kindNamesOf(all: readonly Source[]): readonly string[] {
  return all
    .filter(({ path, isTest }) => /^resources\/[a-z0-9-]+\.ts$/.test(path) && !isTest)
    .map(({ path, text }) => ({ text, kind: pascal(posix.basename(path, ".ts")) }))
    .filter(({ text, kind }) => text.includes(`"${kind}"`))
    .map(({ kind }) => kind);
}

function pascal(name: string): string {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function list(): readonly string[] {
  try {
    // Allows a clone that belongs to another user, because it is only read here.
    const args = ["-c", `safe.directory=${root}`, "ls-files", "-co", "--exclude-standard", "-z"];
    const out = execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" });
    const sdks = globSync("provider/*/sdk/**/*.ts", { cwd: root });
    return [...new Set([...out.split("\0").filter((path) => path !== ""), ...sdks])];
  } catch {
    return globSync("**", {
      cwd: root,
      dot: true,
      ignore: ["node_modules/**", "dist/**", ".git/**"],
    });
  }
}
