// Says what to use in place of an option that a command does not have.
import type { Command } from "commander";
import { closestMatch } from "../../../core/text/naming.ts";

/** The option to use for one of other tools, where the command has it. */
const otherNames: Readonly<Record<string, { readonly option: string; readonly remedy: string }>> = {
  format: { option: "--output", remedy: "Use --output." },
  "auto-approve": { option: "--yes", remedy: "Use --yes." },
  force: { option: "--yes", remedy: "Use --yes." },
  var: { option: "--var", remedy: "Use --var NAME=VALUE." },
  "var-file": { option: "--var", remedy: "Use --var NAME=VALUE for each variable." },
};

/** Why a command does not need an option of other commands or tools, by the command and the option. */
const notes: Readonly<Record<string, string>> = {
  "plan --yes": "A plan changes nothing, so it asks nothing. `svc apply --yes` applies.",
  "plan --dry-run": "A plan changes nothing.",
  "apply --dry-run": "`svc plan` shows what `svc apply` would do.",
  "drift --yes": "Drift changes nothing, so it asks nothing. `svc apply --yes` applies.",
  "drift --detailed-exitcode": "`svc drift` always exits with 2 if there are differences.",
};

/** Commands that are named for an option. */
const mostCommands = 6;

/**
 * Returns the option of the command for one that it does not have, why it needs none, or the commands that have it;
 * undefined if there is nothing to say. `loadAll` loads all commands.
 */
export async function otherOption(
  name: string,
  command: Command,
  loadAll: () => Promise<readonly Command[]>,
): Promise<string | undefined> {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const other = otherNames[name];
  if (other !== undefined && options.includes(other.option)) return other.remedy;
  const note = notes[`${command.name()} ${other?.option ?? `--${name}`}`];
  if (note !== undefined) return note;
  if (closestMatch(`--${name}`, options) !== undefined) return undefined;
  const having = (await loadAll()).flatMap((one) => namesWith(`--${name}`, one, []));
  if (having.length === 0) return undefined;
  const shown = having.slice(0, mostCommands).join(", ");
  return `--${name} is an option of ${shown}${having.length > mostCommands ? " and others" : ""}.`;
}

/** Returns the words of the commands that have an option. */
function namesWith(option: string, command: Command, above: readonly string[]): readonly string[] {
  const words = [...above, command.name()];
  const own = command.options.some(({ long }) => long === option) ? [words.join(" ")] : [];
  return [...own, ...command.commands.flatMap((one) => namesWith(option, one, words))];
}
