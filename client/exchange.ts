// One request and what became of it: an answer read within its bounds, or none, and then whether it was sent at all.
import type { Dispatcher } from "undici";
import { limits } from "../core/limits.ts";

/** Header values by lower-case name. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What goes onto the wire. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A whole answer. */
export interface ReceivedAnswer {
  readonly answered: true;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** No usable answer. `sent` is false only when not one byte of the request can have reached the server. */
export interface NoAnswer {
  readonly answered: false;
  readonly sent: boolean;
  readonly reason: "connection" | "timeout" | "aborted" | "too_large";
  readonly cause: unknown;
}

/** How one exchange ended; it is never an exception. */
export type Exchange = ReceivedAnswer | NoAnswer;

/** Sends `request` once. `signal` tears it; the deadline of `timeoutMs` covers connecting, sending and the whole answer. */
export function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  bounds: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<Exchange> {
  return new Promise((resolve) => {
    const { signal, timeoutMs } = bounds;
    let controller: Dispatcher.DispatchController | undefined;
    let over = false;
    const end = (ending: Exchange): void => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", tear);
      resolve(ending);
    };
    const lose = (why: NoAnswer["reason"], cause?: unknown): void => {
      end({ answered: false, sent: controller !== undefined, reason: why, cause });
      controller?.abort(new Error(why));
    };
    const tear = (): void => lose("aborted");
    const timer = setTimeout(() => lose("timeout"), timeoutMs);
    if (signal?.aborted) return tear();
    signal?.addEventListener("abort", tear, { once: true });
    const started = (now: Dispatcher.DispatchController): void => {
      // The request waited for a connection for so long that nobody waits for it any more.
      if (over) return now.abort(new Error("given up"));
      controller = now;
    };
    try {
      dispatcher.dispatch(dispatchOptions(request), answerCollector({ started, lose, end }));
    } catch (error) {
      lose("connection", error);
    }
  });
}

function dispatchOptions({ method, path, headers, body }: WireRequest): Dispatcher.DispatchOptions {
  // `reset: false` keeps the connection after a DELETE with a body.
  return { method, path, headers, body: body ?? null, reset: false };
}

function answerCollector(to: {
  started: (controller: Dispatcher.DispatchController) => void;
  lose: (why: NoAnswer["reason"], cause?: unknown) => void;
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
      if (size > limits.answerBytes) return to.lose("too_large");
      chunks.push(chunk);
    },
    onResponseEnd: () => {
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
      to.end({ answered: true, status, headers, body });
    },
    onResponseError: (_, error) => to.lose("connection", error),
  };
}
