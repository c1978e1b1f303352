// Progress on standard error: a status line on a terminal, JSON lines if the output is JSON, else
// plain lines.
import { fstatSync } from "node:fs";
import {
  jsonProgress,
  lineProgress,
  type Progress,
  terminalProgress,
} from "../../../reconciler/report/progress.ts";
import type { Output } from "./output.ts";

/** Returns the progress for an output; undefined with `--quiet`. */
export function progressFor({ isJson, isText, isQuiet, color }: Output): Progress | undefined {
  if (isQuiet) return undefined;
  // The text of the result names each failure.
  const countsFailures = isText && isSameFile(process.stdout.fd, process.stderr.fd);
  if (process.stderr.isTTY) return terminalProgress(process.stderr, { color, countsFailures });
  return isJson ? jsonProgress(process.stderr) : lineProgress(process.stderr, { countsFailures });
}

/** Returns whether two descriptors are one terminal, file or pipe, as after `2>&1`. */
function isSameFile(one: number, other: number): boolean {
  try {
    const [left, right] = [fstatSync(one), fstatSync(other)];
    return left.dev === right.dev && left.ino === right.ino;
  } catch {
    return false;
  }
}
