// Handles Ctrl-C and SIGTERM: the first stops after the calls in flight, the second ends the process.
import { exitCodes } from "./exit-codes.ts";

/** The interruption of a run. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Set while the user is prompted: no call is in flight then, so stopping is not announced. */
  setPrompting(isAsking: boolean): void;
  /** Returns the exit code of an interrupted run; undefined otherwise. */
  exitCode(): number | undefined;
  /** Restores the previous signal handlers. */
  dispose(): void;
}

/** Handles SIGINT and SIGTERM; calls `report` with a message about what happens next. */
export function listenForInterrupt(report: (message: string) => void): Interrupt {
  const controller = new AbortController();
  let exit: number | undefined;
  let isAsking = false;
  const stop = (code: number, again: string): void => {
    if (exit !== undefined) process.exit(code);
    exit = code;
    // The failure that follows says the rest; this ends the line of the prompt.
    report(isAsking ? "\n" : `stopping after the calls in flight; ${again} to exit immediately`);
    controller.abort();
  };
  const onInterrupt = (): void => stop(exitCodes.interrupted, "press Ctrl-C again");
  const onTerminate = (): void => stop(exitCodes.terminated, "send SIGTERM again");
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
