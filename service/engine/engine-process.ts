// A process that answers calls: started without environment variables, but authorities, in a separate folder, and ended by its server.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { EngineAnswer, EngineCall } from "./engine-messages.ts";

/** A call with an answer. */
type AnsweredCall = Extract<
  EngineCall,
  { kind: "open" | "open-rollup" | "run" | "store" | "store-rows" | "usage" }
>;

/** Receives the partial results of a call. */
export type OnPart = (part: Extract<EngineAnswer, { kind: "rows" | "used" }>) => void;

/** A process. */
export interface EngineProcess {
  readonly pid: number | undefined;
  /** Its folder, which is removed with it. */
  readonly folder: string;
  /**
   * Sends a call and waits for its end. Throws the failure that the process reports, or the failure of a process that
   * ended.
   */
  call(call: AnsweredCall, onPart?: OnPart): Promise<void>;
  /** Sends a message without an answer. */
  send(message: EngineCall): void;
  /** Ends the process immediately. */
  stop(): Promise<void>;
}

interface OpenCall {
  readonly resolve: () => void;
  readonly reject: (error: Failure) => void;
  readonly onPart: OnPart | undefined;
}

/** Starts a process. `onEnd` is called once it can answer no more calls. */
export async function startEngineProcess(entry: URL, onEnd: () => void): Promise<EngineProcess> {
  const folder = await mkdtemp(join(tmpdir(), "svc-engine-"));
  const { NODE_EXTRA_CA_CERTS: authorities } = process.env;
  const child = fork(entry, {
    cwd: folder,
    // Authorities of the operator, which databases can have certificates of.
    env: authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities },
    // Options of the server's process do not apply to this process.
    execArgv: [`--max-old-space-size=${limits.engineHeapMegabytes}`],
    // Copies texts and bytes unchanged, which JSON would escape.
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // A server that stops does not wait for this process, which ends when the channel closes.
  child.unref();
  child.channel?.unref();
  const open = new Map<number, OpenCall>();
  const end = (reason: string) => {
    onEnd();
    for (const { reject } of open.values()) reject(endedFailure(reason));
    open.clear();
    void rm(folder, { recursive: true, force: true });
  };
  child.on("message", (answer: EngineAnswer) => take(open, answer));
  child.once("exit", (code, signal) => end(signal ?? `exit status ${code}`));
  child.once("error", (error) => end(error.message));
  return {
    pid: child.pid,
    folder,
    call: (call, onPart) => callProcess({ child, open }, call, onPart),
    send: (message) => void (child.connected && child.send(message, ignoreError)),
    async stop() {
      onEnd();
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.ref();
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function callProcess(
  { child, open }: { readonly child: ChildProcess; readonly open: Map<number, OpenCall> },
  call: AnsweredCall,
  onPart: OnPart | undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  open.set(call.id, { resolve, reject, onPart });
  // A server that stops waits only for open calls.
  child.channel?.ref();
  try {
    if (!child.connected) throw endedFailure("its channel is closed");
    child.send(call, ignoreError);
    await promise;
  } finally {
    open.delete(call.id);
    if (open.size === 0) child.channel?.unref();
  }
}

/** A message that cannot be sent is followed by the end of the process, which reports it. */
const ignoreError = (): void => undefined;

function take(open: Map<number, OpenCall>, answer: EngineAnswer): void {
  const call = open.get(answer.id);
  if (answer.kind === "rows" || answer.kind === "used") return call?.onPart?.(answer);
  if (answer.kind === "done") return call?.resolve();
  const { code, message, cause } = answer;
  const detail = cause === undefined ? {} : { cause: new Error(cause) };
  call?.reject(new Failure(code, message, detail));
}

function endedFailure(reason: string): Failure {
  return new Failure(
    "limit_reached",
    `the process of the query engine ended (${reason}), as it does without enough memory; filter or group more, or send the query again`,
  );
}
