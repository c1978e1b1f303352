// Runs Git with limits on time and output. Git gets no key of svc, and messages contain no password.
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";

/** How to run Git. */
export interface GitRun {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Buffer | undefined;
  /** Time limit in milliseconds. Default: `limits.gitMs`. */
  readonly timeoutMs?: number | undefined;
  /** Stops the command. */
  readonly signal?: AbortSignal | undefined;
  /** Starts Git in a separate session: its helpers stop with it and cannot prompt on the terminal. */
  readonly ownSession?: boolean | undefined;
  /** Maximum size in bytes of a file that Git writes. */
  readonly fileBytes?: number | undefined;
}

/** Returns the output of a Git command without trailing white space. Fails as {@link rawGit} does. */
export async function git(args: readonly string[], run: GitRun): Promise<string> {
  return (await rawGit(args, run)).trimEnd();
}

/**
 * Returns the standard output of a Git command. Fails with `unavailable` if it fails or takes too long, and with
 * `aborted` if it was stopped. The message contains only the lines of Git's output that give the reason.
 */
export async function rawGit(args: readonly string[], run: GitRun): Promise<string> {
  return (await gitBytes(args, run)).toString("utf8");
}

/** Returns the standard output of a Git command as bytes. Fails as {@link rawGit} does. */
export async function gitBytes(args: readonly string[], run: GitRun): Promise<Buffer> {
  const verb = args.find((one) => !one.startsWith("-")) ?? "";
  const child = spawnGit(args, run);
  let ended: "late" | "long" | "stopped" | undefined;
  const end = (why: NonNullable<typeof ended>): void => {
    ended ??= why;
    kill(child, run);
  };
  const timer = setTimeout(() => end("late"), run.timeoutMs ?? limits.gitMs);
  const onAbort = (): void => end("stopped");
  run.signal?.addEventListener("abort", onAbort, { once: true });
  if (run.signal?.aborted === true) onAbort();
  try {
    const [stdout, stderr, code] = await Promise.all([
      bytesOf(child.stdout, () => end("long")),
      bytesOf(child.stderr, () => end("long")),
      exitCode(child),
    ]);
    if (ended === "stopped") throw new Failure("aborted", `git ${verb} was stopped`);
    if (ended === undefined && code === 0) return stdout;
    const why = { late: "it took too long", long: "it printed too much output" };
    const reason = ended === undefined ? failureReason(stderr.toString("utf8")) : why[ended];
    throw new Failure("unavailable", `git ${verb} failed: ${reason}`);
  } finally {
    clearTimeout(timer);
    run.signal?.removeEventListener("abort", onAbort);
  }
}

type Child = ReturnType<typeof spawnGit>;

function spawnGit(
  args: readonly string[],
  { cwd, env, input, fileBytes, ownSession = false }: GitRun,
) {
  const how = { cwd, env: withoutKeys(env), detached: ownSession };
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
  child.stdin.end(input ?? "");
  return child;
}

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on("error", (cause) => {
      reject(new Failure("unavailable", "git could not be run", { cause, remedy: "install git" }));
    });
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

function kill(child: Child, { ownSession }: GitRun): void {
  if (ownSession !== true || child.pid === undefined) {
    child.kill();
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

/** Removes the variables of svc, because Git starts helper programs that need no key. */
function withoutKeys(env: GitRun["env"]): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || name.startsWith("SVC_") ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(entries), GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
}

/**
 * Returns the lines of Git's output that give the reason of a failure: its first error line, after the messages of ssh, of the
 * credential check and of the server that lead to it.
 */
function failureReason(output: string): string {
  const lines = output.split(/[\r\n]+/u).filter((line) => line.trim() !== "");
  const at = lines.findIndex((line) => /^(?:fatal|error): /u.test(line));
  if (at < 0) return shorten(lines.slice(-1));
  const causes = lines.slice(0, at).filter((line) => causePattern.test(line));
  const isGeneric = lines[at] === "fatal: Could not read from remote repository.";
  const reasons = isGeneric && causes.length > 0 ? causes : [...causes, lines[at] ?? ""];
  return shorten(reasons.slice(-limits.gitErrorLines));
}

/** Messages of ssh and its helpers, which Git prints before its own `Could not read from remote repository`. */
const causePattern =
  /^(?:ssh: |kex_exchange_identification: |Host key verification failed|No \S+ host key is known|Load key |Connection |Received disconnect|[^\s:]+: Permission denied|remote: )/u;

function shorten(lines: readonly string[]): string {
  const text = lines.map((line) => line.replace(/\p{Cc}/gu, "").trim()).join("; ");
  return withoutPassword(text).slice(0, limits.gitErrorCharacters);
}

function withoutPassword(text: string): string {
  return text.replace(/(\w+:\/\/)[^/@\s]+@/gu, "$1");
}
