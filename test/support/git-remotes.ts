// Git repositories that the services of tests may connect to.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The folder of all repositories of this process. It exists once there is one. */
export const remotesFolder = join(tmpdir(), `svc-remotes-${process.pid}`);

/** Test processes are stopped by a signal, so the next one removes what they leave. */
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

/** A bare repository and a working copy of it, in which a colleague commits. */
export interface TestRemote {
  /** Path of the bare repository. */
  readonly path: string;
  /** Runs Git in the bare repository. */
  git(...args: readonly string[]): string;
  /** Runs Git in the bare repository with a date for new commits. */
  gitAt(date: string, ...args: readonly string[]): string;
  /** Writes, or with `null` deletes, files of a branch and pushes a commit. Returns it. */
  commit(files: Readonly<Record<string, string | null>>, message?: string, branch?: string): string;
  /** The texts of a branch's files by path. */
  files(branch?: string): Readonly<Record<string, string>>;
  /** The subjects of a branch's commits, the newest first. */
  log(branch?: string): readonly string[];
}

let count = 0;

/** Creates an empty repository. */
export function createRemote(): TestRemote {
  if (count === 0) {
    rmSync(remotesFolder, { recursive: true, force: true });
    removeLeftFolders();
    mkdirSync(remotesFolder);
  }
  const name = `remote-${++count}`;
  const [path, copy] = [join(remotesFolder, `${name}.git`), join(remotesFolder, name)];
  const run = (cwd: string, args: readonly string[], more: Readonly<Record<string, string>>) =>
    execFileSync("git", args, {
      cwd,
      env: { ...env, ...more },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const gitIn = (cwd: string, ...args: readonly string[]) => run(cwd, args, {});
  gitIn(remotesFolder, "init", "--quiet", "--bare", "--initial-branch=main", path);
  gitIn(path, "config", "http.receivepack", "true");
  gitIn(remotesFolder, "init", "--quiet", "--initial-branch=main", copy);
  gitIn(copy, "remote", "add", "origin", path);
  const git = (...args: readonly string[]) => gitIn(path, ...args);
  return {
    path,
    git,
    gitAt: (date, ...args) => run(path, args, { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }),
    commit: (files, message = "Change", branch = "main") => {
      gitIn(copy, "fetch", "--quiet", "origin");
      const has = git("branch", "--list", branch) !== "";
      const from = has ? [`origin/${branch}`] : [];
      gitIn(copy, "checkout", "--quiet", "-B", branch, ...from);
      for (const [file, text] of Object.entries(files)) {
        const at = join(copy, file);
        if (text === null) rmSync(at);
        else {
          mkdirSync(dirname(at), { recursive: true });
          writeFileSync(at, text);
        }
      }
      gitIn(copy, "add", "--all");
      gitIn(copy, "commit", "--quiet", "--allow-empty", "-m", message);
      gitIn(copy, "push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
      return gitIn(copy, "rev-parse", "HEAD").trim();
    },
    files: (branch = "main") => {
      const paths = git("ls-tree", "-r", "--name-only", branch).split("\n").filter(Boolean);
      return Object.fromEntries(paths.map((file) => [file, git("show", `${branch}:${file}`)]));
    },
    log: (branch = "main") => git("log", "--format=%s", branch).split("\n").filter(Boolean),
  };
}
