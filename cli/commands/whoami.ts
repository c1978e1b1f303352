// `svc whoami`: shows the server and the user that commands use.
import { Command } from "commander";
import { type ConnectionFlags, connectionOptions } from "../shared/connection.ts";
import { type OutputFlags, outputOptions } from "../shared/output-options.ts";

/** Returns the `whoami` command. */
export function whoamiCommand(): Command {
  const command = new Command("whoami")
    .description("Show the server that commands use, and the user of their credential.")
    .action(async (flags: ConnectionFlags & OutputFlags) =>
      (await import("../runs/whoami.ts")).runWhoami(flags),
    );
  return outputOptions(connectionOptions(command));
}
