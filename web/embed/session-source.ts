// Sessions from the host's backend: the first, and others when the page asks.

/** A page that refuses each session gets one this often at most. */
const pauseMs = 5000;

/** Where sessions go. */
export interface SessionUse {
  readonly fetchSession: () => Promise<string>;
  /** Takes a session for a page that is to be loaded. */
  readonly load: (sessionId: string) => void;
  /** Takes a session for the page that is there. */
  readonly renew: (sessionId: string) => void;
  readonly fail: (message: string, fatal: boolean) => void;
}

/** Fetches sessions. What comes after `stop` is dropped. */
export interface SessionSource {
  /** Fetches a session for a page that is to be loaded. */
  start(): void;
  /** Fetches another session for the page that is there, unless that happens already. */
  renew(): void;
  stop(): void;
}

/** Creates the source. */
export function createSessionSource({
  fetchSession,
  load,
  renew,
  fail,
}: SessionUse): SessionSource {
  let isStopped = false;
  let isBusy = false;
  /** Counts fetches: only the last one matters. */
  let last = 0;
  const fetchFor = async (use: (sessionId: string) => void, fatal: boolean): Promise<void> => {
    const turn = ++last;
    const isOver = (): boolean => isStopped || turn !== last;
    isBusy = true;
    try {
      const sessionId: unknown = await fetchSession();
      if (isOver()) return;
      if (typeof sessionId !== "string" || sessionId === "") {
        throw new TypeError("fetchSession returned no session ID");
      }
      use(sessionId);
    } catch (error) {
      if (!isOver()) fail(error instanceof Error ? error.message : String(error), fatal);
    }
    const end = (): void => {
      if (turn === last) isBusy = false;
    };
    if (fatal) end();
    else setTimeout(end, pauseMs);
  };
  return {
    start: () => void fetchFor(load, true),
    renew() {
      if (!isBusy) void fetchFor(renew, false);
    },
    stop() {
      isStopped = true;
    },
  };
}
