// Finds and runs Pulumi's real engine, if `pulumi` is on PATH.
import { execFile, type ExecFileException } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe } from "vitest";
import type { Installation } from "./installation.ts";

const binary = findOnPath("pulumi");

/** True if the engine is installed. */
export const isPulumiInstalled =
  binary !== undefined && findOnPath("pulumi-language-nodejs") !== undefined;

/** Reason of skipped tests. */
export const pulumiMissing = "pulumi and pulumi-language-nodejs are not on PATH";

/** Returns the path of a program on PATH; undefined if there is none. */
export function findOnPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Returns the path of the engine; throws if it is not installed. */
export function pulumiBinary(): string {
  if (binary === undefined) throw new Error(pulumiMissing);
  return binary;
}

/** Declares tests under the real engine, skipped if it is not installed. */
export function describeWithPulumi(what: string, tests: () => void): void {
  const name = isPulumiInstalled
    ? `${what} under pulumi`
    : `${what} under pulumi (${pulumiMissing})`;
  describe.skipIf(!isPulumiInstalled)(name, { timeout: 300_000 }, tests);
}

/** The result of a command. */
export interface CommandResult {
  readonly code: number;
  readonly output: string;
}

/** Returns an environment with its own state folder and passphrase, and without network access to Pulumi. */
export function commandEnvironment({ folder, home }: Installation): Record<string, string> {
  const path = [dirname(process.execPath), dirname(pulumiBinary()), process.env["PATH"] ?? ""];
  return {
    PATH: path.join(":"),
    HOME: folder,
    PULUMI_HOME: home,
    PULUMI_BACKEND_URL: pathToFileURL(folder).href,
    PULUMI_CONFIG_PASSPHRASE: "of the tests",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    SVC_NODE: process.execPath,
  };
}

/** Runs a command and waits for it. */
export async function runCommand(
  command: readonly [string, ...string[]],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<CommandResult> {
  const [file, ...args] = command;
  return new Promise((resolve) => {
    execFile(
      file,
      args,
      { ...options, maxBuffer: 1 << 26, timeout: 240_000 },
      (error, out, err) => {
        const { code } = (error ?? {}) as ExecFileException;
        const status = error === null ? 0 : typeof code === "number" ? code : 1;
        resolve({ code: status, output: `${out}${err}` });
      },
    );
  });
}

/** Runs `pulumi` and waits for it. */
export async function runPulumi(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<CommandResult> {
  const all = [...args, "--non-interactive", "--color", "never"];
  return runCommand([pulumiBinary(), ...all], options);
}
