// Ctrl-C: the first one stops between two calls, the second ends the process at once.
import { exits } from "./exit.ts";

/** How a run learns that it is to stop. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Told whether a person is being asked: nothing is in flight then, so stopping is not announced. */
  asking(isAsking: boolean): void;
  /** The exit code of a run that was stopped; undefined while nobody stopped it. */
  exit(): number | undefined;
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
  const onInterrupt = (): void => stop(exits.interrupted);
  const onTerminate = (): void => stop(exits.terminated);
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onTerminate);
  return {
    signal: controller.signal,
    asking: (now) => {
      isAsking = now;
    },
    exit: () => exit,
    dispose: () => {
      process.off("SIGINT", onInterrupt);
      process.off("SIGTERM", onTerminate);
    },
  };
}
