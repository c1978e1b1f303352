// Generates the reference of the command line: an index of the commands, and a page for each with its subcommands.
import { upperFirst } from "../core/text/naming.ts";
import type { Command } from "commander";
import { type Area, asksFirst, type OperationCommand } from "../cli/operations/command.ts";
import {
  commandGroups,
  type CommandGroup,
  type RunnableCommand,
  type Term,
  withInnerGroups,
  withSharedOptions,
} from "./command-tree.ts";
import { page, table } from "./markdown.ts";

const folder = "docs/reference/cli";

/** Returns every page by its path in the repository. */
export function commandPages(
  program: Command,
  areas: readonly Area[],
): ReadonlyMap<string, string> {
  const groups = commandGroups(program);
  const operations = new Map(
    areas.flatMap(({ name, commands }) =>
      commands.map((command) => [`svc ${name} ${command.verb}`.trim(), command] as const),
    ),
  );
  return new Map([
    ["docs/reference/commands.md", indexPage(groups, areas)],
    ...groups.map((group) => [`${folder}/${fileOf(group)}`, groupPage(group, operations)] as const),
  ]);
}

function indexPage(groups: readonly CommandGroup[], areas: readonly Area[]): string {
  const headings = Map.groupBy(groups, ({ heading }) => heading);
  return page("Commands", [
    "[The command line](cli.md) describes connection, exit codes, confirmation and tables. Each release has the same reference for `man`, such as `man svc-apply`.",
    ...[...headings].flatMap(([heading, all]) => [
      `## ${heading}`,
      table(
        ["command", "what it does"],
        all.map((group) => [linkTo(group), summaryOf(group)]),
      ),
    ]),
    "## Rules of the commands of operations",
    [
      "- `svc AREA VERB` calls one [operation](operations.md).",
      "- Where the help says so, a name can replace an ID: of a deployment, workbook (its slug), user, group, attribute or key. Digits are an ID.",
      "- Lists are read to the end, or to `--limit`, and printed as a [table](cli.md#tables); `--first` and `--after` read one page. The rest is printed as JSON. `--output table` and `--output json` choose; `--json` is short for the latter.",
      `- Flags set the simple members of a body, \`--data\` the rest: JSON, \`@file\`, or \`-\` for standard input. Flags win, except in ${dataFirst(areas)}.`,
      "- Some commands ask for confirmation, as their pages say. Without a terminal they need `--yes`, otherwise they change nothing and exit with 5.",
      "- Standard output contains only the result. With `--json` errors are JSON too.",
    ].join("\n"),
  ]);
}

function linkTo(group: CommandGroup): string {
  return `[${group.path}](cli/${fileOf(group)})`;
}

function fileOf({ path }: CommandGroup): string {
  return `${path.replace(/^svc /u, "")}.md`;
}

function summaryOf({ summary, commands, groups }: CommandGroup): string {
  const words = [...commands, ...groups].map(({ path }) => path.split(" ").at(-1));
  const verbs = words.length > 1 ? `: ${words.map((word) => `\`${word}\``).join(", ")}` : "";
  return `${escaped(summary)}${verbs}`;
}

/** Returns the commands in which `--data` wins. */
function dataFirst(areas: readonly Area[]): string {
  const found = areas.flatMap(({ name, commands }) =>
    commands
      .filter(({ dataWins }) => dataWins === true)
      .map(({ verb }) => `\`svc ${name} ${verb}\``),
  );
  return found.join(" and ");
}

type Operations = ReadonlyMap<string, OperationCommand>;

function groupPage(group: CommandGroup, operations: Operations): string {
  return page(group.path, [
    ...withInnerGroups(group).flatMap((one) => groupParts(one, group, operations)),
    "[All commands](../commands.md) · [The command line](../cli.md)",
  ]);
}

/** Returns the description of a group's own commands. `whole` is the group of the page. */
function groupParts(
  group: CommandGroup,
  whole: CommandGroup,
  operations: Operations,
): readonly string[] {
  const { commands, shared } = withSharedOptions(group);
  const [only] = commands;
  const isOne = only?.path === group.path;
  return [
    ...(group === whole ? [] : [`## ${group.path}`]),
    ...(isOne ? [] : [docOf(group)]),
    ...commands.flatMap((command) => [
      ...(isOne ? [] : [`${group === whole ? "##" : "###"} ${command.path}`]),
      ...commandParts(command, operations.get(command.path)),
    ]),
    ...(shared.size === 0
      ? []
      : [`Options of every command of \`${group.path}\`:`, termTable(shared)]),
  ];
}

function docOf({ doc, summary }: CommandGroup): string {
  return escaped(doc || sentence(summary));
}

function commandParts(
  { doc, usage, arguments: given, options, examples }: RunnableCommand,
  declared: OperationCommand | undefined,
): readonly string[] {
  const calls = declared === undefined ? "" : ` Calls \`${declared.operation.id}\`.`;
  const asks = declared !== undefined && asksFirst(declared) ? " Asks for confirmation." : "";
  const all = new Map([...(given.length > 0 ? [["Arguments", given] as const] : []), ...options]);
  const lines = Object.entries(examples).map(([what, line]) => `\n# ${what}\n${line}`);
  return [
    `${escaped(doc)}${calls}${asks}`,
    `\`\`\`sh\n${usage}${lines.join("")}\n\`\`\``,
    ...(all.size === 0 ? [] : [termTable(all)]),
  ];
}

/** Returns one table of all arguments and options. */
function termTable(groups: ReadonlyMap<string, readonly Term[]>): string {
  return table(
    ["argument or option", "meaning"],
    [...groups.values()].flat().map(({ term, doc }) => [`\`${term}\``, escaped(doc)]),
  );
}

function sentence(text: string): string {
  return `${upperFirst(text)}.`;
}

/** Returns a text in which placeholders are not parsed as tags. Code keeps them. */
function escaped(text: string): string {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;")))
    .join("`");
}
