// Git repositories that the services of tests may connect to.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folder of all repositories of this process. It exists once there is one. */
export const remotesFolder = join(tmpdir(), `svc-remotes-${process.pid}`);

/** Removes the folders of earlier test processes, which are stopped by a signal and cannot remove them. */
function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(/^svc-remotes-(\d+)$/.exec(name)?.[1] ?? 0);
    if (pid > 0 && !isRunning(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const env = {
  PATH: process.env["PATH"],
  HOME: remotesFolder,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Jo",
  GIT_AUTHOR_EMAIL: "jo@example.com",
  GIT_COMMITTER_NAME: "Jo",
  GIT_COMMITTER_EMAIL: "jo@example.com",
};

/** Texts of files by path; null deletes a file. A submodule is the commit that it names. */
export type CommittedFiles = Readonly<
  Record<string, string | null | { readonly linkTo: string } | { readonly submodule: string }>
>;

/** What Git LFS commits in the place of a file. */
export const lfsPointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"4d".repeat(32)}\nsize 12345\n`;

/** A bare repository to which another user pushes. */
export interface TestRemote {
  /** Path of the bare repository. */
  readonly path: string;
  /** Runs Git in the bare repository. */
  git(...args: readonly string[]): string;
  /** Runs Git in the bare repository with a date for new commits. */
  gitAt(date: string, ...args: readonly string[]): string;
  /**
   * Adds a commit that writes or deletes files of a branch. A new branch begins at the last commit made here.
   * Returns the commit.
   */
  commit(files: CommittedFiles, message?: string, branch?: string): string;
  /** Returns the texts of a branch's files by path. */
  files(branch?: string): Readonly<Record<string, string>>;
  /** Returns the subjects of a branch's commits, the newest first. */
  log(branch?: string): readonly string[];
}

/** Runs Git and returns what it prints. */
function runGit(
  cwd: string,
  args: readonly string[],
  more: { readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {},
): string {
  return execFileSync("git", args, {
    cwd,
    env: { ...env, ...more.env },
    encoding: "utf8",
    input: more.input ?? "",
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Returns an empty bare repository to copy, which is created once. */
function emptyRepository(): string {
  const path = join(remotesFolder, "empty.git");
  if (existsSync(path)) return path;
  runGit(remotesFolder, [
    "init",
    "--quiet",
    "--bare",
    "--initial-branch=main",
    "--template=",
    path,
  ]);
  runGit(path, ["config", "http.receivepack", "true"]);
  return path;
}

function hasBranch(path: string, branch: string): boolean {
  if (existsSync(join(path, "refs/heads", branch))) return true;
  const packed = join(path, "packed-refs");
  return existsSync(packed) && readFileSync(packed, "utf8").includes(` refs/heads/${branch}\n`);
}

/** Returns one commit in the format of `git fast-import`, which prints the commit. */
function commitStream(
  files: CommittedFiles,
  { message, branch, from }: Readonly<Record<"message" | "branch" | "from", string>>,
): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  return [
    `commit refs/heads/${branch}\nmark :1\ncommitter Jo <jo@example.com> now\n`,
    data(`${message}\n`),
    ...(from === "" ? [] : [`from ${from}\n`]),
    ...Object.entries(files).map(([file, content]) => {
      if (content === null) return `D ${file}\n`;
      if (typeof content === "string") return `M 100644 inline ${file}\n${data(content)}`;
      if ("submodule" in content) return `M 160000 ${content.submodule} ${file}\n`;
      return `M 120000 inline ${file}\n${data(content.linkTo)}`;
    }),
    "\nget-mark :1\ndone\n",
  ].join("");
}

let count = 0;

/** Creates an empty repository. */
export function createRemote(): TestRemote {
  if (count === 0) {
    rmSync(remotesFolder, { recursive: true, force: true });
    removeLeftFolders();
    mkdirSync(remotesFolder);
  }
  const path = join(remotesFolder, `remote-${++count}.git`);
  cpSync(emptyRepository(), path, { recursive: true });
  const git = (...args: readonly string[]) => runGit(path, args);
  let last = "";
  return {
    path,
    git,
    gitAt: (date, ...args) =>
      runGit(path, args, { env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date } }),
    commit: (files, message = "Change", branch = "main") => {
      const from = hasBranch(path, branch) ? `refs/heads/${branch}^0` : last;
      const input = commitStream(files, { message, branch, from });
      // Uses one process, because a working copy would take seven, and a process with a large heap is slow to start
      // others.
      const options = ["-c", "fastimport.unpackLimit=0"];
      const args = [...options, "fast-import", "--quiet", "--date-format=now"];
      last = runGit(path, args, { input }).trim();
      return last;
    },
    files: (branch = "main") => {
      const paths = git("ls-tree", "-r", "--name-only", branch).split("\n").filter(Boolean);
      return Object.fromEntries(paths.map((file) => [file, git("show", `${branch}:${file}`)]));
    },
    log: (branch = "main") => git("log", "--format=%s", branch).split("\n").filter(Boolean),
  };
}
