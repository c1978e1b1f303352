// `svc context list` and `svc context use`: the contexts of `svc login`.
import { Command } from "commander";
import { withExamples } from "../shared/help/examples.ts";
import { type OutputFlags, outputOptions } from "../shared/output/output-options.ts";

/** Returns the `context` command. */
export function contextCommand(): Command {
  const list = new Command("list")
    .description("List the contexts; the active one is marked.")
    .action(async (flags: OutputFlags) =>
      (await import("../runs/context.ts")).runContextList(flags),
    );
  const use = new Command("use")
    .description("Choose the context that commands use.")
    .argument("<name>", "name of the context")
    .action(async (name: string) => (await import("../runs/context.ts")).runContextUse(name));
  return new Command("context")
    .description("Work with the contexts of `svc login`.")
    .addCommand(outputOptions(withExamples(list, { "list the contexts": "svc context list" })))
    .addCommand(withExamples(use, { "use another context": "svc context use staging" }));
}
