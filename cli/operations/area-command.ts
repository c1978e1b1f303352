// Builds the commands of an area for the command line. Runs of them load the rest.
import { jsonLossReason } from "../../core/text/exact-numbers.ts";
import { choicesRemedy, lowerFirst, upperFirst } from "../../core/text/naming.ts";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { yesOption } from "../shared/options/yes-options.ts";
import { invariant } from "../../core/errors.ts";
import { connectionOptions } from "../shared/connection/connection.ts";
import { columnOptions, jsonOptions } from "../shared/output/table-options.ts";
import { addDefaultCommand } from "../shared/help/default-command.ts";
import { setNameSource } from "../shared/lookup/name-source.ts";
import { withExamples } from "../shared/help/examples.ts";
import { operationExamples } from "./examples.ts";
import {
  type Area,
  asksFirst,
  hasTable,
  type OperationCommand,
  readsList,
  takesData,
  titleOf,
} from "./command.ts";
import { argumentHelp, dataHelp, descriptionOf, flagHelp } from "./help-text.ts";
import { type Member, type RequestMembers, requestMembers } from "./members.ts";

/** Returns the command of an area, with a subcommand for each operation; or of its only operation, if that has no verb. */
export function areaCommand(declared: Area): Command {
  const { name, description, commands } = declared;
  const [only] = commands;
  if (only?.verb === "") return operationCommand(name, only, `svc ${name}`);
  const area = new Command(name).description(description);
  for (const one of commands) {
    const words = one.verb.split(" ");
    const verb = words.pop() ?? one.verb;
    const parent = groupCommand(area, words, declared);
    const command = operationCommand(verb, one, `svc ${name} ${one.verb}`);
    if (isOnlyRead(one, commands)) addDefaultCommand(parent, command);
    else parent.addCommand(command);
  }
  return area;
}

/** Returns whether a command without arguments is the only one of its group that reads, so that its verb can be omitted. */
function isOnlyRead(one: OperationCommand, commands: readonly OperationCommand[]): boolean {
  const groupOf = ({ verb }: OperationCommand): string => verb.split(" ").slice(0, -1).join(" ");
  const reads = commands.filter(
    (other) => other.operation.effect === "read" && groupOf(other) === groupOf(one),
  );
  return reads.length === 1 && reads[0] === one && requestMembers(one).arguments.length === 0;
}

/** Returns the command that holds several verbs, such as `groups` in `svc embed groups list`; the area if no words are given. */
function groupCommand(area: Command, words: readonly string[], { name, groups }: Area): Command {
  let parent = area;
  for (const [at, word] of words.entries()) {
    const path = words.slice(0, at + 1).join(" ");
    let group = parent.commands.find((one) => one.name() === word);
    if (group === undefined) {
      const summary = groups?.[path];
      invariant(summary !== undefined, `svc ${name} ${path} has no summary`);
      group = new Command(word).summary(summary);
      parent.addCommand(group);
    }
    parent = group;
  }
  return parent;
}

function operationCommand(verb: string, declared: OperationCommand, line: string): Command {
  const members = requestMembers(declared);
  const command = new Command(verb)
    .summary(summaryOf(declared))
    .description(descriptionOf(declared, members));
  for (const member of members.arguments) {
    const argument = argumentOf(member, members);
    nameFrom(argument, member);
    command.addArgument(argument);
  }
  for (const { syntax, doc } of declared.extraArguments ?? []) command.argument(syntax, doc);
  for (const member of members.flags) addFlag(command, member, members);
  for (const { syntax, doc, parse } of declared.extraOptions ?? []) {
    const option = new Option(syntax, doc);
    command.addOption(parse === undefined ? option : option.argParser(parse));
  }
  addRequestOptions(command, declared, members);
  addOutputOptions(command, declared);
  withExamples(command, declared.examples ?? operationExamples(line, declared, members));
  return connectionOptions(command).action(async () => {
    const { runOperation } = await import("./run.ts");
    await runOperation(declared, {
      values: command.processedArgs as unknown[],
      flags: command.opts(),
    });
  });
}

/** Lets completion offer names of the server for an argument or an option. */
function nameFrom(of: Argument | Option, { name, lookup }: Member): void {
  if (lookup !== undefined) setNameSource(of, { member: name, lookup });
}

function addOutputOptions(command: Command, declared: OperationCommand): void {
  const isTable = hasTable(declared);
  const isContent = declared.printsContent === true;
  const form = isTable ? "table" : "json";
  command
    .optionsGroup("Output:")
    .addOption(
      new Option(
        "--output <form>",
        `format of the result (default: ${isContent ? "the content as it is" : form})`,
      ).choices(isContent ? ["json"] : ["table", "json"]),
    );
  if (isTable) {
    columnOptions(command, async () => (await import("./answer-table.ts")).columnTitles(declared));
  }
  jsonOptions(command);
}

function addRequestOptions(
  command: Command,
  declared: OperationCommand,
  members: RequestMembers,
): void {
  const { operation } = declared;
  if (readsList(declared)) {
    command.option("--limit <number>", "maximum number of items (default: all)", countOf);
  }
  if (readsList(declared) && ["cursor", "transitional"].includes(operation.list ?? "")) {
    command
      .addOption(
        new Option("--first <number>", "read one page of this size")
          .argParser(countOf)
          .conflicts("limit"),
      )
      .option("--after <cursor>", "begin after this cursor, `pageInfo.endCursor` in JSON");
  }
  if (takesData(declared)) command.option("-d, --data <json>", dataHelp(declared, members));
  if (asksFirst(declared)) command.addOption(yesOption());
}

function summaryOf(declared: OperationCommand): string {
  return lowerFirst(titleOf(declared));
}

function argumentOf(member: Member, members: RequestMembers): Argument {
  const { label, choices, isList } = member;
  const help = argumentHelp(member, members);
  const argument = new Argument(isList ? `<${label}...>` : `<${label}>`, help);
  if (choices !== undefined && !isList) return argument.choices(choices);
  return argument.argParser((text, before: unknown) => {
    if (text === "") throw new InvalidArgumentError("It must not be empty.");
    return read(member, text, before);
  });
}

function addFlag(command: Command, member: Member, members: RequestMembers): void {
  const { label, type, value, isList, choices } = member;
  const help = flagHelp(member, members);
  if (value !== undefined) {
    command.addOption(new Option(label, help));
    return;
  }
  if (type === "boolean" && !isList) {
    const negative = `--no-${label.slice(2)}`;
    command.addOption(
      new Option(label, help.includes(negative) ? help : `${help}; or ${negative}`),
    );
    command.addOption(new Option(negative).hideHelp());
    return;
  }
  const option = new Option(`${label} <${placeholderOf(member)}>`, help);
  if (choices !== undefined && !isList) option.choices(choices);
  else option.argParser((text, before: unknown) => read(member, text, before));
  nameFrom(option, member);
  command.addOption(option);
}

const placeholders = {
  text: "text",
  integer: "number",
  number: "number",
  boolean: "boolean",
  json: "value",
} as const;

function placeholderOf({ type, lookup, choices }: Member): string {
  if (lookup !== undefined) return "name";
  return choices === undefined ? placeholders[type] : "choice";
}

/** Reads a value, and appends it to those before if the member is a list. */
function read(member: Member, text: string, before: unknown): unknown {
  const value = valueOf(member, text);
  return member.isList ? [...(Array.isArray(before) ? (before as unknown[]) : []), value] : value;
}

/** Reads the text of one value. */
function valueOf({ type, lookup, choices }: Member, text: string): unknown {
  if (lookup !== undefined || type === "text") {
    if (choices !== undefined && !choices.includes(text))
      throw new InvalidArgumentError(choicesRemedy(text, choices));
    return text;
  }
  if (type === "json") return jsonOrText(text);
  if (type === "boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw new InvalidArgumentError("Use true or false.");
  }
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (type === "integer" ? Number.isSafeInteger(number) : Number.isFinite(number)) {
    requireExact(text);
    return number;
  }
  throw new InvalidArgumentError(type === "integer" ? "Use a whole number." : "Use a number.");
}

function jsonOrText(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  requireExact(text);
  return value;
}

function requireExact(text: string): void {
  const loss = jsonLossReason(text);
  if (loss) throw new InvalidArgumentError(`${upperFirst(loss.problem)}. ${loss.remedy}`);
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("Use a whole number from 1.");
}
