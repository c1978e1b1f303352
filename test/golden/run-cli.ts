// Runs the real command line tool as a process of its own, away from the settings of whoever runs the tests.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

const main = join(import.meta.dirname, "../../cli/main.ts");

/** How a run ended. */
export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** How a run begins. */
export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Flags for node itself. */
  readonly node?: readonly string[];
}

/** A run that has begun. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandResult>;
}

/** Begins a run; it is not a terminal on either side. */
export function startSvc(args: readonly string[], how: CommandOptions = {}): RunningCommand {
  const child = spawn(process.execPath, [...(how.node ?? []), main, ...args], {
    cwd: how.cwd ?? tmpdir(),
    env: { PATH: process.env["PATH"], HOME: tmpdir(), ...how.env },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(how.input ?? "");
  const said = Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, "close")]);
  return {
    child,
    ended: said.then(([out, err]) => ({ code: child.exitCode, out, err })),
  };
}

/** What a stream said until it ended, or was cut off. */
function readAll(stream: Readable): Promise<string> {
  return text(stream).catch(() => "");
}

/** Runs to the end. */
export function runSvc(args: readonly string[], how: CommandOptions = {}): Promise<CommandResult> {
  return startSvc(args, how).ended;
}

/** A folder with files in it, by relative path. */
export interface TestFolder {
  readonly path: string;
  write(files: Readonly<Record<string, string>>): void;
  remove(): void;
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
