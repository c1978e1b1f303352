// Runs a command line: loads the command that it names, parses, and reports its errors.
import { type Argument, Command, type CommanderError } from "commander";
import { Failure } from "../core/errors.ts";
import { closestMatch, didYouMean } from "../core/text/naming.ts";
import { type CommandEntry, commands } from "./command-list.ts";
import { defaultCommandOf } from "./shared/help/default-command.ts";
import { missingVerbRemedy, setMissingVerb } from "./shared/help/missing-verbs.ts";
import { argumentHelpText, optionHelp } from "./shared/help/option-help.ts";
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
  const code = await runCommand(program, args, version);
  if (code === exitCodes.usage) {
    const words = commandLine(args);
    if (args[0] !== "help") suggestVerb(words, program);
    await suggestArgument(words, { program, version });
  }
  return code;
}

async function runCommand(
  program: Command,
  args: readonly string[],
  version: string,
): Promise<number> {
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
    await program.parseAsync(words, { from: "user" });
    return Number(process.exitCode ?? exitCodes.done);
  } catch (error) {
    if (isCommanderError(error) && error.exitCode === 0) return exitCodes.done;
    const { failureOutput, reportFailure } = await import("./shared/run/failure.ts");
    const isUsage = isCommanderError(error);
    const failure = isUsage ? usageFailure(error) : error;
    process.stdout.write(await failureOutput(args, failure));
    return isUsage ? exitCodes.usage : reportFailure(failure);
  }
}

/** Writes the verb that a word resembles where a default command takes the word as its argument: `svc promote stats`. */
function suggestVerb(words: readonly string[], program: Command): void {
  const { command, rest } = innermostCommand(words, program);
  const [word] = rest;
  if (word === undefined || word.startsWith("-") || !defaultCommandOf(command)) return;
  const names = command.commands.map((one) => one.name());
  const hint = didYouMean(word, names, (name) => `\`${wordsOf(command).join(" ")} ${name}\``);
  if (hint !== undefined) process.stderr.write(`  ${hint}\n`);
}

/** Returns the command that the first words name, and the words after them. */
function innermostCommand(
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

/** Writes the replacement for an unknown option: the argument of its name, or the option that it has here. */
async function suggestArgument(
  words: readonly string[],
  { program, version }: { readonly program: Command; readonly version: string },
): Promise<void> {
  const named = innermostCommand(words, program).command;
  const command = defaultCommandOf(named) ?? named;
  const options = new Set(command.options.map((one) => one.long));
  for (const word of words) {
    if (word === "--") return;
    const [, name = ""] = /^--([a-z-]+)/u.exec(word) ?? [];
    if (name === "" || options.has(`--${name}`)) continue;
    const argument = command.registeredArguments.find((one) => one.name() === name);
    if (argument !== undefined) {
      const line = [...wordsOf(command), ...command.registeredArguments.map(argumentTerm)].join(
        " ",
      );
      process.stderr.write(`  ${name} is an argument, without --${name}: ${line}\n`);
      return;
    }
    const { otherOption } = await import("./shared/help/other-options.ts");
    const other = otherOption(name, command, await loadable(version));
    if (other === undefined) continue;
    process.stderr.write(`  ${other}\n`);
    return;
  }
}

/** Loads all commands, without those of a package that is not installed. */
async function loadable(version: string): Promise<readonly Command[]> {
  const loaded = await Promise.allSettled(commands.map(({ load }) => load(version)));
  return loaded.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

function argumentTerm(one: Argument): string {
  return one.required ? `<${one.name()}>` : `[${one.name()}]`;
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
  const program = new Command("svc")
    .description("Manage a hosted analytics platform as code.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .enablePositionalOptions()
    .commandsGroup("Help:")
    .helpCommand("help [command]", "print help for a command or a topic")
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      optionDescription: optionHelp,
      argumentDescription: argumentHelpText,
      minWidthToWrap: 20,
    })
    .addHelpText("after", "\nRun svc help TOPIC for a concept; svc help topics lists them.")
    .configureOutput({
      getOutHelpWidth: () => helpWidth(process.stdout),
      getErrHelpWidth: () => helpWidth(process.stderr),
      outputError: (text, write) => write(usageText(text).replace(/$/mu, " [usage]")),
    })
    .showHelpAfterError("(add --help for more)")
    .exitOverride();
  for (const [name, remedy] of Object.entries(namesOfOtherTools)) {
    setMissingVerb(program, name, remedy);
  }
  return program;
}

/** The commands to use instead of commands that other tools have. */
const namesOfOtherTools = {
  import: "Use svc adopt.",
  destroy: "Set policy.prune in the Stack, remove its documents, and run svc apply --allow-empty.",
  refresh: "Every plan reads the server. svc drift shows what changed there.",
  state: "Use svc inventory.",
  taint: "Use svc apply --replace ADDRESS.",
  "validate-manifests": "Use svc lint.",
  version: "Use svc --version.",
};

/** The member of `--grant` that replaces a former option `--allow-NAME`. */
const grantMembers: ReadonlyMap<string, string> = new Map([
  ["env", "environment"],
  ["secret-file", "files"],
  ["typescript", "typescript"],
  ["automatic", "promotion"],
  ["origin", "checks.origins"],
  ["check", "checks.commands"],
]);

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

function unknownCommand(word: string, command: Command, topics: readonly string[]): never {
  const isTop = command.parent === null && topics.length > 0;
  const names = [...command.commands.map((one) => one.name()), ...(isTop ? topics : [])];
  // The paths of the API have longer names, such as `embed-tenants` for the command `embed`.
  const nearest = closestMatch(word, names) ?? names.find((name) => word.startsWith(`${name}-`));
  const guess = nearest === undefined ? undefined : `Did you mean ${nearest}?`;
  const remedy = missingVerbRemedy(command, word) ?? guess ?? verbList(command);
  const hint = remedy === undefined ? "" : `\n(${remedy})`;
  const what = isTop ? "command or topic" : "command";
  const list = isTop ? "\n(svc help topics lists the topics)" : "";
  command.showHelpAfterError(`(see ${wordsOf(command).join(" ")} --help)`);
  return command.error(`error: unknown ${what} '${word}'${hint}${list}`, {
    code: "commander.unknownCommand",
  });
}

/** Returns the verbs of a command; undefined for the program, which has too many commands to list. */
function verbList(command: Command): string | undefined {
  if (command.parent === null) return undefined;
  const verbs = command.commands.map((one) => one.name());
  return `Commands of ${wordsOf(command).join(" ")}: ${verbs.join(", ")}.`;
}

/** Returns the words that name a command: `svc embed groups`. */
function wordsOf(command: Command): readonly string[] {
  const names: string[] = [];
  for (let one: Command | null = command; one !== null; one = one.parent) names.unshift(one.name());
  return names;
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

/** Converts an error of commander to a failure. */
function usageFailure({ code, message }: CommanderError): Failure {
  if (code === "commander.help") return new Failure("usage", "no command given");
  const text = usageText(message)
    .replace(/^error: /u, "")
    .replace(/\s+/gu, " ")
    .trim();
  return new Failure("usage", text);
}

/** Adds the nearest of the allowed values to a message that lists them. */
function withNearestChoice(text: string): string {
  return text.replace(
    /(?:argument|value) '(.*)' is invalid.*?\. Allowed choices are (.*?)\./u,
    (sentence: string, given: string, choices: string) => {
      const hint = didYouMean(given, choices.split(", "));
      return hint === undefined ? sentence : `${sentence} (${hint})`;
    },
  );
}

/**
 * Returns a message of commander without the values that the user passed, because one may be a key.
 */
function usageText(text: string): string {
  const message = withNearestChoice(text)
    .replace(
      /command-argument value ('.*') is invalid for argument '(.*?)'/su,
      "$1 is invalid as <$2>",
    )
    .replace(/'(--?[\w-]+)=[^']*'/gu, "'$1'")
    .replace(/(option '--var[^']*') argument '.*' is invalid\./su, "$1:")
    .replace(/\bsk-\S+/gu, "sk-...")
    .replace(/\bscim-[\w-]{43}/gu, "scim-...");
  if (/unknown option '--(?:api-)?(?:key|token)'/u.test(message))
    return `${message}Command lines are visible to other users: use SVC_API_KEY or --api-key-file.\n`;
  const [, former = ""] = /unknown option '--allow-([a-z-]+)'/u.exec(message) ?? [];
  const member = grantMembers.get(former);
  return member === undefined ? message : `${message}(Use --grant ${member}=VALUE.)\n`;
}
