// Runs `svc` commands in reused processes, up to four at the same time.
import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pLimit from "p-limit";

/** A command with all inputs of a process. */
export interface CommandRequest {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** The number of columns if standard output is a terminal. */
  readonly columns?: number | undefined;
  readonly version: string;
}

/** The exit code and the output of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const script = new URL("./svc-worker-child.ts", import.meta.url);
const packageFile = join(import.meta.dirname, "../../package.json");
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };
const limit = pLimit(4);
const idle: ChildProcess[] = [];

/** Runs a command to its end. Fails if the process ends before. */
export function runInWorker(request: Omit<CommandRequest, "version">): Promise<CommandResult> {
  return limit(() => run(request));
}

async function run(request: Omit<CommandRequest, "version">): Promise<CommandResult> {
  const worker = idle.pop() ?? startWorker();
  keepAlive(worker, true);
  const result = await answer(worker, { ...request, version });
  keepAlive(worker, false);
  idle.push(worker);
  return result;
}

function startWorker(): ChildProcess {
  return fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

function answer(worker: ChildProcess, request: CommandRequest): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void =>
      reject(new Error(`svc ${request.args.join(" ")} ended its process with ${code}`));
    worker.once("exit", onExit);
    worker.once("message", (result: CommandResult) => {
      worker.off("exit", onExit);
      resolve(result);
    });
    worker.send(request);
  });
}

/** Sets whether the worker keeps the test run alive; an idle worker does not. */
function keepAlive(worker: ChildProcess, isRunning: boolean): void {
  if (isRunning) {
    worker.ref();
    worker.channel?.ref();
  } else {
    worker.unref();
    worker.channel?.unref();
  }
}
