// Formats the commands that remedies show, ready to paste into a shell in the current folder.
import { shellQuote } from "../../core/text/shell-quote.ts";
import type { Stack } from "./index.ts";

/** Formats a command such as `svc inventory unlock ID infra`; the stack's folder is added if it is not the current one. */
export function stackCommand(
  { displayPath }: Pick<Stack, "displayPath">,
  ...words: readonly string[]
): string {
  const folder = displayPath === undefined || displayPath === "" ? [] : [displayPath];
  return ["svc", ...[...words, ...folder].map(shellQuote)].join(" ");
}
