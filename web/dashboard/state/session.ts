// The session of the page: its token is in memory only, and is renewed without a reload.
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { failureKind, RequestFailure, type TokenSource } from "./api.ts";
import {
  requestSignedInToken,
  requestToken,
  type TokenAnswer,
  usedSession,
} from "./first-requests.ts";
import { readClaims, type Viewer } from "./page-info.ts";

/** A token is renewed this long before it ends. */
const marginMs = 3_600_000;
/** How long the page waits for its host to hand in a session. */
const hostWaitMs = 30_000;

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
  /** A token that is already asked for. */
  readonly firstToken: Promise<string> | undefined;
  /** Asks the host of the frame for another session; undefined if the page has no host. */
  readonly askHost: (() => void) | undefined;
}

/** Creates the session. */
export function createSession({
  sessionId,
  publicId,
  firstToken,
  askHost,
}: SessionOptions): Session {
  let starting = firstToken;
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
  const signIn = async (): Promise<string> =>
    (await readOpened(requestSignedInToken(publicId))).token;
  const taken = async (next: Promise<string>): Promise<string> => {
    take(await next);
    return next;
  };
  const renewOnce = (): Promise<string> => {
    renewal ??= taken(isSigned ? fromHost() : signIn()).finally(() => {
      renewal = undefined;
    });
    return renewal;
  };
  return {
    async start() {
      if (token !== undefined) return readClaims(token);
      starting ??= isSigned ? exchange(sessionId) : signIn();
      try {
        return readClaims(await taken(starting));
      } finally {
        starting = undefined;
      }
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

/** The token of a session, and the dashboard that was asked for with it if the service returned it. */
export interface Opened {
  readonly token: string;
  readonly dashboard: JsonValue | undefined;
}

/** Reads the answer to a request for a token. Throws a {@link RequestFailure} if there is none. */
export async function readOpened(answered: Promise<TokenAnswer>): Promise<Opened> {
  let answer: TokenAnswer;
  try {
    answer = await answered;
  } catch {
    throw new RequestFailure("offline", "");
  }
  const { status, body } = answer;
  const { token, dashboard }: JsonObject = isObject(body) ? body : {};
  if (status === 200 && typeof token === "string") return { token, dashboard };
  throw new RequestFailure(failureKind(status), "");
}

async function exchange(sessionId: string): Promise<string> {
  if (sessionId === usedSession) throw new RequestFailure("session", "");
  return (await readOpened(requestToken(sessionId))).token;
}

/** Returns whether two tokens are for one viewer, with the same rights and settings. */
function isSameViewer(one: Viewer, other: Viewer): boolean {
  return JSON.stringify(one) === JSON.stringify({ ...other, expiresAt: one.expiresAt });
}
