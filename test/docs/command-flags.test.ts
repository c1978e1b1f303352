// Tests that every `svc` command and option in the documentation exists.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { areas } from "../../cli/areas/index.ts";
import { wholeProgram } from "../../cli/program.ts";
import { defaultCommandOf } from "../../cli/shared/help/default-command.ts";

const root = join(import.meta.dirname, "../..");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...globSync("docs/{tutorials,how-to,explanation,reference}/*.md", { cwd: root }),
].toSorted();

const program = await wholeProgram("0.0.0");

/** A command line that a page shows: its words, and its long options. */
interface Mention {
  readonly page: string;
  readonly words: readonly string[];
  readonly options: readonly string[];
}

const mentions = pages.flatMap((page): Mention[] =>
  [...readFileSync(join(root, page), "utf8").matchAll(/(?:`|\$ |^)svc ([a-z][^`\n#|\\]*)/gmu)].map(
    ([, text = ""]) => ({
      page,
      words: text.split(/[\s.,;:]+/u).filter((word) => word !== ""),
      options: [...text.matchAll(/(?<=\s)--[a-z][a-z-]*/gu)].map(([option]) => option),
    }),
  ),
);

it("finds commands in the documentation", () => {
  expect(mentions.length).toBeGreaterThan(50);
});

it("names only commands and options that exist", () => {
  const unknown = mentions.flatMap(({ page, words, options }) => {
    const { command, rest } = named(program, words);
    const [next = ""] = rest;
    const isGroup = command.commands.length > 0;
    if (isGroup && /^[a-z]/u.test(next)) return [`${page}: svc ${words.join(" ")}`];
    const known = optionsOf(command);
    return options
      .filter((option) => !known.has(option))
      .map((option) => `${page}: svc ${words.join(" ")}: ${option}`);
  });
  expect([...new Set(unknown)]).toEqual([]);
});

it("names every command that asks for confirmation, besides those of areas", () => {
  const page = readFileSync(join(root, "docs/reference/cli.md"), "utf8");
  const [, section = ""] = /^## Confirmation\n([^]*?)^## /mu.exec(page) ?? [];
  const areaNames = areas.map(({ name }) => name);
  const asking = program.commands
    .filter((one) => !areaNames.includes(one.name()))
    .flatMap((one) => askingCommands(one, [one.name()]));
  expect(asking.length).toBeGreaterThan(4);
  const isNamed = ([first = "", ...rest]: readonly string[]): boolean =>
    section.includes(`\`${[first, ...rest].join(" ")}\``) || section.includes(`\`${first}\``);
  expect(asking.filter((words) => !isNamed(words))).toEqual([]);
});

/** Returns the words of each command below this one, and of itself, that has `--yes`. */
function askingCommands(command: Command, words: readonly string[]): readonly string[][] {
  const isAsking = command.options.some(({ long }) => long === "--yes");
  return [
    ...(isAsking ? [[...words]] : []),
    ...command.commands.flatMap((one) => askingCommands(one, [...words, one.name()])),
  ];
}

/** Returns the innermost command that the first words name, and the words after it. */
function named(
  command: Command,
  words: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  const [first, ...rest] = words;
  const inner = command.commands.find((one) => one.name() === first);
  if (inner !== undefined) return named(inner, rest);
  const unnamed = words.length > 0 ? defaultCommandOf(command) : undefined;
  return { command: unnamed ?? command, rest: words };
}

/** Returns the long options of a command. */
function optionsOf(command: Command): ReadonlySet<string | undefined> {
  return new Set(
    command
      .createHelp()
      .visibleOptions(command)
      .map(({ long }) => long),
  );
}
