// Sessions from the host's backend: the first, and others when the page asks.
import { createBackOff } from "./back-off.ts";

/** The form of the IDs that the service creates. */
export const sessionIdForm = /^[0-9a-f]{32}$/;

/** Where sessions go. */
export interface SessionUse {
  readonly fetchSession: () => Promise<string>;
  /** Takes a session for a page that is to be loaded. */
  readonly load: (sessionId: string) => void;
  /** Takes a session for the page that is there. */
  readonly renew: (sessionId: string) => void;
  readonly fail: (message: string, fatal: boolean) => void;
}

/** Fetches sessions until the page accepts one, with pauses that grow. What comes after `stop` is dropped. */
export interface SessionSource {
  /** Fetches a session now, for a page that is to be loaded. */
  start(): void;
  /** Fetches another session for the page that is there, unless that happens already. */
  renew(): void;
  /** The page accepted a session. */
  accepted(): void;
  /** Ends the pause before the next attempt. */
  hurry(): void;
  stop(): void;
}

/** Creates the source. */
export function createSessionSource({
  fetchSession,
  load,
  renew,
  fail,
}: SessionUse): SessionSource {
  let use = load;
  let isFetching = false;
  /** Counts fetches: only the last one matters. */
  let last = 0;
  const fetchOne = async (): Promise<void> => {
    const turn = ++last;
    isFetching = true;
    try {
      const found = checked(await fetchSession());
      if (turn === last) use(found);
    } catch (error) {
      if (turn !== last) return;
      fail(error instanceof Error ? error.message : String(error), use === load);
      attempts.plan();
    } finally {
      if (turn === last) isFetching = false;
    }
  };
  const attempts = createBackOff(() => void fetchOne());
  return {
    start() {
      use = load;
      attempts.reset();
      attempts.plan();
      attempts.hurry();
    },
    renew() {
      if (isFetching || attempts.isPlanned()) return;
      use = renew;
      attempts.plan();
    },
    accepted: () => attempts.reset(),
    hurry: () => attempts.hurry(),
    stop() {
      last++;
      attempts.reset();
    },
  };
}

/** Returns what `fetchSession` returned if it is the ID of a session. The message has no part of it, because it may be secret. */
function checked(found: unknown): string {
  if (typeof found === "string" && sessionIdForm.test(found)) return found;
  const what = typeof found === "string" ? `a text of ${found.length} characters` : typeof found;
  throw new TypeError(
    `fetchSession returned ${what}, not the ID of a session. Check that the answer of your backend is ok, and return its sessionId`,
  );
}
