// Finds the candidates that can follow the words of a command line: commands, options, their values, and names of the
// server.
import type { Argument, Command, Option } from "commander";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import { listedValuesOf } from "../shared/lookup/name-source.ts";
import type { Candidate } from "../shared/lookup/candidate.ts";
import { capitalized } from "../shared/help/option-help.ts";

/** Where a command line ends. */
interface Position {
  readonly command: Command;
  /** Arguments before the word. */
  readonly positional: readonly string[];
  /** Options before the word, by the names of commander. */
  readonly flags: Readonly<Record<string, string>>;
  /** Option whose value the word is. */
  readonly option: Option | undefined;
}

/** Returns the lines that a shell reads: a value, a tab and a description. */
export async function completionLines(
  program: Command,
  before: readonly string[],
  word: string,
): Promise<readonly string[]> {
  // bash separates `--output=json` at the equals sign.
  const words = before.filter((one) => one !== "=");
  const found = await candidatesAt(positionOf(program, words), word === "=" ? "" : word);
  const isSafe = ({ value }: Candidate): boolean => escapeInvisible(value) === value;
  return found
    .filter((one) => one.value.startsWith(word === "=" ? "" : word) && isSafe(one))
    .map(({ value, description }) => `${value}\t${escapeInvisible(description)}`);
}

/** Reads the words before the one to complete. */
function positionOf(program: Command, words: readonly string[]): Position {
  let [command, option]: [Command, Option | undefined] = [program, undefined];
  const positional: string[] = [];
  const flags: Record<string, string> = {};
  for (const word of words) {
    const inner = command.commands.find((one) => one.name() === word);
    if (option !== undefined) {
      flags[option.attributeName()] = word;
      option = undefined;
    } else if (word.startsWith("-")) {
      const [name = "", ...value] = word.split("=");
      const named = command.options.find((one) => one.long === name || one.short === name);
      if (value.length === 0 && named?.required === true) option = named;
      else if (named !== undefined) flags[named.attributeName()] = value.join("=");
    } else if (inner !== undefined && positional.length === 0) command = inner;
    else positional.push(word);
  }
  return { command, positional, flags, option };
}

async function candidatesAt(position: Position, word: string): Promise<readonly Candidate[]> {
  const { command, positional, option } = position;
  if (option !== undefined) return valuesOf(option, position, word);
  if (command.parent === null && positional[0] === "help")
    return positional.length === 1 ? helpCandidates(command) : [];
  if (word.startsWith("-")) return optionsOf(command);
  const inner = positional.length === 0 ? subcommandsOf(command) : [];
  const all = command.registeredArguments;
  const last = all.at(-1);
  const argument = all[positional.length] ?? (last?.variadic === true ? last : undefined);
  return argument === undefined ? inner : [...inner, ...(await valuesOf(argument, position, word))];
}

function subcommandsOf(command: Command): readonly Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((one) => ({ value: one.name(), description: one.summary() }));
}

function optionsOf(command: Command): readonly Candidate[] {
  const visible = command.createHelp().visibleOptions(command);
  return visible.flatMap(({ long, short, description }) => {
    const value = long ?? short;
    return value === undefined ? [] : [{ value, description: capitalized(description) }];
  });
}

/** Returns the subjects of `svc help`: commands and topics. */
async function helpCandidates(program: Command): Promise<readonly Candidate[]> {
  const { topicTitles } = await import("../shared/help/help-topics.ts");
  const topics = [...topicTitles].map(([value, description]) => ({ value, description }));
  return [...subcommandsOf(program), ...topics];
}

/** Returns the values of an argument or an option: its choices, listed values, or names of the server. */
async function valuesOf(
  of: Argument | Option,
  { command, positional, flags }: Position,
  word: string,
): Promise<readonly Candidate[]> {
  if (of.argChoices !== undefined)
    return of.argChoices.map((value) => ({ value, description: "" }));
  const list = listedValuesOf(of);
  if (list !== undefined) return list(word);
  const { serverNames } = await import("./server-names.ts");
  const given = command.registeredArguments.slice(0, positional.length);
  return serverNames(of, {
    flags,
    before: given.map((argument, at) => ({ argument, value: positional[at] ?? "" })),
  });
}
