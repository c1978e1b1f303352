// `svc context list` and `svc context use`: the contexts of `svc login`.
import { Argument, Command } from "commander";
import { listContexts } from "../shared/connection/connection.ts";
import { withExamples } from "../shared/help/examples.ts";
import { setValues } from "../shared/lookup/name-source.ts";
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
    .addArgument(setValues(new Argument("<name>", "name of the context"), listContexts))
    .action(async (name: string) => (await import("../runs/context.ts")).runContextUse(name));
  return new Command("context")
    .description("Work with the contexts of `svc login`.")
    .addCommand(outputOptions(withExamples(list, { "list the contexts": "svc context list" })))
    .addCommand(withExamples(use, { "use another context": "svc context use staging" }));
}
