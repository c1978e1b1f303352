// Every `svc` command and option that the documentation names exists.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { areas } from "../../cli/areas/index.ts";
import { runSvc } from "../golden/run-cli.ts";

const root = join(import.meta.dirname, "../..");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...globSync("docs/{tutorials,how-to,explanation,reference}/*.md", { cwd: root }),
].toSorted();

const loaded = await Promise.all(areas.map(({ load }) => load()));
/** The commands of areas, of which some have three words. */
const areaCommands = loaded.flatMap(({ name, commands }) =>
  commands.map(({ verb }) => `${name} ${verb}`.trim()),
);

/** A command that a page names: its words, and its long options. */
interface Mention {
  readonly page: string;
  readonly command: string;
  readonly options: readonly string[];
}

const nestedCommand = new RegExp(
  `^(?:${areaCommands.toSorted((a, b) => b.length - a.length).join("|")})(?![a-z-])|^(?:admin|inventory|controller|plugin|${areas.map(({ name }) => name).join("|")}) [a-z][a-z-]*|^promote (?:run|status|why|approve|hold|release|rollback)`,
  "u",
);

const mentions = pages.flatMap((page): Mention[] =>
  [...readFileSync(join(root, page), "utf8").matchAll(/(?:`|\$ |^)svc ([a-z][^`\n#|]*)/gmu)].map(
    ([, text = ""]) => ({
      page,
      command: commandOf(text),
      options: [...text.matchAll(/(?<=\s)--[a-z][a-z-]*/gu)].map(([option]) => option),
    }),
  ),
);

/** The words that name the command; a pipeline without a subcommand is `promote run`. */
function commandOf(text: string): string {
  const nested = nestedCommand.exec(text)?.[0];
  const [first = ""] = text.split(/[\s.,;:]/u);
  return nested ?? (first === "promote" && text.includes(" --") ? "promote run" : first);
}

it("finds commands in the documentation", () => {
  expect(mentions.length).toBeGreaterThan(50);
});

it("names only commands and options that exist", { timeout: 60_000 }, async () => {
  const help = new Map<string, string>();
  for (const { command } of mentions) {
    if (!help.has(command)) help.set(command, await helpOf(command));
  }
  const unknown = mentions.flatMap(({ page, command, options }) => {
    const text = help.get(command) ?? "";
    if (text === "") return [`${page}: svc ${command}`];
    return options
      .filter((option) => !text.includes(option))
      .map((option) => `${page}: svc ${command} ${option}`);
  });
  expect([...new Set(unknown)]).toEqual([]);
});

/** The help of a command, or of its parent where the second word is an argument; empty for none. */
async function helpOf(command: string): Promise<string> {
  const { code, out } = await runSvc([...command.split(" "), "--help"]);
  return code === 0 ? out : "";
}
