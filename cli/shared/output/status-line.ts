// The status of a wait on standard error: redrawn on a terminal, plain lines elsewhere.
import { limits } from "../../../core/limits/limits.ts";
import { clearLine } from "../../../reconciler/report/progress.ts";
import { sanitize } from "../../../client/sanitize.ts";
import type { Output } from "./output.ts";
import { escapeInvisible } from "../../../core/text/escape-text.ts";

/** Shows what a command is doing. */
export interface StatusLine {
  /** Shows a status, in place of the one before. Elsewhere than on a terminal, only one every few seconds. */
  readonly show: (text: string) => void;
  /** Prints a line that stays. */
  readonly note: (text: string) => void;
  /** Removes the status. */
  readonly clear: () => void;
}

/** Returns a text of a server as one line that controls neither a terminal nor a CI runner. */
function shownLine(text: string): string {
  return escapeInvisible(sanitize(text));
}

/** The stream of a status line, and its clock. */
export interface StatusLineOptions {
  readonly stream: Pick<NodeJS.WriteStream, "write" | "isTTY" | "columns">;
  /** Returns milliseconds. */
  readonly now: () => number;
}

/** Returns the status line of an output; with `--quiet`, it prints nothing. */
export function statusLineFor(
  { isQuiet }: Pick<Output, "isQuiet">,
  { stream, now }: StatusLineOptions = { stream: process.stderr, now: () => performance.now() },
): StatusLine {
  if (isQuiet) return { show: () => undefined, note: () => undefined, clear: () => undefined };
  let shownAt = -Infinity;
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) stream.write(clearLine);
    isDrawn = false;
  };
  const note = (text: string): void => {
    clear();
    stream.write(`${shownLine(text)}\n`);
  };
  const show = (text: string): void => {
    const pause = stream.isTTY ? limits.progressMs : limits.progressLineMs;
    if (now() - shownAt < pause) return;
    shownAt = now();
    if (!stream.isTTY) return note(text);
    // A line of the full width would wrap, and cannot be overwritten.
    const fitting = Array.from(shownLine(text)).slice(0, Math.max(1, (stream.columns || 80) - 1));
    stream.write(`${clearLine}${fitting.join("")}`);
    isDrawn = true;
  };
  return { show, note, clear };
}
