// Starts processes that apply a stack, for tests that kill them.
import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Environment variable with the API key of a process: every user of the machine can read its arguments. */
export const keyVariable = "SVC_TEST_KEY";

/** Environment in which processes share the cache of compiled modules, which halves the CPU time of their start. */
export const cachedModules = { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") };

const script = fileURLToPath(new URL("./apply-child.ts", import.meta.url));

/** What a process applies, and as whom. */
export interface ApplyProcessOptions {
  readonly folder: string;
  readonly url: string;
  readonly key: string;
  /** The run to undo; left out, the process applies the stack. */
  readonly run?: string | undefined;
}

/** Starts a process that applies a stack or undoes a run of it. */
export function spawnApply({ folder, url, key, run }: ApplyProcessOptions): ChildProcess {
  const args = [script, folder, url, ...(run === undefined ? [] : [run])];
  const env = { ...process.env, ...cachedModules, [keyVariable]: key };
  return spawn(process.execPath, args, { stdio: "ignore", env });
}
