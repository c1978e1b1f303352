// `svc doctor`: finds problems with the installation, the credential and the server.
import { Command } from "commander";
import { connectionOptions } from "../shared/connection/connection.ts";
import { withExamples } from "../shared/help/examples.ts";
import { outputOptions } from "../shared/output/output-options.ts";
import type { Flags } from "../runs/doctor.ts";

/** Returns the `doctor` command. */
export function doctorCommand(version: string): Command {
  const command = new Command("doctor")
    .description(
      "Check the installation, Node.js, the installed plugins, the contexts, the server, its " +
        "clock, the credential and the newest notifications. Changes nothing. Shows how to fix each problem; exits with 1 " +
        "if there is an error.",
    )
    .action(async (flags: Flags) => (await import("../runs/doctor.ts")).runDoctor(flags, version));
  return outputOptions(
    connectionOptions(
      withExamples(command, {
        "check everything": "svc doctor",
        "print only what needs attention":
          "svc doctor --jq '.findings[] | select(.status != \"ok\") | .message'",
      }),
    ),
  );
}
