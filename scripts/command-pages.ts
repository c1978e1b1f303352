// Generates the reference of the command line: an index of the commands, and a page for each with its subcommands, or several
// pages if one would be too long.
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
import { maxPageLines, page, table } from "./markdown.ts";
import { operationsPath } from "./operation-pages.ts";

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
    ...groups
      .flatMap(withInnerGroups)
      .flatMap((group) => groupPages(group, operations))
      .map(([{ path }, text]) => [`${folder}/${fileOf({ path })}`, text] as const),
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
        all.flatMap(withInnerGroups).map((group) => [linkTo(group), summaryOf(group)]),
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

function fileOf({ path }: Pick<CommandGroup, "path">): string {
  return `${path.split(" ").slice(1).join("-")}.md`;
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
type PathAndText = readonly [of: Pick<CommandGroup, "path">, text: string];

/**
 * Returns the page of a group, or, if that is too long, a page that lists the commands, and a page for each of them.
 */
function groupPages(group: CommandGroup, operations: Operations): readonly PathAndText[] {
  const whole = groupPage(group, operations);
  if (group.commands.length < 2 || whole.trimEnd().split("\n").length <= maxPageLines) {
    return [[group, whole]];
  }
  return [
    [group, listPage(group)],
    ...group.commands.map((command) => {
      const parts = commandParts(command, operations.get(command.path));
      const above = `[${group.path}](${fileOf(group)}) · `;
      return [command, page(command.path, [...parts, `${above}${seeAlso}`])] as const;
    }),
  ];
}

const seeAlso = "[All commands](../commands.md) · [The command line](../cli.md)";

function listPage(group: CommandGroup): string {
  return page(group.path, [
    docOf(group),
    table(
      ["command", "what it does"],
      [...group.commands, ...group.groups].map((one) => [
        `[${one.path}](${fileOf(one)})`,
        escaped(firstSentence(one.summary)),
      ]),
    ),
    seeAlso,
  ]);
}

function groupPage(group: CommandGroup, operations: Operations): string {
  const { commands, shared } = withSharedOptions(group);
  const [only] = commands;
  const isOne = only?.path === group.path;
  return page(group.path, [
    ...(isOne ? [] : [docOf(group)]),
    ...(group.groups.length === 0
      ? []
      : [group.groups.map((one) => `- [${one.path}](${fileOf(one)})`).join("\n")]),
    ...commands.flatMap((command) => [
      ...(isOne ? [] : [`## ${command.path}`]),
      ...commandParts(command, operations.get(command.path)),
    ]),
    ...(shared.size === 0 ? [] : ["## Options of all these commands", termTable(shared)]),
    seeAlso,
  ]);
}

function docOf({ doc, summary }: CommandGroup): string {
  return escaped(doc || sentence(summary));
}

function commandParts(
  { doc, usage, arguments: given, options, examples }: RunnableCommand,
  declared: OperationCommand | undefined,
): readonly string[] {
  const calls = declared === undefined ? "" : ` Calls ${linkToOperation(declared.operation)}.`;
  const asks = declared !== undefined && asksFirst(declared) ? " Asks for confirmation." : "";
  const all = new Map([...(given.length > 0 ? [["Arguments", given] as const] : []), ...options]);
  const lines = Object.entries(examples).map(([what, line]) => `\n# ${what}\n${line}`);
  return [
    `${escaped(doc)}${calls}${asks}`,
    `\`\`\`sh\n${usage}${lines.join("")}\n\`\`\``,
    ...(all.size === 0 ? [] : [termTable(all)]),
  ];
}

function linkToOperation({ id, area }: OperationCommand["operation"]): string {
  return `[\`${id}\`](../${operationsPath(area)})`;
}

/** Returns one table of all arguments and options. */
function termTable(groups: ReadonlyMap<string, readonly Term[]>): string {
  return table(
    ["argument or option", "meaning"],
    [...groups.values()].flat().map(({ term, doc }) => [`\`${term}\``, escaped(doc)]),
  );
}

/** Returns a text up to its first full stop. A command without a summary has its whole description there. */
function firstSentence(text: string): string {
  return text.replace(/\.\s.*$/su, ".");
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
