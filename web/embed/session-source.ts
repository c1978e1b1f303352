// Sessions from the host's backend: the first, and others when the page asks.

/** A page that refuses each session gets one this often at most. */
const pauseMs = 5000;

/** Where sessions go. */
export interface SessionUse {
  readonly fetchSession: () => Promise<string>;
  /** Takes the first session. */
  readonly load: (sessionId: string) => void;
  /** Takes a session for the page that is there. */
  readonly renew: (sessionId: string) => void;
  readonly fail: (message: string, fatal: boolean) => void;
}

/** Fetches sessions. What comes after `stop` is dropped. */
export interface SessionSource {
  start(): void;
  /** Fetches another session, unless that happens already. */
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
  const fetchFor = async (use: (sessionId: string) => void, fatal: boolean): Promise<void> => {
    try {
      const sessionId: unknown = await fetchSession();
      if (isStopped) return;
      if (typeof sessionId !== "string" || sessionId === "") {
        throw new TypeError("fetchSession returned no session ID");
      }
      use(sessionId);
    } catch (error) {
      if (!isStopped) fail(error instanceof Error ? error.message : String(error), fatal);
    }
  };
  return {
    start: () => void fetchFor(load, true),
    renew() {
      if (isBusy) return;
      isBusy = true;
      void fetchFor(renew, false).then(() =>
        setTimeout(() => {
          isBusy = false;
        }, pauseMs),
      );
    },
    stop() {
      isStopped = true;
    },
  };
}
