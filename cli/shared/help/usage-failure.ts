// Converts an error of the parser to a failure: what is wrong with the command line, and apart from it what to use instead.
import type { Argument, Command, CommanderError } from "commander";
import { Failure } from "../../../core/errors.ts";
import { choicesRemedy, didYouMean, sentences } from "../../../core/text/naming.ts";
import { helpSentence, innermostCommand, withoutKeys, wordsOf } from "./command-names.ts";
import { defaultCommandOf } from "./default-command.ts";
import { otherOption } from "./other-options.ts";

/** The command line that was parsed. */
interface ParsedLine {
  readonly words: readonly string[];
  readonly program: Command;
  /** Loads every command, to find those that have an option. */
  readonly loadAll: () => Promise<readonly Command[]>;
}

/** The member of `--grant` that replaces a former option `--allow-NAME`. */
const grantMembers: ReadonlyMap<string, string> = new Map([
  ["env", "environment"],
  ["secret-file", "files"],
  ["typescript", "typescript"],
  ["automatic", "promotion"],
  ["origin", "checks.origins"],
  ["check", "checks.commands"],
]);

/** Converts an error of commander to a failure. */
export async function usageFailure(
  { code, message }: CommanderError,
  commandLine: ParsedLine,
): Promise<Failure> {
  const { command: named, rest } = innermostCommand(commandLine.words, commandLine.program);
  if (code === "commander.help") {
    return new Failure("usage", "no command given", { remedy: helpSentence(named) });
  }
  const command = defaultCommandOf(named) ?? named;
  const cleaned = withoutValues(message).replace(/^error: /u, "");
  const flag = flagWithValue(cleaned, command, rest);
  if (flag !== undefined) {
    const remedy = sentences(`Pass ${flag} alone.`, helpSentence(command));
    return new Failure("usage", `option '${flag}' takes no value`, { remedy });
  }
  const wanting =
    code === "commander.missingMandatoryOptionValue" ? missingOptions(command) : undefined;
  const { text, hint } = splitHint(wanting ?? cleaned.replace(/\s+/gu, " ").trim());
  const remedy = sentences(
    await optionRemedy(text, command, commandLine),
    hint,
    verbRemedy(named, rest),
    code === "commander.missingArgument" ? missingRemedy(command, rest) : undefined,
    helpSentence(command),
  );
  return new Failure("usage", text, { remedy });
}

/** Names every required option that the command line lacks; commander names the first. */
function missingOptions(command: Command): string {
  const missing = command.options
    .filter((one) => one.mandatory && command.getOptionValue(one.attributeName()) === undefined)
    .map(({ flags }) => `'${flags}'`);
  return `required option${missing.length === 1 ? "" : "s"} ${missing.join(", ")} not specified`;
}

/** Returns the option without a value that a command line gives one: `--json=3` is an unknown option to commander. */
function flagWithValue(
  message: string,
  command: Command,
  words: readonly string[],
): string | undefined {
  const [, long] = /^unknown option '(--[\w-]+)'/u.exec(message) ?? [];
  // Commander takes the letters of `-qy=3` off one by one, and reports the rest.
  const [short] = message.startsWith("unknown option '-='")
    ? words.flatMap((word) => /^-[A-Za-z]*([A-Za-z])=/u.exec(word)?.[1] ?? [])
    : [];
  const name = long ?? (short && `-${short}`);
  if (name === undefined) return undefined;
  const options = [...command.options, ...command.createHelp().visibleOptions(command)];
  return options.some((one) => one.long === name || one.short === name) ? name : undefined;
}

/** Returns the verb that a word resembles where a default command takes the word as its argument: `svc promote stats`. */
export function verbRemedy(command: Command, [word]: readonly string[]): string | undefined {
  if (word === undefined || word.startsWith("-") || !defaultCommandOf(command)) return undefined;
  const names = command.commands.map((one) => one.name());
  return didYouMean(word, names, (name) => `\`${wordsOf(command).join(" ")} ${name}\``);
}

/** Returns a message of commander without the values that the user passed, because one may be a key. */
function withoutValues(message: string): string {
  const shown = withNearestChoice(message)
    .replace(
      /command-argument value ('.*') is invalid for argument '(.*?)'/su,
      "$1 is invalid as <$2>",
    )
    .replace(/'(--?[\w-]+)=[^']*'/gu, "'$1'")
    .replace(/'-=[^']*'/gu, "'-='")
    .replace(/(option '--var[^']*') argument '.*' is invalid\./su, "the value of $1 is invalid.");
  return withoutKeys(shown);
}

/** Replaces commander's list of the allowed values by that of svc, with the nearest. */
function withNearestChoice(text: string): string {
  return text.replace(
    /((?:argument|value) '(.*)' is invalid.*?\.) Allowed choices are (.*?)\.$/su,
    (_, start: string, given: string, choices: string) =>
      `${start} ${choicesRemedy(given, choices.split(", "))}`,
  );
}

/** Separates what is wrong from the hint behind it, which is in parentheses or a sentence of its own. */
function splitHint(message: string): { readonly text: string; readonly hint?: string } {
  const [, text, bracketed, sentence] =
    /^(.*?)(?: \((Did you mean .*\?)\)|(?<= is invalid.*)\. (.+))$/u.exec(message) ?? [];
  const hint = bracketed ?? sentence;
  if (text === undefined || hint === undefined) return { text: message.replace(/\.$/u, "") };
  return { text, hint };
}

/** Returns what to use in place of an unknown option; undefined if the error is another one, or nothing is known. */
async function optionRemedy(
  text: string,
  command: Command,
  { loadAll }: ParsedLine,
): Promise<string | undefined> {
  const [, name] = /^unknown option '--?([a-z-]+)'/u.exec(text) ?? [];
  if (name === undefined) return undefined;
  if (/^(?:api-)?(?:key|token)$/u.test(name)) {
    return "Command lines are visible to other users: use SVC_API_KEY or --api-key-file.";
  }
  const member = grantMembers.get(name.replace(/^allow-/u, ""));
  if (name.startsWith("allow-") && member !== undefined) return `Use --grant ${member}=VALUE.`;
  const argument = command.registeredArguments.find((one) => one.name() === name);
  if (argument !== undefined) {
    const words = [...wordsOf(command), ...command.registeredArguments.map(argumentTerm)];
    return `Pass <${name}> as an argument, without --${name}: \`${words.join(" ")}\`.`;
  }
  if (/^(?:f|file|filename)$/u.test(name) && command.registeredArguments.some(isPaths)) {
    return `Paths are arguments: \`${wordsOf(command).join(" ")} PATH\`.`;
  }
  return otherOption(name, command, loadAll);
}

function isPaths(one: Argument): boolean {
  return one.name() === "paths";
}

/** Returns what a command line without an argument probably means. */
function missingRemedy(command: Command, [word]: readonly string[]): string | undefined {
  const name = command.name();
  if (name === "validate")
    return "`svc validate` checks the data model of a deployment; for manifests, use `svc lint`.";
  if (name !== "api" || word === undefined || !word.startsWith("/")) return undefined;
  return `Name the method first: \`svc api GET ${withoutKeys(word)}\`.`;
}

function argumentTerm(one: Argument): string {
  return one.required ? `<${one.name()}>` : `[${one.name()}]`;
}
