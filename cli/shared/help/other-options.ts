// Says what to use in place of an option that a command does not have.
import type { Command } from "commander";
import { closestMatch } from "../../../core/text/naming.ts";

/** Options that other tools have, by name, and the one to use. */
const otherNames: Readonly<Record<string, string>> = { format: "output" };

/** Why a command does not need an option of other commands, by the command and the option. */
const notes: Readonly<Record<string, string>> = {
  "plan --yes": "a plan changes nothing, so it asks nothing; `svc apply --yes` applies",
  "drift --yes": "drift changes nothing, so it asks nothing; `svc apply --yes` applies",
  "drift --detailed-exitcode": "drift always exits with 2 if there are differences",
};

/** Commands that are named for an option. */
const mostCommands = 6;

/**
 * Returns the option of the command for one that it does not have, why it needs none, or the commands that have it;
 * undefined if there is nothing to say. `others` are all commands.
 */
export function otherOption(
  name: string,
  command: Command,
  others: readonly Command[],
): string | undefined {
  const options = command.options.map(({ long }) => long);
  const other = otherNames[name];
  if (other !== undefined && options.includes(`--${other}`)) {
    return `use --${other}; add --help for its values`;
  }
  const note = notes[`${command.name()} --${name}`];
  if (note !== undefined) return note;
  const isTypo =
    closestMatch(
      `--${name}`,
      options.flatMap((long) => long ?? []),
    ) !== undefined;
  const having = isTypo ? [] : others.flatMap((one) => namesWith(`--${name}`, one, []));
  if (having.length === 0) return undefined;
  const shown = having.slice(0, mostCommands).join(", ");
  return `--${name} is an option of ${shown}${having.length > mostCommands ? " and others" : ""}`;
}

/** Returns the words of the commands that have an option. */
function namesWith(option: string, command: Command, above: readonly string[]): readonly string[] {
  const words = [...above, command.name()];
  const own = command.options.some(({ long }) => long === option) ? [words.join(" ")] : [];
  return [...own, ...command.commands.flatMap((one) => namesWith(option, one, words))];
}
