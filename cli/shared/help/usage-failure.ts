// Converts an error of the parser to a failure of the command line.
import type { Command, CommanderError } from "commander";
import { Failure } from "../../../core/errors.ts";
import { sentences } from "../../../core/text/naming.ts";
import { helpSentence, innermostCommand, withoutKeys } from "./command-names.ts";

/** Converts an error of commander, for the words of a command line. */
export function usageFailure(
  { code, message }: CommanderError,
  words: readonly string[],
  program: Command,
): Failure {
  const help = helpSentence(innermostCommand(words, program).command);
  if (code === "commander.help") return new Failure("usage", "no command given", { remedy: help });
  const shown = withoutKeys(withoutValues(message, words));
  // A suggestion is on a line of its own.
  const [, text = shown, hint] =
    /^(?:error: )?(.*?)\.?(?:\n\((Did you mean .*)\))?$/su.exec(shown) ?? [];
  return new Failure("usage", text.replaceAll(/\s+/gu, " "), { remedy: sentences(hint, help) });
}

/** Hides the values in words such as `--name=value`, because one may be a secret. */
function withoutValues(message: string, words: readonly string[]): string {
  const values = words.flatMap((word) => /^-[^=]*(=.+)$/su.exec(word)?.[1] ?? []);
  return values.reduce((text, value) => text.replaceAll(value, () => "=..."), message);
}
