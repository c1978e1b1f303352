// Progress on standard error: a status line on a terminal, JSON lines if the output is JSON, else
// plain lines.
import {
  jsonProgress,
  lineProgress,
  type Progress,
  terminalProgress,
} from "../../reconciler/report/progress.ts";
import type { Output } from "./output.ts";

/** Returns the progress for an output; undefined with `--quiet`. */
export function progressFor({ isJson, isQuiet, color }: Output): Progress | undefined {
  if (isQuiet) return undefined;
  if (process.stderr.isTTY) return terminalProgress(process.stderr, { color });
  return isJson ? jsonProgress(process.stderr) : lineProgress(process.stderr);
}
