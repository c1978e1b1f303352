// The requests that open a page: a token for its session, or for the sign-in of the viewer, and the dashboard.
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { failureKind, RequestFailure } from "./api.ts";

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

/** The token of a session, and the dashboard that was asked for with it if the service returned it. */
export interface Opened {
  readonly token: string;
  readonly dashboard: JsonValue | undefined;
}

/** Exchanges a session for its token, and asks for a dashboard with it. */
export async function exchange(sessionId: string, dashboardPublicId?: string): Promise<Opened> {
  if (sessionId === usedSession) throw new RequestFailure("session", "");
  return post("/api/v1/embed/session/token", { sessionId, dashboardPublicId });
}

/** Returns a token for the user who is signed in, and the dashboard if it is asked for. */
export async function openSignedIn(publicId: string, dashboard = false): Promise<Opened> {
  return post("/auth/page-session", { publicId, dashboard });
}

async function post(path: string, body: object): Promise<Opened> {
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
  const { token, dashboard }: JsonObject = isObject(answer) ? answer : {};
  if (response.ok && typeof token === "string") return { token, dashboard };
  throw new RequestFailure(failureKind(response.status), "");
}
