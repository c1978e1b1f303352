// Ctrl-C: the first one stops between two calls, the second ends the process at once.
import { exitCodes } from "./exit-codes.ts";

/** How a run learns that it is to stop. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Told whether a person is being asked: nothing is in flight then, so stopping is not announced. */
  setPrompting(isAsking: boolean): void;
  /** The exit code of a run that was stopped; undefined while nobody stopped it. */
  exitCode(): number | undefined;
  /** Lets the process handle signals as before. */
  dispose(): void;
}

/** Listens for SIGINT and SIGTERM; `tell` is called with what is going to happen. */
export function listenForInterrupt(tell: (message: string) => void): Interrupt {
  const controller = new AbortController();
  let exit: number | undefined;
  let isAsking = false;
  const stop = (code: number): void => {
    if (exit !== undefined) process.exit(code);
    exit = code;
    // The failure that follows tells the rest; this ends the line of the question.
    tell(isAsking ? "\n" : "stopping after the calls in flight; once more ends it at once");
    controller.abort();
  };
  const onInterrupt = (): void => stop(exitCodes.interrupted);
  const onTerminate = (): void => stop(exitCodes.terminated);
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onTerminate);
  return {
    signal: controller.signal,
    setPrompting: (now) => {
      isAsking = now;
    },
    exitCode: () => exit,
    dispose: () => {
      process.off("SIGINT", onInterrupt);
      process.off("SIGTERM", onTerminate);
    },
  };
}
