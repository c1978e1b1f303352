// Runs a command line: loads the command that it names, parses, and reports its errors.
import { Command, type CommanderError } from "commander";
import { Failure } from "../core/errors.ts";
import { didYouMean, sentences } from "../core/text/naming.ts";
import { type CommandEntry, commands } from "./command-list.ts";
import {
  helpSentence,
  innermostCommand,
  withoutKeys,
  wordsOf,
} from "./shared/help/command-names.ts";
import { defaultCommandOf } from "./shared/help/default-command.ts";
import { argumentHelpText, optionHelp, usageLine } from "./shared/help/option-help.ts";
import { refuseRepeatedOptions } from "./shared/options/single-values.ts";
import { widthOf } from "./shared/streams.ts";
import { exitCodes } from "./shared/exit-codes.ts";

/**
 * Runs the command that `args` names and returns the exit code. Throws only for a bug outside the
 * command.
 */
export async function runProgram(args: readonly string[], version: string): Promise<number> {
  if (args[0] === "__complete") return printCompletion(args.slice(1), version);
  const program = newProgram(version);
  const wanted = commandName(args);
  try {
    await addCommands(program, wanted, version);
    const topics =
      args[0] === "help" ? (await import("./shared/help/help-topics.ts")).topics : undefined;
    const topic = topics?.get(wanted ?? "");
    if (topic !== undefined) {
      process.stdout.write(topic);
      return exitCodes.done;
    }
    const words = commandLine(args);
    rejectUnknownCommand(words, program, topics && [...topics.keys()]);
    requireVerb(words, program);
    await program.parseAsync(words, { from: "user" });
    return Number(process.exitCode ?? exitCodes.done);
  } catch (error) {
    if (isCommanderError(error) && error.exitCode === 0) return exitCodes.done;
    return reportStartFailure(error, args, program);
  }
}

/** Reports a failure before the command created its output, and returns its exit code. */
async function reportStartFailure(
  error: unknown,
  args: readonly string[],
  program: Command,
): Promise<number> {
  const { failureOutput, reportFailure } = await import("./shared/run/failure.ts");
  if (!isCommanderError(error)) {
    process.stdout.write(await failureOutput(args, error));
    return reportFailure(error);
  }
  const { usageFailure } = await import("./shared/help/usage-failure.ts");
  const failure = usageFailure(error, commandLine(args), program);
  process.stdout.write(await failureOutput(args, failure));
  // The help of a command without its verb is already on standard error.
  return error.code === "commander.help" ? exitCodes.usage : reportFailure(failure);
}

/** Adds every command, of which it loads the one that runs. */
async function addCommands(
  program: Command,
  wanted: string | undefined,
  version: string,
): Promise<void> {
  for (const entry of commands)
    program.addCommand(await commandFor(entry, { wanted, version, program }));
}

/**
 * Prints the candidates that can follow the words after `--`, for the scripts of `svc completion`: `--word=` has the
 * beginning of the next word. A shell shows no errors, so there are none.
 */
async function printCompletion(args: readonly string[], version: string): Promise<number> {
  const [word = "", , ...before] = args;
  try {
    const program = newProgram(version);
    await addCommands(program, commandName(before), version);
    const { completionLines } = await import("./completion/candidates.ts");
    const lines = await completionLines(program, before, word.replace(/^--word=/u, ""));
    process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  } catch {
    // The shell completes names of files.
  }
  return exitCodes.done;
}

/** Recognises the errors of every copy of commander: the commands of the service package bring their own. */
function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && error.name === "CommanderError";
}

function newProgram(version: string): Command {
  return new Command("svc")
    .description("Manage a hosted analytics platform as code.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .enablePositionalOptions()
    .commandsGroup("Help:")
    .helpCommand("help [command]", "print help for a command or a topic")
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      commandUsage: usageLine,
      optionDescription: optionHelp,
      argumentDescription: argumentHelpText,
      minWidthToWrap: 20,
    })
    .addHelpText("after", "\nRun svc help TOPIC for a concept; svc help topics lists them.")
    .configureOutput({
      getOutHelpWidth: () => helpWidth(process.stdout),
      getErrHelpWidth: () => helpWidth(process.stderr),
      // `runProgram` reports the error.
      outputError: () => undefined,
    })
    .exitOverride();
}

/** Columns of a page of help; fewer on a narrow terminal. */
const helpColumns = 80;

function helpWidth(stream: NodeJS.WriteStream): number {
  return Math.min(helpColumns, widthOf(stream));
}

/** Returns the program with every command loaded, for its reference pages. */
export async function wholeProgram(version: string): Promise<Command> {
  const program = newProgram(version);
  for (const entry of commands)
    program.addCommand(await commandFor(entry, { wanted: entry.name, version, program }));
  return program;
}

/** Returns the name of the command: the first argument, or the second after `help`. */
function commandName([first, second]: readonly string[]): string | undefined {
  return first === "help" ? second : first;
}

/** Returns the words of a command line; `help COMMAND VERB` is `COMMAND VERB --help`. */
function commandLine(args: readonly string[]): readonly string[] {
  const [first, ...words] = args;
  const [wanted] = words;
  if (first !== "help") return args;
  const isOfHelp = wanted === undefined || wanted.startsWith("-") || wanted === "help";
  return isOfHelp ? ["--help"] : [...words, "--help"];
}

/** Fails for a word that is neither a command nor a topic, also with `--help`, for which commander would print its own help. */
function rejectUnknownCommand(
  words: readonly string[],
  program: Command,
  topics: readonly string[] = [],
): void {
  const { command, rest } = innermostCommand(words, program);
  const [word] = rest;
  if (word === undefined || word.startsWith("-") || word === "help") return;
  if (command.commands.length === 0) return;
  // Help has no arguments of a default command.
  if (topics.length === 0 && defaultCommandOf(command)) return;
  unknownCommand(word, command, topics);
}

/** Prints the help of a command whose default verb cannot run without arguments, as commander does if there is no default. */
function requireVerb(words: readonly string[], program: Command): void {
  const { command, rest } = innermostCommand(words, program);
  const needsMore = defaultCommandOf(command)?.registeredArguments.some((one) => one.required);
  if (rest.length === 0 && needsMore === true) command.help({ error: true });
}

function unknownCommand(word: string, command: Command, topics: readonly string[]): never {
  const isTop = command.parent === null && topics.length > 0;
  const names = [...command.commands.map((one) => one.name()), ...(isTop ? topics : [])];
  const remedy = didYouMean(word, names) ?? verbList(command);
  const list = isTop ? "`svc help topics` lists the topics." : undefined;
  const what = `unknown ${isTop ? "command or topic" : "command"} '${withoutKeys(word)}'`;
  throw new Failure("usage", what, {
    remedy: sentences(remedy, list, helpSentence(command)),
  });
}

/** Returns the verbs of a command; undefined for the program, which has too many commands to list. */
function verbList(command: Command): string | undefined {
  if (command.parent === null) return undefined;
  const verbs = command.commands.map((one) => one.name());
  return `Commands of ${wordsOf(command).join(" ")}: ${verbs.join(", ")}.`;
}

/** Loads the command that runs; every other command is only its line in the help. */
async function commandFor(
  { name, group, summary, load }: CommandEntry,
  given: {
    readonly wanted: string | undefined;
    readonly version: string;
    readonly program: Command;
  },
): Promise<Command> {
  const { wanted, version, program } = given;
  const command = name === wanted ? await load(version) : new Command(name);
  return inheritSettings(command, program).summary(summary).helpGroup(group);
}

/**
 * Copies the settings of the program to a command and its subcommands, which are created separately.
 */
function inheritSettings(command: Command, above: Command): Command {
  command.copyInheritedSettings(above);
  refuseRepeatedOptions(command);
  for (const inner of command.commands) inheritSettings(inner, command);
  return command;
}
