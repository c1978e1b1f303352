// Starts `svc apply` or `svc undo` in a separate process, which tests kill.
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { spawnSvc } from "./svc-program.ts";

/** The stack that a process applies, and its credential. */
export interface ApplyProcessOptions {
  readonly folder: string;
  readonly url: string;
  readonly key: string;
  /** The run to undo. By default, the process applies the stack. */
  readonly run?: string | undefined;
}

const approved = ["--yes", "--allow-deletes", "1000"];

/** Starts a process that applies a stack or undoes a run of it. */
export function spawnApply({ folder, url, key, run }: ApplyProcessOptions): Promise<ChildProcess> {
  const args = run === undefined ? ["apply", folder] : ["undo", run, folder];
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, ".config"),
    SVC_API_URL: url,
    SVC_API_KEY: key,
  };
  return spawnSvc([...args, ...approved], { stdio: "ignore", cwd: folder, env });
}
