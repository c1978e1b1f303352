// `svc whoami`: shows the server and the user that commands use.
import { Command } from "commander";
import { type ConnectionFlags, connectionOptions } from "../shared/connection/connection.ts";
import { type OutputFlags, outputOptions } from "../shared/output/output-options.ts";
import { withExamples } from "../shared/help/examples.ts";

/** Returns the `whoami` command. */
export function whoamiCommand(): Command {
  const command = new Command("whoami")
    .description(
      "Show the server and the context that commands use, and the credential: its user, its type, " +
        "when it expires, and its limits.",
    )
    .action(async (flags: ConnectionFlags & OutputFlags) =>
      (await import("../runs/whoami.ts")).runWhoami(flags),
    );
  return outputOptions(
    connectionOptions(
      withExamples(command, {
        "show the server and the user": "svc whoami",
        "only the email": "svc whoami --jq .email",
      }),
    ),
  );
}
