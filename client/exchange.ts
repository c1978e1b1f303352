// Sends one request and reads the response within its limits, or reports whether the request was sent.
import type { Dispatcher } from "undici";
import { limits } from "../core/limits.ts";

/** Header values by lowercase name. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** An HTTP request. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** A complete response. */
export interface ReceivedAnswer {
  readonly answered: true;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** No usable response. `sent` is false only if no byte of the request can have reached the server. */
export interface NoAnswer {
  readonly answered: false;
  readonly sent: boolean;
  readonly reason: "connection" | "timeout" | "aborted" | "too_large";
  readonly cause: unknown;
}

/** The result of one exchange. Never an exception. */
export type Exchange = ReceivedAnswer | NoAnswer;

/** Sends `request` once. `signal` aborts it; `timeoutMs` limits connecting, sending and the whole response. */
export function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  bounds: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<Exchange> {
  return new Promise((resolve) => {
    const { signal, timeoutMs } = bounds;
    let controller: Dispatcher.DispatchController | undefined;
    let ended = false;
    const end = (ending: Exchange): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      resolve(ending);
    };
    const fail = (reason: NoAnswer["reason"], cause?: unknown): void => {
      end({ answered: false, sent: controller !== undefined, reason, cause });
      controller?.abort(new Error(reason));
    };
    const abort = (): void => fail("aborted");
    const timer = setTimeout(() => fail("timeout"), timeoutMs);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    const started = (now: Dispatcher.DispatchController): void => {
      // The request waited for a connection until it was abandoned.
      if (ended) return now.abort(new Error("abandoned"));
      controller = now;
    };
    try {
      dispatcher.dispatch(dispatchOptions(request), answerCollector({ started, fail, end }));
    } catch (error) {
      fail("connection", error);
    }
  });
}

function dispatchOptions({ method, path, headers, body }: WireRequest): Dispatcher.DispatchOptions {
  // `reset: false` keeps the connection after a DELETE with a body.
  return { method, path, headers, body: body ?? null, reset: false };
}

function answerCollector(to: {
  started: (controller: Dispatcher.DispatchController) => void;
  fail: (reason: NoAnswer["reason"], cause?: unknown) => void;
  end: (ending: Exchange) => void;
}): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let size = 0;
  let status = 0;
  let headers: Headers = {};
  return {
    onRequestStart: to.started,
    onResponseStart: (_, code, received) => {
      [status, headers] = [code, received];
    },
    onResponseData: (_, chunk) => {
      size += chunk.length;
      if (size > limits.answerBytes) return to.fail("too_large");
      chunks.push(chunk);
    },
    onResponseEnd: () => {
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
      to.end({ answered: true, status, headers, body });
    },
    onResponseError: (_, error) => to.fail("connection", error),
  };
}
