// Progress on standard error: a line that redraws itself on a terminal, JSON lines for programs that asked for JSON, plain ones else.
import {
  jsonProgress,
  lineProgress,
  type Progress,
  terminalProgress,
} from "../../reconciler/report/progress.ts";
import type { Output } from "./output.ts";

/** The progress that fits the output; undefined where nobody wants it. */
export function progressFor({ isJson, isQuiet, color }: Output): Progress | undefined {
  if (isQuiet) return undefined;
  if (process.stderr.isTTY) return terminalProgress(process.stderr, { color });
  return isJson ? jsonProgress(process.stderr) : lineProgress(process.stderr);
}
