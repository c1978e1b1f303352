// `svc serve` and `svc admin`: the commands of the service package, loaded where that package is installed.
import type { Command } from "commander";
import { Failure } from "../../core/errors.ts";

/** Loads `svc serve`; fails where the service package is not installed. */
export async function serveCommand(version: string): Promise<Command> {
  return (await loadService(version)).serveCommand();
}

/** Loads `svc admin`; fails where the service package is not installed. */
export async function adminCommand(version: string): Promise<Command> {
  return (await loadService(version)).adminCommand();
}

/** The name under which the bundle imports the module below. */
const servicePackage = "svc-as-code-service";

async function loadService(version: string) {
  try {
    return await import("../../service/cli/commands.ts");
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new Failure("usage", `the package ${servicePackage} is not installed`, {
      remedy: `Install it beside svc: npm install ${servicePackage}@${version}`,
      cause,
    });
  }
}

/** True where the package itself is missing, and not one that it needs. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${servicePackage}'`);
}
