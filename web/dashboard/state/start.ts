// What a page does while its other files are loaded: the session leaves the address and becomes a token, and the dashboard is
// asked for. With the modules that it exports it is the first file that runs, and a small one.
import type { JsonValue } from "../../../core/json.ts";
import { createApi, RequestFailure } from "./api.ts";
import {
  dashboardPath,
  exchange,
  publicIdOf,
  signedInToken,
  usedSession,
} from "./first-requests.ts";

export * from "./api.ts";
export * from "./first-requests.ts";

/** The parameters of the address. */
export const parameters = new URLSearchParams(location.search);
/** The session in the address; undefined for a page that the viewer signs in to. */
export const sessionId = parameters.get("session") ?? undefined;
// The session leaves the address before anything else is loaded. That it had one stays, so that a reload asks its host
// for another.
if (sessionId !== undefined) {
  parameters.set("session", usedSession);
  history.replaceState(null, "", `${location.pathname}?${parameters.toString()}`);
}

/** The first requests of the page of a dashboard. */
export interface FirstRequests {
  readonly token: Promise<string>;
  /** The answer of the service. */
  readonly dashboard: Promise<JsonValue>;
}

const publicId = publicIdOf(location.pathname);
/** Undefined on pages without a dashboard. */
export const firstRequests = publicId === "" ? undefined : ask();

function ask(): FirstRequests {
  const token = sessionId === undefined ? signedInToken(publicId) : exchange(sessionId);
  const dashboard = token.then((current) => {
    const renew = () => Promise.reject(new RequestFailure("session", ""));
    return createApi({ current: () => Promise.resolve(current), renew }).send(
      dashboardPath(publicId),
    );
  });
  // Whoever opens the dashboard takes the failures.
  dashboard.catch(() => undefined);
  return { token, dashboard };
}

let isSeen = false;
new IntersectionObserver((entries) => {
  isSeen = entries.some(({ isIntersecting }) => isIntersecting);
}).observe(document.documentElement);

/** Returns whether a part of the page is on the screen: a frame may be below what its host shows. */
export function isOnScreen(): boolean {
  return isSeen;
}
