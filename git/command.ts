// Runs Git with limits on time and output. Git gets no key of svc, and messages contain no password. Libraries that wrap Git, such
// as simple-git, limit only the time without output, and cannot start Git in its own session or from another process.
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { withoutUrlCredentials } from "../core/text/url-credentials.ts";
import { startGit } from "./process.ts";
import { type StartGit, startGitFrom } from "./starter.ts";

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

let start: StartGit = startGit;

/** Makes a process that lives long start Git from a small one, whose program is `entry`. */
export function startGitElsewhere(entry: URL): void {
  if (start === startGit) start = startGitFrom(entry);
}

/** Returns the standard output of a Git command as bytes. Fails as {@link rawGit} does. */
export async function gitBytes(args: readonly string[], run: GitRun): Promise<Buffer> {
  const { stdout, failure } = await gitOutcome(args, run);
  if (failure !== undefined) throw failure;
  return stdout;
}

/** Returns what {@link rawGit} returns, or fails with if Git itself failed, beside what it printed. Other failures are thrown. */
export async function gitOutcome(
  args: readonly string[],
  run: GitRun,
): Promise<{ readonly stdout: Buffer; readonly failure?: Failure }> {
  const verb = args.find((one) => !one.startsWith("-")) ?? "";
  const { cwd, env, input = "", timeoutMs = limits.gitMs, ownSession = false, fileBytes } = run;
  const call = { args, cwd, env: withoutKeys(env), input, timeoutMs, ownSession, fileBytes };
  const stopped = new Failure("aborted", `git ${verb} was stopped`);
  if (run.signal?.aborted === true) throw stopped;
  const { end, stop } = start(call);
  run.signal?.addEventListener("abort", stop, { once: true });
  try {
    const { stdout, stderr, code, ended } = await end;
    if (ended === "stopped") throw stopped;
    if (ended === undefined && code === 0) return { stdout };
    if (ended === undefined && code === undefined) {
      throw new Failure("unavailable", "git could not be run", { remedy: "Install git." });
    }
    const why = {
      late: "it took too long",
      long: "it printed too much output",
      lost: "the process that started it ended; try again",
    };
    const reason = ended === undefined ? failureReason(stderr.toString("utf8")) : why[ended];
    const failure = new Failure("unavailable", `git ${verb} failed: ${reason}`);
    if (ended !== undefined) throw failure;
    return { stdout, failure };
  } finally {
    run.signal?.removeEventListener("abort", stop);
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
  const lines = output.split(/[\r\n]+/u).filter((line) => !/^(?:remote:)?\s*$/u.test(line));
  const at = lines.findIndex((line) => /^(?:fatal|error): /u.test(line));
  if (at < 0) return shorten(lines.slice(-1));
  const causes = lines.slice(0, at).filter((line) => causePattern.test(line));
  const refused = /^fatal: could not read (?:Username|Password) for '(?<url>[^']*)'/u.exec(
    lines[at] ?? "",
  );
  if (refused !== null) {
    const url = refused.groups?.["url"] ?? "";
    return shorten([...causes, `${url} refuses the credentials, or the access without any`]);
  }
  const isGeneric = genericPattern.test(lines[at] ?? "");
  const reasons = isGeneric && causes.length > 0 ? causes : [...causes, lines[at] ?? ""];
  return shorten(reasons.slice(-limits.gitErrorLines));
}

/** What Git prints before its own error line: messages of ssh and its helpers, and of the server. */
const causePattern =
  /^(?:ssh: |kex_exchange_identification: |Host key verification failed|No \S+ host key is known|Host key for \S+ has changed|Load key |Connection |Received disconnect|[^\s:]+: Permission denied|remote: )/u;

/** What Git says after each of several causes. */
const genericPattern =
  /^(?:fatal: Could not read from remote repository\.$|error: failed to push some refs)/u;

function shorten(lines: readonly string[]): string {
  const text = lines.map((line) => line.replace(/\p{Cc}/gu, "").trim()).join("; ");
  return withoutUrlCredentials(text).slice(0, limits.gitErrorCharacters);
}
