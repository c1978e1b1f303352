// Running Git: bounded in time and in what it says, without the keys of svc, and silent about addresses with passwords.
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";

/** Where Git is run, and with what. */
export interface GitRun {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string | undefined;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
  /** In a session of its own: the helpers that Git starts end with it, and none of them can ask at the terminal for a passphrase. */
  readonly ownSession?: boolean | undefined;
  /** The most bytes that a file may have that it writes. */
  readonly fileBytes?: number | undefined;
}

/** What a command says, without the ends of its last lines. Fails as {@link rawGit} does. */
export async function git(args: readonly string[], run: GitRun): Promise<string> {
  return (await rawGit(args, run)).trimEnd();
}

/**
 * Everything that a command says on standard output. Fails with `unavailable` where it fails, or takes too long, and with
 * `aborted` where it was ended; what Git says stays away from whoever reads only ours, but for the line that tells why.
 */
export async function rawGit(args: readonly string[], run: GitRun): Promise<string> {
  const verb = args.find((one) => !one.startsWith("-")) ?? "";
  const child = spawnGit(args, run);
  let ended: "late" | "long" | "stopped" | undefined;
  const end = (why: NonNullable<typeof ended>): void => {
    ended ??= why;
    kill(child, run);
  };
  const timer = setTimeout(() => end("late"), limits.gitMs);
  const onAbort = (): void => end("stopped");
  run.signal?.addEventListener("abort", onAbort, { once: true });
  if (run.signal?.aborted === true) onAbort();
  try {
    const [out, said, code] = await Promise.all([
      textOf(child.stdout, () => end("long")),
      textOf(child.stderr, () => end("long")),
      exitCode(child),
    ]);
    if (ended === "stopped") throw new Failure("aborted", `git ${verb} was stopped`);
    if (ended === undefined && code === 0) return out;
    const why = { late: "it took too long", long: "it said too much" };
    const told = ended === undefined ? failureLine(said) : why[ended];
    throw new Failure("unavailable", `git ${verb} failed: ${told}`);
  } finally {
    clearTimeout(timer);
    run.signal?.removeEventListener("abort", onAbort);
  }
}

type Child = ReturnType<typeof spawnGit>;

function spawnGit(
  args: readonly string[],
  { cwd, env, input, fileBytes, ownSession: apart = false }: GitRun,
) {
  const how = { cwd, env: withoutKeys(env), detached: apart };
  const child =
    fileBytes === undefined
      ? spawn("git", args, how)
      : // The shell counts in blocks of 512 bytes.
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

async function textOf(stream: Readable, tooLong: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += (chunk as Buffer).length;
    if (size > limits.gitOutputBytes) tooLong();
    else chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function kill(child: Child, { ownSession: apart }: GitRun): void {
  if (apart !== true || child.pid === undefined) {
    child.kill();
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** Git runs programs of its own, which need no key of ours. */
function withoutKeys(env: GitRun["env"]): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || name.startsWith("SVC_") ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(entries), GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
}

/** The line that tells why: what a server has sent stands before it. */
function failureLine(said: string): string {
  const lines = said.split("\n");
  const fatal = lines.find((line) => /^(?:fatal|error): /u.test(line)) ?? lines[0] ?? "";
  return withoutPassword(fatal).slice(0, limits.gitErrorCharacters);
}

function withoutPassword(said: string): string {
  return said.replace(/(\w+:\/\/)[^/@\s]+@/gu, "$1");
}
