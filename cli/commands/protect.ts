// `svc protect`: protects objects from deletion and replacement, or lifts the protection.
import { Command } from "commander";
import { connectionOptions } from "../shared/connection/connection.ts";
import { outputOptions } from "../shared/output/output-options.ts";
import { pathsHelp, stackOptions } from "../shared/options/stack-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/protect.ts";

/** Returns the `protect` command. */
export function protectCommand(): Command {
  const command = new Command("protect")
    .description(
      "Protect objects of a stack: nothing deletes or replaces them until `svc protect --off` " +
        "names them, even after their documents are removed. Only the inventory is written.",
    )
    .argument("<addresses...>", `Kind/name of each object; and ${pathsHelp}`)
    .option("--off", "lift the protection; nothing is deleted")
    .action(async (given: string[], flags: Flags) =>
      (await import("../runs/protect.ts")).runProtect(given, flags),
    );
  return outputOptions(
    connectionOptions(
      stackOptions(
        withExamples(command, {
          "keep an object from being deleted": "svc protect Folder/board stacks/sales",
          "lift that": "svc protect --off Folder/board stacks/sales",
        }),
      ),
    ),
  );
}
