// Examples of commands, for their help and their reference pages.
import type { Command } from "commander";

/** Command lines by what they do. */
export type Examples = Readonly<Record<string, string>>;

const declared = new WeakMap<Command, Examples>();

/** Adds examples to a command. */
export function withExamples(command: Command, examples: Examples): Command {
  declared.set(command, examples);
  const lines = Object.entries(examples).flatMap(([what, line]) => [
    `  # ${what}`,
    `  ${wrapLine(line)}`,
  ]);
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

/** Columns of a command line in the help. */
const lineMax = 76;

/** Breaks a command line before its options, as a shell continues it. */
function wrapLine(line: string): string {
  const [first = "", ...options] = line.split(/ (?=--?[a-z])/u);
  let used = first.length;
  const parts = options.map((option) => {
    const fits = used + 1 + option.length <= lineMax;
    used = fits ? used + 1 + option.length : 4 + option.length;
    return fits ? ` ${option}` : ` \\\n      ${option}`;
  });
  return [first, ...parts].join("");
}

/** Returns the examples of a command; none for one that only holds others. */
export function examplesOf(command: Command): Examples {
  return declared.get(command) ?? {};
}
