// Calls the service with the token of the session. It waits where the service asks it to, and repeats queries that
// still run.
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { slowQueryText } from "../../../core/text/slow-query.ts";

/** Why a request failed, for viewers. */
export type FailureKind =
  | "offline"
  | "session"
  | "forbidden"
  | "missing"
  | "refused"
  | "busy"
  | "failed";

/** A request that failed. `detail` is the service's own sentence. */
export class RequestFailure extends Error {
  readonly kind: FailureKind;
  readonly detail: string;

  constructor(kind: FailureKind, detail: string) {
    super(detail);
    this.kind = kind;
    this.detail = detail;
  }
}

/** Sends requests as the viewer. */
export interface Api {
  send(path: string, options?: SendOptions): Promise<JsonValue>;
  /** Returns a file. */
  download(path: string, signal?: AbortSignal): Promise<Blob>;
}

/** How a request is sent. */
export interface SendOptions {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE" | undefined;
  readonly body?: JsonObject | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The token of the session, and a way to get another one. */
export interface TokenSource {
  current(): Promise<string>;
  /** Gets another token after the service refused the current one. Throws a {@link RequestFailure} if there is none. */
  renew(refused: string): Promise<string>;
}

/** Most seconds of one wait that the service asks for. */
const longestWaitSeconds = 30;
const attempts = 6;

const kinds: Readonly<Record<number, FailureKind>> = {
  401: "session",
  403: "forbidden",
  404: "missing",
  429: "busy",
  503: "busy",
};

/** Returns why an answer is no success. A request that the service does not understand stays wrong. */
export function failureKind(status: number, detail = ""): FailureKind {
  if (detail.startsWith(`Error: ${slowQueryText}`)) return "busy";
  const isRefused = status >= 400 && status < 500 && status !== 408;
  return kinds[status] ?? (isRefused ? "refused" : "failed");
}

/** Creates the sender. */
export function createApi(tokens: TokenSource): Api {
  const respond = async (path: string, options: SendOptions): Promise<Response> => {
    let token = await tokens.current();
    let isRenewed = false;
    for (let attempt = 1; ; attempt++) {
      const response = await fetchWith(path, { ...options, token });
      if (response.status === 401 && !isRenewed) {
        isRenewed = true;
        token = await tokens.renew(token);
        continue;
      }
      if (!isBusy(response) || attempt >= attempts) return response;
      await pause(waitOf(response, attempt), options.signal);
    }
  };
  return {
    async send(path, options = {}) {
      const response = await respond(path, options);
      const answer = await readAnswer(response);
      if (response.ok) return answer;
      throw failureOf(response, answer);
    },
    async download(path, signal) {
      const response = await respond(path, { signal });
      if (response.ok) return response.blob();
      throw failureOf(response, await readAnswer(response));
    },
  };
}

async function fetchWith(
  path: string,
  { method = "GET", body, signal, token }: SendOptions & { readonly token: string },
): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
      credentials: "omit",
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new RequestFailure("offline", "the service cannot be reached");
  }
}

async function readAnswer(response: Response): Promise<JsonValue> {
  if (response.status === 204) return null;
  try {
    return (await response.json()) as JsonValue;
  } catch {
    return null;
  }
}

function failureOf(response: Response, answer: JsonValue): RequestFailure {
  const said = isObject(answer) ? (answer["error"] ?? answer["message"]) : undefined;
  const detail = typeof said === "string" ? said : "";
  const { status } = response;
  const kind = status === 503 && !isBusy(response) ? "failed" : failureKind(status, detail);
  return new RequestFailure(kind, detail);
}

/** Returns whether the service asks to wait: a data source that cannot be reached answers 503 too. */
function isBusy({ status, headers }: Response): boolean {
  return status === 429 || (status === 503 && headers.has("retry-after"));
}

/** Returns the pause in milliseconds before the next attempt. */
function waitOf({ headers }: Response, attempt: number): number {
  const asked = Number(headers.get("retry-after") ?? 2 ** (attempt - 1));
  const seconds = Number.isFinite(asked) ? Math.min(longestWaitSeconds, Math.max(0, asked)) : 1;
  // Widgets that were refused together do not return together.
  return seconds * 1000 + Math.random() * 250;
}

/** Waits; rejects if the signal aborts. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = (): void => {
    clearTimeout(timer);
    reject(signal?.reason as Error);
  };
  signal?.addEventListener("abort", stop, { once: true });
  await promise.finally(() => signal?.removeEventListener("abort", stop));
}
