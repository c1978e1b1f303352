// Pulumi's real engine, where there is one: on PATH, or built before by `npm run engines`.
import { execFile, type ExecFileException } from "node:child_process";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { describe } from "vitest";
import { findEngine } from "../../../scripts/engines.ts";
import type { Installed } from "./installed.ts";

const binary = findEngine("pulumi");

/** Whether there is one. */
export const isThere = binary !== undefined;

/** What skipped tests say. */
export const missing = "pulumi is neither on PATH nor built";

/** The file of the engine; fails where there is none. */
export function binaryOf(): string {
  if (binary === undefined) throw new Error(missing);
  return binary;
}

/** Tests under the real engine; a counted skip where there is none. */
export function underPulumi(what: string, tests: () => void): void {
  const name = isThere ? `${what} under pulumi` : `${what} under pulumi (${missing})`;
  describe.skipIf(!isThere)(name, { timeout: 300_000 }, tests);
}

/** How a command ended. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** What commands are run with: a state folder and a passphrase of their own, and no word to anybody outside. */
export function environmentOf({ folder, home }: Installed): Record<string, string> {
  const path = [dirname(process.execPath), dirname(binaryOf()), process.env["PATH"] ?? ""];
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

/** Runs a program to its end. */
export async function ended(
  command: readonly [string, ...string[]],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<Ended> {
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

/** Runs `pulumi` to its end. */
export async function pulumi(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<Ended> {
  const all = [...args, "--non-interactive", "--color", "never"];
  return ended([binaryOf(), ...all], options);
}
