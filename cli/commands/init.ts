// `svc init`: writes the skeleton of a stack, or of a base with environments.
import { Command, Option } from "commander";
import { outputOptions } from "../shared/output/output-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/init.ts";

/** Returns the `init` command. */
export function initCommand(version: string): Command {
  const command = new Command("init")
    .description(
      "Write the skeleton of a stack: the Stack, one example document, a .gitignore, and the " +
        "schema for editors; with --starter environments, a base that the stacks of two " +
        "environments share. Existing files are never overwritten. Asks nothing. Works offline.",
    )
    .argument("[folder]", "folder of the stack, created if missing", ".")
    .option("--name <name>", "name of the stack (default: the name of the folder)")
    .addOption(
      new Option("--starter <layout>", "what to write")
        .choices(["stack", "environments"])
        .default("stack"),
    )
    .addOption(
      new Option(
        "--ci <system>",
        "also write a recipe that plans proposed changes, applies what is merged, and looks for drift",
      ).choices(["github", "gitlab"]),
    )
    .option("--vscode", "also write settings for Visual Studio Code")
    .action(async (folder: string, flags: Flags) =>
      (await import("../runs/init.ts")).runInit(folder, flags, version),
    );
  return outputOptions(
    withExamples(command, {
      "write a stack into this folder": "svc init",
      "into another folder": "svc init stacks/sales",
      "a base with environments, for GitHub": "svc init --starter environments --ci github",
    }),
  );
}
