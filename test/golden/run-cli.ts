// Runs the real command line without the settings of the user who runs the tests: in a reused process, or in a new one if
// the test is about the process.
import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  spawn,
  type SpawnOptionsWithoutStdio,
} from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { spawnSvc } from "../support/svc-program.ts";
import { type CommandResult, runInWorker } from "../support/svc-worker.ts";

export type { CommandResult };

const main = join(import.meta.dirname, "../../cli/main.ts");

/** Options of a run. */
export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Makes standard output a terminal with this number of columns. */
  readonly columns?: number;
  /** Flags for Node.js. */
  readonly node?: readonly string[];
}

/** A running command. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandResult>;
}

/** Starts the bundled program in a separate process, without a terminal on either side. */
export async function startSvc(
  args: readonly string[],
  how: Omit<CommandOptions, "node"> = {},
): Promise<RunningCommand> {
  return runningCommand(await spawnSvc(args, placeOf(how)), how);
}

function placeOf(how: CommandOptions): SpawnOptionsWithoutStdio {
  return { cwd: how.cwd ?? tmpdir(), env: environmentOf(how) };
}

function runningCommand(
  child: ChildProcessWithoutNullStreams,
  how: CommandOptions,
): RunningCommand {
  child.stdin.on("error", () => {});
  child.stdin.end(how.input ?? "");
  const outputs = Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, "close")]);
  return {
    child,
    ended: outputs.then(([out, err]) => ({ code: child.exitCode, out, err })),
  };
}

/** Returns the text of a stream until it ended or was cut off. */
function readAll(stream: Readable): Promise<string> {
  return text(stream).catch(() => "");
}

/** Runs a command to its end, in a separate process only if there are flags for Node.js. */
export function runSvc(args: readonly string[], how: CommandOptions = {}): Promise<CommandResult> {
  // Flags for node show the modules that are loaded, so the program is not bundled.
  if (how.node !== undefined) {
    const program = [...how.node, main, ...args];
    return runningCommand(spawn(process.execPath, program, placeOf(how)), how).ended;
  }
  const { cwd = tmpdir(), input = "", columns } = how;
  return runInWorker({ args, cwd, env: environmentOf(how), input, columns });
}

function environmentOf({ env }: CommandOptions): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  return { PATH, NODE_COMPILE_CACHE, HOME: tmpdir(), ...env };
}

/** A folder with files in it, by relative path. */
export interface TestFolder {
  readonly path: string;
  write(files: Readonly<Record<string, string>>): void;
  remove(): void;
}

/** Runs a command against a service; its configuration is kept in the folder. */
export function runOnService(
  { url, adminKey }: { readonly url: string; readonly adminKey: string },
  { path, cwd = tmpdir() }: Pick<TestFolder, "path"> & Pick<CommandOptions, "cwd">,
  args: readonly string[],
): Promise<CommandResult> {
  const XDG_CONFIG_HOME = join(path, ".config");
  return runSvc(args, { cwd, env: { SVC_API_URL: url, SVC_API_KEY: adminKey, XDG_CONFIG_HOME } });
}

/** Makes a folder; remove it after the test. */
export function makeFolder(files: Readonly<Record<string, string>>): TestFolder {
  const path = mkdtempSync(join(tmpdir(), "svc-cli-"));
  const write: TestFolder["write"] = (more) => {
    for (const [name, content] of Object.entries(more)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
    }
  };
  write(files);
  return { path, write, remove: () => rmSync(path, { recursive: true, force: true }) };
}
