// Tests that commands with subcommands have a page each, and those without share one.
import { Command } from "commander";
import { expect, it } from "vitest";
import { commandPages } from "./command-pages.ts";

it("writes one page for a command, its subcommands and those of its groups", () => {
  const towns = new Command("towns").summary("list and change towns").description("Change towns.");
  const update = towns.command("update").description("Update a town. Returns it.");
  update.option("--name <text>", "name of the town");
  towns.command("roads").summary("commands on roads").command("list").description("List roads.");
  const pages = commandPages(new Command("svc").addCommand(towns), []);
  expect([...pages.keys()]).toEqual(["docs/reference/commands.md", "docs/reference/cli/towns.md"]);
  const page = pages.get("docs/reference/cli/towns.md");
  expect(page).toContain("# svc towns\n\nChange towns.\n\n## svc towns update\n");
  expect(page).toContain("| `--name <text>` | name of the town |");
  expect(page).toContain("## svc towns roads\n\nCommands on roads.\n\n### svc towns roads list\n");
});

it("writes one page for the commands of a heading that have no subcommands", () => {
  const program = new Command("svc").commandsGroup("Old towns:");
  for (const name of ["visit", "leave"]) program.command(name).description(`It may ${name}.`);
  const pages = commandPages(program, []);
  const path = "docs/reference/cli/old-towns.md";
  expect([...pages.keys()]).toEqual(["docs/reference/commands.md", path]);
  expect(pages.get(path)).toContain("# Old towns\n\n## svc visit\n\nIt may visit.");
  expect(pages.get("docs/reference/commands.md")).toContain("(cli/old-towns.md#svc-leave)");
});
