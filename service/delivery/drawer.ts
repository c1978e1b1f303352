// Draws dashboards in a separate process with limits of time and memory. All accounts of a server share it.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import pLimit from "p-limit";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { entryFile } from "../model/entry-file.ts";
import type { DrawAnswer, DrawTask } from "./draw-process.ts";
import type { Picture, PictureFormat } from "./draw/picture-input.ts";

/** Draws dashboards. */
export interface Drawer {
  /**
   * Returns the file of a dashboard. Throws `limit_reached` beyond the limits of time, memory or size, `unavailable` if too
   * many wait, and `aborted`.
   */
  draw(picture: Picture, format: PictureFormat, signal: AbortSignal): Promise<Buffer>;
  /** Ends the process. */
  close(): Promise<void>;
}

/** Creates a drawer. It starts its process for the first drawing. */
export function createDrawer(): Drawer {
  // One at a time: a picture needs much memory for a short time.
  const inTurn = pLimit(1);
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;
  let lastId = 0;
  const stop = async (): Promise<void> => {
    clearTimeout(idle);
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, "exit");
    ending.ref();
    ending.kill("SIGKILL");
    await ended;
  };
  const run = async (task: DrawTask, signal: AbortSignal): Promise<Buffer> => {
    clearTimeout(idle);
    if (isClosed || signal.aborted) throw abortedFailure();
    child ??= startProcess();
    const late = AbortSignal.timeout(limits.drawMs);
    try {
      return await fileOf(child, task, { late, stopping: signal });
    } catch (error) {
      // A process that failed or was interrupted is not used again.
      await stop();
      throw error;
    } finally {
      child?.unref();
      child?.channel?.unref();
      idle = setTimeout(() => void stop(), limits.drawIdleMs).unref();
    }
  };
  return {
    async draw(picture, format, signal) {
      if (inTurn.pendingCount >= limits.drawsWaiting) {
        throw new Failure("unavailable", "too many dashboards are being drawn; try again");
      }
      return inTurn(() => run({ id: ++lastId, picture, format }, signal));
    },
    async close() {
      isClosed = true;
      await stop();
    },
  };
}

function startProcess(): ChildProcess {
  return fork(entryFile("./draw-process.ts", import.meta.url), {
    env: {},
    // Options of the server's process do not apply to this process.
    execArgv: [`--max-old-space-size=${limits.drawHeapMegabytes}`],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

async function fileOf(
  child: ChildProcess,
  task: DrawTask,
  { late, stopping }: { readonly late: AbortSignal; readonly stopping: AbortSignal },
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const onMessage = (answer: DrawAnswer): void => {
    if (answer.id !== task.id) return;
    if ("problem" in answer) reject(new Error(`a dashboard cannot be drawn: ${answer.problem}`));
    else if (answer.file.byteLength > limits.drawBytes) reject(tooLarge("its file is too large"));
    else resolve(Buffer.from(answer.file));
  };
  const onEnd = (): void => reject(tooLarge("it needs too much memory"));
  const onLate = (): void =>
    reject(tooLarge(`it takes longer than ${limits.drawMs / 1000} seconds`));
  const onStop = (): void => reject(abortedFailure());
  child.on("message", onMessage).once("exit", onEnd).once("error", onEnd);
  late.addEventListener("abort", onLate, { once: true });
  stopping.addEventListener("abort", onStop, { once: true });
  try {
    child.ref();
    child.channel?.ref();
    child.send(task, () => undefined);
    return await promise;
  } finally {
    child.off("message", onMessage).off("exit", onEnd).off("error", onEnd);
    late.removeEventListener("abort", onLate);
    stopping.removeEventListener("abort", onStop);
  }
}

function tooLarge(reason: string): Failure {
  return new Failure("limit_reached", `the dashboard cannot be drawn: ${reason}`);
}

function abortedFailure(): Failure {
  return new Failure("aborted", "the drawing was stopped");
}
