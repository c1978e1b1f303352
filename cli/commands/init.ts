// `svc init`: writes the skeleton of a stack.
import { Command } from "commander";
import { outputOptions } from "../shared/output-options.ts";
import type { Flags } from "../runs/init.ts";

/** Returns the `init` command. */
export function initCommand(): Command {
  const command = new Command("init")
    .description(
      "Write the skeleton of a stack: the Stack, one example document, a .gitignore, and the " +
        "schema for editors. Existing files are never overwritten. Works offline.",
    )
    .argument("[folder]", "folder of the stack, created if missing", ".")
    .option("--name <name>", "name of the stack (default: the name of the folder)")
    .action(async (folder: string, flags: Flags) =>
      (await import("../runs/init.ts")).runInit(folder, flags),
    );
  return outputOptions(command);
}
