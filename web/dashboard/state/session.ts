// The session of the page: its token is in memory only, and is renewed without a reload.
import { isObject } from "../../../core/json.ts";
import { failureKind, RequestFailure, type TokenSource } from "./api.ts";
import { readClaims, type Viewer } from "./page-info.ts";

/** A token is renewed this long before it ends. */
const marginMs = 3_600_000;
/** How long the page waits for its host to hand in a session. */
const hostWaitMs = 30_000;

/** What the address has in place of a session that was used. */
export const usedSession = "used";

/** The session of the page. */
export interface Session extends TokenSource {
  /** Starts: exchanges the session of the address, or the sign-in of the viewer. */
  start(): Promise<Viewer>;
  /** Takes a session that the host hands in. Returns whether it is for the same viewer. */
  accept(sessionId: string): Promise<boolean>;
  /** Takes a token. Returns whether it is for the same viewer. */
  take(token: string): boolean;
}

/** Where a session comes from. */
export interface SessionOptions {
  /** The session in the address; undefined for a page that the viewer signs in to. */
  readonly sessionId: string | undefined;
  readonly publicId: string;
  /** Asks the host of the frame for another session; undefined if the page has no host. */
  readonly askHost: (() => void) | undefined;
}

/** Creates the session. */
export function createSession({ sessionId, publicId, askHost }: SessionOptions): Session {
  let token: string | undefined;
  let expiresAt = 0;
  let renewal: Promise<string> | undefined;
  let waiting: PromiseWithResolvers<string> | undefined;

  const take = (next: string): boolean => {
    const viewer = readClaims(next);
    const isSame = token !== undefined && isSameViewer(readClaims(token), viewer);
    token = next;
    ({ expiresAt } = viewer);
    return isSame;
  };
  const fromHost = async (): Promise<string> => {
    if (askHost === undefined) throw new RequestFailure("session", "");
    waiting = Promise.withResolvers<string>();
    const timer = setTimeout(() => waiting?.reject(new RequestFailure("session", "")), hostWaitMs);
    askHost();
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
      waiting = undefined;
    }
  };
  const isSigned = sessionId !== undefined;
  const taken = async (next: Promise<string>): Promise<string> => {
    take(await next);
    return next;
  };
  const renewOnce = (): Promise<string> => {
    renewal ??= taken(isSigned ? fromHost() : signedInToken(publicId)).finally(() => {
      renewal = undefined;
    });
    return renewal;
  };
  return {
    async start() {
      const first = () => taken(isSigned ? exchange(sessionId) : signedInToken(publicId));
      return readClaims(token ?? (await first()));
    },
    async current() {
      if (token === undefined) throw new RequestFailure("session", "");
      // Requests keep the old token while the next one is fetched.
      if (expiresAt - Date.now() < marginMs) void renewOnce().catch(() => undefined);
      return token;
    },
    async renew(refused) {
      return token !== undefined && token !== refused ? token : renewOnce();
    },
    async accept(next) {
      const fresh = await exchange(next);
      const isSame = take(fresh);
      waiting?.resolve(fresh);
      return isSame;
    },
    take,
  };
}

/** Returns whether two tokens are for one viewer, with the same rights and settings. */
function isSameViewer(one: Viewer, other: Viewer): boolean {
  return JSON.stringify(one) === JSON.stringify({ ...other, expiresAt: one.expiresAt });
}

/** Exchanges a session for its token. */
async function exchange(sessionId: string): Promise<string> {
  if (sessionId === usedSession) throw new RequestFailure("session", "");
  return post("/api/v1/embed/session/token", { sessionId });
}

/** Returns a token for the user who is signed in. */
async function signedInToken(publicId: string): Promise<string> {
  return post("/auth/page-session", { publicId });
}

async function post(path: string, body: object): Promise<string> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      credentials: "same-origin",
    });
  } catch {
    throw new RequestFailure("offline", "");
  }
  const answer: unknown = await response.json().catch(() => null);
  const token = isObject(answer) ? answer["token"] : undefined;
  if (response.ok && typeof token === "string") return token;
  throw new RequestFailure(failureKind(response.status), "");
}
