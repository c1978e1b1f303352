// Reads the commands of the command line: the contents of their reference pages.
import type { Command } from "commander";
import { examplesOf, type Examples } from "../cli/shared/help/examples.ts";

/** A term of a command line, and its meaning. */
export interface Term {
  readonly term: string;
  readonly doc: string;
}

/** A command that runs. */
export interface RunnableCommand {
  /** All its words, such as `svc embed groups list`. */
  readonly path: string;
  /** The line in the help of its group. */
  readonly summary: string;
  readonly doc: string;
  readonly usage: string;
  readonly arguments: readonly Term[];
  /** Options by the heading of their group. */
  readonly options: ReadonlyMap<string, readonly Term[]>;
  readonly examples: Examples;
}

/** A command of the first level, or a nested group. Each has a page. */
export interface CommandGroup {
  readonly path: string;
  /** Heading in the list of commands. */
  readonly heading: string;
  readonly summary: string;
  readonly doc: string;
  readonly commands: readonly RunnableCommand[];
  readonly groups: readonly CommandGroup[];
}

/** Returns the commands of the first level, in the order of the help. */
export function commandGroups(program: Command): readonly CommandGroup[] {
  return program.commands.map((command) =>
    groupOf(command, `svc ${command.name()}`, command.helpGroup().replace(/:$/u, "")),
  );
}

/** Returns a group and its nested groups, one after the other. */
export function withInnerGroups(group: CommandGroup): readonly CommandGroup[] {
  return [group, ...group.groups.flatMap(withInnerGroups)];
}

function groupOf(command: Command, path: string, heading: string): CommandGroup {
  const inner = command.createHelp().visibleCommands(command);
  const named = inner.filter((one) => one.name() !== "help");
  const path1 = (one: Command): string => `${path} ${one.name()}`;
  const isGroup = (one: Command): boolean => one.commands.length > 0;
  return {
    path,
    heading,
    summary: command.summary(),
    doc: command.description(),
    commands: [
      ...(named.length === 0 ? [runnable(command, path)] : []),
      ...named.filter((one) => !isGroup(one)).map((one) => runnable(one, path1(one))),
    ],
    groups: named.filter(isGroup).map((one) => groupOf(one, path1(one), heading)),
  };
}

function runnable(command: Command, path: string): RunnableCommand {
  const help = command.createHelp();
  const options = help
    .visibleOptions(command)
    .filter(({ long }) => long !== "--help")
    .map((option) => ({
      heading: (option.helpGroupHeading ?? "Options:").replace(/:$/u, ""),
      term: help.optionTerm(option),
      doc: help.optionDescription(option),
    }));
  return {
    path,
    summary: help.subcommandDescription(command),
    doc: help.commandDescription(command),
    usage: help.commandUsage(command),
    arguments: help.visibleArguments(command).map((argument) => ({
      term: help.argumentTerm(argument),
      doc: help.argumentDescription(argument),
    })),
    options: Map.groupBy(options, ({ heading }) => heading),
    examples: examplesOf(command),
  };
}

/** Headings of options that most commands have. */
const sharedHeadings = ["Server", "Output"];

/** Returns the options that all commands of a group share, by heading; and the commands without them. */
export function withSharedOptions(group: CommandGroup): {
  readonly commands: readonly RunnableCommand[];
  readonly shared: ReadonlyMap<string, readonly Term[]>;
} {
  const { commands } = group;
  const [first] = commands;
  const isIn = (heading: string, { term, doc }: Term, one: RunnableCommand): boolean =>
    one.options.get(heading)?.some((other) => other.term === term && other.doc === doc) ?? false;
  const isShared = (heading: string, option: Term): boolean =>
    commands.length > 1 &&
    sharedHeadings.includes(heading) &&
    commands.every((one) => isIn(heading, option, one));
  const part = (
    { options }: RunnableCommand,
    chosen: (heading: string, option: Term) => boolean,
  ): ReadonlyMap<string, readonly Term[]> =>
    new Map(
      [...options]
        .map(([heading, all]) => [heading, all.filter((one) => chosen(heading, one))] as const)
        .filter(([, all]) => all.length > 0),
    );
  return {
    commands: commands.map((one) => ({
      ...one,
      options: part(one, (heading, option) => !isShared(heading, option)),
    })),
    shared: first === undefined ? new Map() : part(first, isShared),
  };
}
