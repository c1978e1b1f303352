// Fences text in the log of GitHub Actions, so that the runner executes no command that the text contains.
import { fstatSync } from "node:fs";

/** Returns true if the stream with this descriptor is the log of a workflow on GitHub Actions, and not a file. */
export function isWorkflowLog(
  fd: number,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (env["GITHUB_ACTIONS"] !== "true") return false;
  try {
    return !fstatSync(fd).isFile();
  } catch {
    // A closed stream is no file; what is written to it is lost.
    return true;
  }
}

/** Returns a text of several lines between the commands that stop and resume the runner's commands. */
export function fencedText(text: string, token: string = crypto.randomUUID()): string {
  const isOneLine = !text.trimEnd().includes("\n");
  return isOneLine ? text : `::stop-commands::${token}\n${text.trimEnd()}\n::${token}::\n`;
}
