// Calls the API of the controller that served this page, with the token in a header.
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";

/** A refusal of the API, or no answer: what happened, and what to do. */
export class ApiFailure extends Error {
  /** 0 without an answer. */
  readonly status: number;
  readonly remedy: string;

  constructor(status: number, message: string, remedy = "") {
    super(message);
    this.status = status;
    this.remedy = remedy;
  }
}

/** Someone who is signed in. */
export interface Session {
  /** Returns the token for the next request. Throws an {@link ApiFailure}, with the status 401 if it needs another sign-in. */
  token(): Promise<string>;
  end(): void;
}

/** Sends a request below `/api/`; with a body, a POST. Returns undefined for an answer without content. Throws an {@link ApiFailure}. */
export async function callApi<T>(session: Session, path: string, body?: JsonObject): Promise<T> {
  const response = await openApi(session, path, body);
  if (response.status === 204) return undefined as T;
  return (await response.json().catch(() => {
    throw new ApiFailure(response.status, "The controller sent no JSON.");
  })) as T;
}

/** Calls `onOpen` once, and `onMessage` with each message of the stream of events until it ends. Throws an {@link ApiFailure}. */
export async function readEvents(
  session: Session,
  {
    onOpen,
    onMessage,
    signal,
  }: {
    readonly onOpen: () => void;
    readonly onMessage: (message: JsonValue) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { body } = await openApi(session, "events", undefined, signal);
  if (body === null) return;
  onOpen();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const messages = text.split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) {
      if (message.startsWith("data: ")) onMessage(JSON.parse(message.slice(6)) as JsonValue);
    }
  }
}

async function openApi(
  session: Session,
  path: string,
  body?: JsonObject,
  signal?: AbortSignal,
): Promise<Response> {
  const token = await session.token();
  const response = await fetch(`/api/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}` },
    credentials: "omit",
    cache: "no-store",
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch(() => {
    throw new ApiFailure(0, "The controller does not answer.", "Check that it runs.");
  });
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => undefined);
  const error = isObject(answer) && isObject(answer["error"]) ? answer["error"] : {};
  const { message, remedy } = error;
  throw new ApiFailure(
    response.status,
    typeof message === "string"
      ? message
      : `The controller answered with the status ${response.status}.`,
    typeof remedy === "string" ? remedy : "",
  );
}
