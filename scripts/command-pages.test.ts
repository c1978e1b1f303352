// Tests that a group of commands has one page, or, if that would be too long, a page for each command.
import { Command } from "commander";
import { expect, it } from "vitest";
import { commandPages } from "./command-pages.ts";
import { maxPageLines } from "./markdown.ts";

/** Returns a program with one group: commands with this number of options each, and a nested group. */
function programWith(options: number): Command {
  const towns = new Command("towns").summary("list and change towns").description("Change towns.");
  for (const verb of ["list", "update"]) {
    const command = towns.command(verb).description(`${verb} towns. Returns them.`);
    for (let index = 0; index < options; index += 1) command.option(`--${verb}-${index}`, "one");
  }
  towns.command("roads").summary("commands on roads").command("list").description("List roads.");
  return new Command("svc").addCommand(towns);
}

const linesOf = (text: string): number => text.trimEnd().split("\n").length;

it("puts commands that fit on one page, with links to the groups in it", () => {
  const pages = commandPages(programWith(10), []);
  expect([...pages.keys()]).toEqual([
    "docs/reference/commands.md",
    "docs/reference/cli/towns.md",
    "docs/reference/cli/towns-roads.md",
  ]);
  const page = pages.get("docs/reference/cli/towns.md");
  expect(page).toContain("- [svc towns roads](towns-roads.md)\n\n## svc towns list\n");
  expect(page).toContain("| `--update-9` | one |");
});

it("puts commands that do not fit on pages of their own", () => {
  const pages = commandPages(programWith(maxPageLines / 2), []);
  expect(pages.get("docs/reference/cli/towns.md")).toContain(`# svc towns

Change towns.

| command | what it does |
|---|---|
| [svc towns list](towns-list.md) | list towns. |
| [svc towns update](towns-update.md) | update towns. |
| [svc towns roads](towns-roads.md) | commands on roads |
`);
  const page = pages.get("docs/reference/cli/towns-update.md");
  expect(page).toContain("# svc towns update\n\nupdate towns. Returns them.\n");
  expect(page).toContain("| `--update-9` | one |");
  expect(page).toContain("\n[svc towns](towns.md) · ");
  expect([...pages.values()].filter((text) => linesOf(text) > maxPageLines)).toEqual([]);
});

it("keeps a page of exactly the limit", () => {
  const besideOptions = linesOf(
    commandPages(programWith(1), []).get("docs/reference/cli/towns.md") ?? "",
  );
  const fitting = 1 + Math.floor((maxPageLines - besideOptions) / 2);
  const sizes = [fitting, fitting + 1].map(
    (options) => commandPages(programWith(options), []).size,
  );
  expect(sizes).toEqual([3, 5]);
});
