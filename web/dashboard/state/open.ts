// Runs before anything else is loaded, as a script of its own: the session leaves the address, and becomes a token, which
// the service sends with the dashboard.
import {
  publicIdOf,
  requestSignedInToken,
  requestToken,
  type TokenAnswer,
  usedSession,
} from "./first-requests.ts";

declare global {
  /** What the page did before its other scripts were there. */
  var opening: Opening;
}

/** The start of a page. */
export interface Opening {
  /** The session that the address had. */
  readonly sessionId: string | undefined;
  /** The answer to the request for a token; undefined on pages without a dashboard, and for a session that was used. */
  readonly answer: Promise<TokenAnswer> | undefined;
  /** Whether a part of the page is on the screen: a frame may be below what its host shows. */
  readonly isOnScreen: Promise<boolean>;
}

const parameters = new URLSearchParams(location.search);
const sessionId = parameters.get("session") ?? undefined;
// That it had one stays, so that a reload asks its host for another.
if (sessionId !== undefined) {
  parameters.set("session", usedSession);
  history.replaceState(null, "", `${location.pathname}?${parameters.toString()}`);
}

function ask(publicId: string): Promise<TokenAnswer> | undefined {
  if (publicId === "" || sessionId === usedSession) return undefined;
  const answer =
    sessionId === undefined
      ? requestSignedInToken(publicId, true)
      : requestToken(sessionId, publicId);
  // Whoever opens the dashboard takes the failure.
  answer.catch(() => undefined);
  return answer;
}

/** A frame that is not drawn for so long is not on the screen. */
const firstPictureMs = 100;

async function isFrameOnScreen(): Promise<boolean> {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver((entries) => {
      resolve(entries.some(({ isIntersecting }) => isIntersecting));
      observer.disconnect();
    });
    observer.observe(document.documentElement);
    setTimeout(() => resolve(false), firstPictureMs);
  });
}

globalThis.opening = {
  sessionId,
  answer: ask(publicIdOf(location.pathname)),
  isOnScreen: window.parent === window ? Promise.resolve(true) : isFrameOnScreen(),
};
