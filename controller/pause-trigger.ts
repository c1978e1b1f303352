// What ends the pause between two reconciliations early, or keeps the next one from beginning.

/** The trigger of one loop. */
export interface PauseTrigger {
  /** Asks for a reconciliation, whatever the commit is. */
  readonly trigger: () => void;
  /** Asks for the reconciliation of a commit that another source has found, unless it is that of the last reconciliation. */
  readonly onNewCommit: (commit: string) => void;
  /** Returns the signal of the pause after the reconciliation of `commit`, which need not be repeated for itself. */
  readonly signalAfter: (commit: string | undefined) => AbortSignal;
  /** Forgets what was asked for. */
  readonly reset: () => void;
}

export function createPauseTrigger(): PauseTrigger {
  let pending = new AbortController();
  let newCommit: string | undefined;
  let lastCommit: string | undefined;
  let isRequested = false;
  const reset = (): void => {
    pending = new AbortController();
    newCommit = undefined;
    isRequested = false;
  };
  return {
    reset,
    trigger: () => {
      isRequested = true;
      pending.abort();
    },
    onNewCommit: (commit) => {
      if (commit === lastCommit) return;
      newCommit = commit;
      pending.abort();
    },
    signalAfter: (commit) => {
      lastCommit = commit;
      if (!isRequested && commit === newCommit) reset();
      return pending.signal;
    },
  };
}
