// Generates the man pages: `svc.1`, and one for each command with its subcommands.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { wholeProgram } from "../cli/program.ts";
import { topics } from "../cli/shared/help/help-topics.ts";
import {
  commandGroups,
  type CommandGroup,
  type RunnableCommand,
  type Term,
  withInnerGroups,
  withSharedOptions,
} from "./command-tree.ts";

/** Writes every page into a folder. */
export async function writeManPages(folder: string, version: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [name, page] of manPages(await wholeProgram(version), version))
    writeFileSync(join(folder, name), page);
}

/** Returns every page by its file name. */
function manPages(program: Command, version: string): ReadonlyMap<string, string> {
  const groups = commandGroups(program);
  return new Map([
    ["svc.1", programPage(program.description(), groups, version)],
    ...groups
      .flatMap(withInnerGroups)
      .map((group) => [`${nameOf(group)}.1`, groupPage(group, version)] as const),
  ]);
}

function nameOf({ path }: CommandGroup): string {
  return path.replaceAll(" ", "-");
}

function head(name: string, summary: string, version: string): readonly string[] {
  return [
    `.TH ${name.toUpperCase()} 1 "" "svc ${version}" "svc"`,
    ".SH NAME",
    `${escaped(name)} \\- ${escaped(summary)}`,
  ];
}

function programPage(
  description: string,
  groups: readonly CommandGroup[],
  version: string,
): string {
  const summary = description.replace(/\.$/u, "").toLowerCase();
  return pageOf([
    ...head("svc", summary, version),
    ".SH SYNOPSIS",
    ".B svc",
    "[\\fIcommand\\fR] [\\fIoptions\\fR]",
    ...[...Map.groupBy(groups, ({ heading }) => heading)].flatMap(([heading, all]) => [
      `.SH ${escaped(heading.toUpperCase())}`,
      ...all.flatMap((group) => [".TP", `.BR ${escaped(nameOf(group))} (1)`, text(group.summary)]),
    ]),
    ".SH EXIT STATUS",
    ".nf",
    ...text(topics.get("exit-codes")?.split("\n\n").slice(1).join("\n\n") ?? "").split("\n"),
    ".fi",
  ]);
}

function groupPage(group: CommandGroup, version: string): string {
  const { commands, shared } = withSharedOptions(group);
  const [only] = commands;
  const isOne = only?.path === group.path;
  const inner = group.groups.map((one) => `.BR ${escaped(nameOf(one))} (1)`);
  return pageOf([
    ...head(nameOf(group), group.summary, version),
    ".SH SYNOPSIS",
    ...commands.flatMap(({ usage }) => [escaped(usage), ".br"]),
    ".SH DESCRIPTION",
    text((isOne ? only.doc : group.doc) || group.summary),
    ...(isOne && only !== undefined ? bodyOf(only, ".SH") : []),
    ...(isOne || commands.length === 0 ? [] : [".SH COMMANDS"]),
    ...(isOne
      ? []
      : commands.flatMap((command) => [
          `.SS ${escaped(command.path)}`,
          text(command.doc),
          ...bodyOf(command, ".PP"),
        ])),
    ...(shared.size === 0 ? [] : [".SH OPTIONS OF ALL THESE COMMANDS", ...termsOf(shared)]),
    ".SH SEE ALSO",
    ".BR svc (1)",
    ...inner,
  ]);
}

/** Returns arguments, options and examples below headings of one level. */
function bodyOf(
  { arguments: given, options, examples }: RunnableCommand,
  heading: ".SH" | ".PP",
): readonly string[] {
  const title = (name: string): readonly string[] =>
    heading === ".SH" ? [`.SH ${name.toUpperCase()}`] : [".PP", `\\fI${name}\\fR`];
  const lines = Object.entries(examples).flatMap(([what, line]) => [
    ".PP",
    `${escaped(what)}:`,
    ".RS",
    ".nf",
    escaped(line),
    ".fi",
    ".RE",
  ]);
  const all = new Map([...(given.length > 0 ? [["", given] as const] : []), ...options]);
  return [
    ...(all.size === 0 ? [] : [...title("Options"), ...termsOf(all)]),
    ...(lines.length === 0 ? [] : [...title("Examples"), ...lines]),
  ];
}

function termsOf(groups: ReadonlyMap<string, readonly Term[]>): readonly string[] {
  return [...groups.values()]
    .flat()
    .flatMap(({ term, doc }) => [".TP", `\\fB${escaped(term)}\\fR`, text(doc)]);
}

/** Returns a text without Markdown marks, on lines that roff does not read as requests. */
function text(doc: string): string {
  return escaped(doc.replaceAll("`", ""));
}

function escaped(given: string): string {
  return given
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gmu, "\\&$1");
}

function pageOf(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
