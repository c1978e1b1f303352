// `svc serve` and `svc admin`: the commands of the service package, loaded where that package is installed.
import type { Command } from "commander";
import { Failure } from "../../core/errors.ts";
import { type Examples, withExamples } from "../shared/help/examples.ts";

/** Loads `svc serve`; fails where the service package is not installed. */
export async function serveCommand(version: string): Promise<Command> {
  return withExamples((await loadService(version)).serveCommand(), {
    "run a service for one account": "svc serve --data data",
    "and write its address and key to a file": "svc serve --data data --ready-file ready.json",
  });
}

/** Loads `svc admin`; fails where the service package is not installed. */
export async function adminCommand(version: string): Promise<Command> {
  const admin = (await loadService(version)).adminCommand();
  for (const command of admin.commands) withExamples(command, adminExamples[command.name()] ?? {});
  return admin;
}

const adminExamples: Readonly<Record<string, Examples>> = {
  backup: { "copy an account": "svc admin backup backups/monday --data data" },
  restore: { "restore it into an empty folder": "svc admin restore backups/monday --data data" },
  "rotate-key": { "encrypt with a new key": "svc admin rotate-key --data data" },
  "set-password": {
    "set the password of a user":
      "svc admin set-password --data data --user ana --password-file password.txt",
  },
};

/** The name under which the bundle imports the module below. */
const servicePackage = "svc-as-code-service";

async function loadService(version: string) {
  try {
    return await import("../../service/cli/commands.ts");
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new Failure("usage", `the package ${servicePackage} is not installed`, {
      remedy: `Install its archive of the release ${version} next to svc, with npm install FILE.`,
      cause,
    });
  }
}

/** True if the package itself is missing, and not one of its dependencies. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${servicePackage}'`);
}
