// `svc login`: signs in to a server and saves a context.
import { Command } from "commander";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/login.ts";

/** Returns the `login` command. */
export function loginCommand(): Command {
  const command = new Command("login")
    .description(
      "Sign in to a server and save the credential as a context. Prints an address and a code: " +
        "approve the login there, in any browser. Commands use the active context where neither " +
        "flags nor the environment name a server.",
    )
    .option("--url <url>", "origin of the server (default: SVC_API_URL, else the active context)")
    .option("--name <name>", "name of the context (default: the host of the server)")
    .option("--no-browser", "print the address without opening it")
    .option("--api-key-file <file>", "sign in with the API key in this file, - for standard input")
    .action(async (flags: Flags) => (await import("../runs/login.ts")).runLogin(flags));
  return withExamples(command, {
    "sign in with the browser": "svc login --url https://acme.example.com",
    "sign in with an API key in a file":
      "svc login --url https://acme.example.com --api-key-file key.txt",
  });
}
