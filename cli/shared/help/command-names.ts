// Finds the command that the words of a command line name, and the words that name a command.
import type { Command } from "commander";

/** Returns the command that the first words name, and the words after them. */
export function innermostCommand(
  words: readonly string[],
  program: Command,
): { readonly command: Command; readonly rest: readonly string[] } {
  let command = program;
  for (const [index, word] of words.entries()) {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined) return { command, rest: words.slice(index) };
    command = inner;
  }
  return { command, rest: [] };
}

/** Returns the words that name a command: `svc embed groups`. */
export function wordsOf(command: Command): readonly string[] {
  const names: string[] = [];
  for (let one: Command | null = command; one !== null; one = one.parent) names.unshift(one.name());
  return names;
}

/** Returns a text of the command line without the API keys and SCIM tokens in it. */
export function withoutKeys(text: string): string {
  return text.replace(/\bsk-\S+/gu, "sk-...").replace(/\bscim-[\w-]{43}/gu, "scim-...");
}

/** Returns the sentence that leads to the help of a command. */
export function helpSentence(command: Command): string {
  return `See \`${wordsOf(command).join(" ")} --help\`.`;
}
