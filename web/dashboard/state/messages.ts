// Messages between the page and the host of its frame. Actions count only from the parent, and only from an origin that the
// account allows.
import { isObject, type JsonObject } from "../../../core/json.ts";
import { textOf } from "./widgets.ts";

const source = "svc-embed";

/** An action of the host: its type without the prefix `svc:action:`. */
export interface HostAction {
  readonly type: string;
  readonly payload: JsonObject;
}

/** The connection to the host. */
export interface Host {
  send(event: string, payload: JsonObject): void;
  /** Says what the page does not do, though the host asked for it. For developers, in English. */
  report(context: string, message: string): void;
  listen(take: (action: HostAction) => void): void;
}

/** Events that wait until the origin of the host is known. */
const waitingMost = 100;

/** Returns the connection to the host of the frame; undefined if the page is not in a frame. */
export function connectHost(allowedOrigins: readonly string[], surface: string): Host | undefined {
  if (window.parent === window) return undefined;
  let host = allowedOrigin(window.location.ancestorOrigins?.[0] ?? originOf(document.referrer));
  const waiting: object[] = [];
  const post = (message: object): void => {
    if (host !== undefined) window.parent.postMessage(message, host);
    else if (waiting.length < waitingMost) waiting.push(message);
  };
  function allowedOrigin(origin: string | undefined): string | undefined {
    return origin !== undefined && isAllowed(origin, allowedOrigins) ? origin : undefined;
  }
  const send: Host["send"] = (event, payload) => {
    const timestamp = new Date().toISOString();
    const type = `svc:event:${event}`;
    post({ source, direction: "event", type, payload, timestamp, surface });
  };
  return {
    send,
    report: (context, message) => send("error", { message, context, fatal: false }),
    listen(take) {
      window.addEventListener(
        "message",
        ({ source: sender, origin, data }: MessageEvent<unknown>) => {
          if (sender !== window.parent || !isObject(data)) return;
          if (data["source"] !== source || data["direction"] !== "action") return;
          // A browser that hides where the frame is shows it with the first action.
          host ??= allowedOrigin(origin);
          if (host === undefined || origin !== host) return;
          for (const message of waiting.splice(0)) post(message);
          const type = /^svc:action:([a-z-]+)$/.exec(textOf(data["type"]))?.[1];
          if (type === undefined) return;
          take({ type, payload: isObject(data["payload"]) ? data["payload"] : {} });
        },
      );
    },
  };
}

function originOf(address: string): string | undefined {
  return URL.parse(address)?.origin;
}

/** Returns whether an origin is one of the allowed ones. An account that declares none allows every host. */
export function isAllowed(origin: string, allowed: readonly string[]): boolean {
  return allowed.length === 0 || allowed.some((one) => matches(origin, one));
}

/** Returns whether an origin is the declared one, or below its `*.`. */
function matches(origin: string, declared: string): boolean {
  const [scheme, host] = declared.split("://");
  if (host?.startsWith("*.") !== true) return origin === declared;
  const prefix = `${scheme}://`;
  return origin.startsWith(prefix) && origin.slice(prefix.length).endsWith(host.slice(1));
}
