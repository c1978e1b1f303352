// One process of Git with limits on time and output. Libraries for processes, such as execa, end the process that they started, but
// not its helpers (ssh, git-remote-https), and do not limit the size of the files that it writes.
import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { limits } from "../core/limits/limits.ts";

/** A process of Git to run. */
export interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string | Buffer;
  /** Time limit in milliseconds. */
  readonly timeoutMs: number;
  /** Starts Git in a separate session: its helpers stop with it and cannot prompt on the terminal. */
  readonly ownSession: boolean;
  /** Maximum size in bytes of a file that Git writes. */
  readonly fileBytes: number | undefined;
}

/** How a process of Git ended. */
export interface GitEnd {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Exit status; null after a signal, undefined if Git could not be started. */
  readonly code: number | null | undefined;
  /**
   * Why it was ended early: it took too long, printed too much, or was stopped by the caller; or the process that started it,
   * and would have reported its end, was lost.
   */
  readonly ended: "late" | "long" | "stopped" | "lost" | undefined;
}

/** The end of Git that could not be started. */
export const notStarted: GitEnd = {
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  code: undefined,
  ended: undefined,
};

/** A running process of Git. */
export interface GitProcess {
  readonly end: Promise<GitEnd>;
  /** Ends it. */
  readonly stop: () => void;
}

/** Starts Git. */
export function startGit(call: GitCall): GitProcess {
  const child = spawnGit(call);
  let ended: GitEnd["ended"];
  const endFor = (why: NonNullable<typeof ended>): void => {
    ended ??= why;
    kill(child, call);
  };
  const timer = setTimeout(() => endFor("late"), call.timeoutMs);
  const tooLong = (): void => endFor("long");
  const finished = async (): Promise<GitEnd> => {
    try {
      const [stdout, stderr, code] = await Promise.all([
        bytesOf(child.stdout, tooLong),
        bytesOf(child.stderr, tooLong),
        exitCode(child),
      ]);
      return { stdout, stderr, code, ended };
    } finally {
      clearTimeout(timer);
    }
  };
  return { end: finished(), stop: () => endFor("stopped") };
}

type Child = ReturnType<typeof spawnGit>;

function spawnGit({ args, cwd, env, input, fileBytes, ownSession }: GitCall) {
  const how = { cwd, env, detached: ownSession };
  const child =
    fileBytes === undefined
      ? spawn("git", args, how)
      : // ulimit counts blocks of 512 bytes.
        spawn(
          "sh",
          ["-c", `ulimit -f ${Math.ceil(fileBytes / 512)}; exec git "$@"`, "git", ...args],
          how,
        );
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return child;
}

function exitCode(child: Child): Promise<GitEnd["code"]> {
  return new Promise((resolve) => {
    child.on("error", () => resolve(undefined));
    child.on("close", resolve);
  });
}

async function bytesOf(stream: Readable, tooLong: () => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += (chunk as Buffer).length;
    if (size > limits.gitOutputBytes) tooLong();
    else chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function kill(child: Child, { ownSession }: GitCall): void {
  if (!ownSession || child.pid === undefined) {
    child.kill();
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}
