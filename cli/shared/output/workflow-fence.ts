// Recognizes the logs of CI runners, and fences text on GitHub Actions, so that the runner executes no command of the text.
import { fstatSync } from "node:fs";

/** Returns true if the stream with this descriptor is the log of a workflow on GitHub Actions, and not a file. */
export function isWorkflowLog(
  fd: number,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return env["GITHUB_ACTIONS"] === "true" && !isFile(fd);
}

/** Returns true if the stream may be the log of a runner that executes commands in it, and is not a file. */
export function isRunnerLog(
  fd: number,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const runners = ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"];
  return runners.some((name) => Boolean(env[name])) && !isFile(fd);
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    // A closed stream is not a file; its output is lost.
    return false;
  }
}

/** Returns a text of several lines between the commands that stop and resume the runner's commands. */
export function fencedText(text: string, token: string = crypto.randomUUID()): string {
  const isOneLine = !text.trimEnd().includes("\n");
  return isOneLine ? text : `::stop-commands::${token}\n${text.trimEnd()}\n::${token}::\n`;
}
