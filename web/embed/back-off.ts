// Repeats what failed, with pauses that grow up to a minute. Pure but for its timer.

const shortestMs = 1000;
const longestMs = 60_000;

/** Repeats an action. */
export interface BackOff {
  /** Whether the action waits for its next turn. */
  readonly isPlanned: () => boolean;
  /** Plans the action: at once after a success, otherwise after a pause that is twice as long as the one before. */
  plan(): void;
  /** Does a planned action now. */
  hurry(): void;
  /** Drops a planned action, and begins with short pauses again: there was a success, or there will be no more. */
  reset(): void;
}

/** Creates the loop of an action. */
export function createBackOff(act: () => void): BackOff {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = 0;
  const run = (): void => {
    clearTimeout(timer);
    timer = undefined;
    act();
  };
  return {
    isPlanned: () => timer !== undefined,
    plan() {
      if (timer !== undefined) return;
      timer = setTimeout(run, waitMs);
      waitMs = Math.min(longestMs, waitMs * 2 || shortestMs);
    },
    hurry() {
      if (timer === undefined) return;
      waitMs = shortestMs;
      run();
    },
    reset() {
      clearTimeout(timer);
      timer = undefined;
      waitMs = 0;
    },
  };
}
