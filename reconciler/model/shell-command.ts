// Commands as remedies tell them: to be copied into a shell as they stand, from the folder in which they were told.
import type { Stack } from "./index.ts";

/** `svc unlock ID infra`: the words, and the stack's folder where that is another than the current one. */
export function stackCommand(
  { displayPath: seenAt }: Pick<Stack, "displayPath">,
  ...words: readonly string[]
): string {
  const at = seenAt === undefined || seenAt === "" ? [] : [seenAt];
  return ["svc", ...[...words, ...at].map(shellQuote)].join(" ");
}

/** A word as a shell reads it, quoted where it has to be. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
