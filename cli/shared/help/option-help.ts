// How the help shows options and arguments.
import { upperFirst } from "../../../core/text/naming.ts";
import { type Argument, type Command, Help, type Option } from "commander";

/** The most values that the help of an option lists. The description of an option with more says where they are listed. */
export const mostChoices = 20;

/** Returns the description of an option, as the help and the reference pages show it. */
export function optionHelp(option: Option): string {
  const doc = new Help().optionDescription(withShortChoices(option));
  return capitalized(option.mandatory ? `${doc}; required` : doc);
}

/** Returns the usage line of a command, with the options that it requires. */
export function usageLine(command: Command): string {
  const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  const line = new Help().commandUsage(command);
  return line.replace("[options]", ["[options]", ...required].join(" "));
}

/** Returns the description of an argument, as the help and the reference pages show it. */
export function argumentHelpText(argument: Argument): string {
  return capitalized(new Help().argumentDescription(withShortChoices(argument)));
}

/** Returns a text with a capital letter, unless its first word is a name that has its own spelling, such as `metadata.name`. */
export function capitalized(text: string): string {
  return /^[a-z][a-z'-]*(?=[\s,;]|:(?!\/\/)|$)/u.test(text) ? upperFirst(text) : text;
}

function withShortChoices<T extends Argument | Option>(of: T): T {
  const { argChoices = [] } = of;
  if (argChoices.length <= mostChoices) return of;
  return Object.create(of, { argChoices: { value: undefined } }) as T;
}
