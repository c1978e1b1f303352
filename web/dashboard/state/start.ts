// What a page does while its other files are loaded: the session leaves the address and becomes a token, which the service
// sends with the dashboard. With the modules that it exports it is the first file that runs, and a small one.
import type { JsonValue } from "../../../core/json.ts";
import { createApi, RequestFailure } from "./api.ts";
import {
  dashboardPath,
  exchange,
  openSignedIn,
  publicIdOf,
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
  const opened =
    sessionId === undefined ? openSignedIn(publicId, true) : exchange(sessionId, publicId);
  const token = opened.then((one) => one.token);
  const dashboard = opened.then((one) => {
    if (one.dashboard !== undefined) return one.dashboard;
    // This request fails, and says why.
    const renew = () => Promise.reject(new RequestFailure("session", ""));
    const tokens = { current: () => Promise.resolve(one.token), renew };
    return createApi(tokens).send(dashboardPath(publicId));
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
