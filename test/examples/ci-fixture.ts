// Runs the scripts of examples/ci in a separate environment, with a stand-in for the API of a forge.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import {
  type SharedLauncher,
  startSharedLauncher,
  writeSvcLauncher,
} from "../support/svc-launcher.ts";
import type { TestService } from "../support/test-service.ts";
import { listen } from "../support/listen.ts";

/** The result of a command. */
export interface CommandResult {
  readonly code: number;
  /** The output on both streams. */
  readonly output: string;
}

/** The folder of a command, and additional environment variables. */
export interface RunOptions {
  readonly cwd: string;
  readonly env?: object;
}

/** Runs a command with only this environment. */
export function runIn(
  env: Readonly<Record<string, string>>,
  command: string,
  how: RunOptions & { readonly args: readonly string[] },
): Promise<CommandResult> {
  const options = { cwd: how.cwd, env: { ...env, ...how.env } };
  return new Promise((resolve) => {
    const child = execFile(command, how.args, options, (error, out, err) => {
      const code = error === null ? 0 : Number(error.code ?? -1);
      resolve({ code, output: `${out}${err}` });
    });
    child.stdin?.end();
  });
}

/** A request to a forge. */
export interface ForgeRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly body: unknown;
}

/** Starts a stub of a forge: it returns the given answers, and records the requests. */
export async function startForge(
  comments: readonly { id: number; body: string }[],
): Promise<{ server: Server; url: string; requests: ForgeRequest[] }> {
  const requests: ForgeRequest[] = [];
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const token = headers.authorization ?? String(headers["private-token"]);
    void text(request).then((sent) => {
      requests.push({ method, url, token, body: sent === "" ? undefined : JSON.parse(sent) });
      response.end(JSON.stringify(method === "GET" ? comments : {}));
    });
  });
  const url = await listen(server);
  return { server, url, requests };
}

/**
 * Creates a home folder for running scripts, with `svc` on the path and without the Git settings of this machine.
 * `isShared` runs all commands in shared processes until the launcher is closed.
 */
export async function openWorkFolder({ isShared = false } = {}): Promise<{
  readonly workFolder: string;
  readonly env: Record<string, string>;
  readonly launcher: SharedLauncher | undefined;
}> {
  const workFolder = mkdtempSync(path.join(tmpdir(), "svc-ci-"));
  const bin = path.join(workFolder, "bin");
  mkdirSync(bin);
  const launcher = isShared ? await startSharedLauncher(bin) : undefined;
  if (launcher === undefined) await writeSvcLauncher(bin);
  const env = {
    PATH: `${bin}:${path.dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: workFolder,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
  };
  return { workFolder, env, launcher };
}

/** Returns the secrets for a service that a forge gives to its jobs. */
export function secretsOf({ url, adminKey }: TestService): Record<string, string> {
  return { SVC_API_URL: url, SVC_API_KEY: adminKey, SVC_FINGERPRINT_KEY: "k".repeat(40) };
}
