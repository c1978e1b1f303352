// Messages between the host and the page in its frame. Only messages of this frame, from the account's origin, count.
import type { EmbedEvent, EmbedEventType } from "./events.ts";

const source = "svc-embed";

/** The connection to the page in a frame. */
export interface Channel {
  /** Sends an action, by its name without `svc:action:`. */
  post(action: string, payload: object): void;
  close(): void;
}

/** Connects to the page of an origin in a frame. `take` gets its events. */
export function openChannel(
  iframe: HTMLIFrameElement,
  origin: string,
  take: (event: EmbedEvent) => void,
): Channel {
  const post: Channel["post"] = (action, payload) => {
    const timestamp = new Date().toISOString();
    const type = `svc:action:${action}`;
    const message = { source, direction: "action", type, payload, timestamp };
    iframe.contentWindow?.postMessage(message, origin);
  };
  const receive = ({ source: sender, origin: from, data }: MessageEvent): void => {
    if (sender !== iframe.contentWindow || from !== origin) return;
    if (data?.source !== source || data.direction !== "event") return;
    const type = String(data.type).replace(/^svc:event:/, "") as EmbedEventType;
    take({ type, payload: data.payload ?? {} });
  };
  window.addEventListener("message", receive);
  return { post, close: () => window.removeEventListener("message", receive) };
}

/** Actions on a page, which takes them once it shows a dashboard. */
export interface Actions {
  /** Sends an action once, now or as soon as a dashboard is shown. */
  act(action: string, payload: object): void;
  /** Sends an action now, and again whenever another dashboard is shown: the page forgets it then. */
  keep(action: string, payload: object): void;
  setShown(isShown: boolean): void;
}

/** Sends actions through a channel. */
export function createActions(channel: Channel): Actions {
  const lasting = new Map<string, object>();
  const waiting: (readonly [action: string, payload: object])[] = [];
  let isShown = false;
  return {
    act(action, payload) {
      if (isShown) channel.post(action, payload);
      else waiting.push([action, payload]);
    },
    keep(action, payload) {
      lasting.set(action, payload);
      if (isShown) channel.post(action, payload);
    },
    setShown(next) {
      isShown = next;
      if (!next) return;
      for (const [action, payload] of [...lasting, ...waiting.splice(0)])
        channel.post(action, payload);
    },
  };
}
