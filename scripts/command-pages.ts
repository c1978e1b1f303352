// Generates the reference of the command line: an index of the commands, a page for each that has subcommands, and one for the
// others below each heading.
import { kebabCase, upperFirst } from "../core/text/naming.ts";
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
    ...[...Map.groupBy(groups, fileOf)].map(
      ([file, all]) => [`${folder}/${file}.md`, groupPage(all, operations)] as const,
    ),
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
  const anchor = isCommand(group) ? `#${kebabCase(group.path)}` : "";
  return `[${group.path}](cli/${fileOf(group)}.md${anchor})`;
}

function fileOf(group: CommandGroup): string {
  return kebabCase(isCommand(group) ? group.heading : group.path.replace(/^svc /u, ""));
}

/** Returns whether the group is a command without subcommands. */
function isCommand({ path, commands }: CommandGroup): boolean {
  return commands[0]?.path === path;
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

function groupPage(groups: readonly CommandGroup[], operations: Operations): string {
  const [first] = groups;
  const title = first === undefined || isCommand(first) ? (first?.heading ?? "") : first.path;
  return page(title, [
    ...groups.flatMap(withInnerGroups).flatMap((group) => groupParts(group, { title, operations })),
    "[All commands](../commands.md) · [The command line](../cli.md)",
  ]);
}

/** Returns the description of a group's own commands, for the page with a title. */
function groupParts(
  group: CommandGroup,
  { title, operations }: { readonly title: string; readonly operations: Operations },
): readonly string[] {
  const { commands, shared } = withSharedOptions(group);
  const isWhole = group.path === title;
  return [
    ...(isWhole ? [] : [`## ${group.path}`]),
    ...(isCommand(group) ? [] : [docOf(group)]),
    ...commands.flatMap((command) => [
      ...(isCommand(group) ? [] : [`${isWhole ? "##" : "###"} ${command.path}`]),
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
