// The requests that open a page: for a token of its session, or of the viewer who signed in, and for the dashboard.

/** What the address has in place of a session that was used. */
export const usedSession = "used";

/** Returns the public ID in the path of a dashboard; "" for another path. */
export function publicIdOf(path: string): string {
  return decodeURIComponent(/^\/embed\/dashboard\/([^/]+)/u.exec(path)?.[1] ?? "");
}

/** Returns the path of the operation that reads a dashboard. */
export function dashboardPath(publicId: string): string {
  return `/api/v1/embed/dashboard/${encodeURIComponent(publicId)}`;
}

/** The answer to a request for a token. */
export interface TokenAnswer {
  readonly status: number;
  /** The body; null if it is not JSON. */
  readonly body: unknown;
}

/** Asks for the token of a session, and for a dashboard. */
export async function requestToken(
  sessionId: string,
  dashboardPublicId?: string,
): Promise<TokenAnswer> {
  return post("/api/v1/embed/session/token", { sessionId, dashboardPublicId });
}

/** Asks for a token of the user who is signed in, and for the dashboard if `dashboard` is true. */
export async function requestSignedInToken(
  publicId: string,
  dashboard = false,
): Promise<TokenAnswer> {
  return post("/auth/page-session", { publicId, dashboard });
}

async function post(path: string, sent: object): Promise<TokenAnswer> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(sent),
    credentials: "same-origin",
  });
  const body: unknown = await response.json().catch(() => null);
  return { status: response.status, body };
}
