// `svc logout`: ends the sign-in of a context and removes it.
import { Command } from "commander";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/logout.ts";

/** Returns the `logout` command. */
export function logoutCommand(): Command {
  const command = new Command("logout")
    .description(
      "Revoke the tokens of a context and remove it. An API key stays valid on the server.",
    )
    .option("--name <name>", "name of the context (default: the active one)")
    .action(async (flags: Flags) => (await import("../runs/logout.ts")).runLogout(flags));
  return withExamples(command, {
    "sign out of the active context": "svc logout",
    "of another one": "svc logout --name staging",
  });
}
