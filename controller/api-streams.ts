// Open streams of events in the form of server-sent events, which readers with a token in a header read with `fetch`.
import type { ServerResponse } from "node:http";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import type { SourceOverview } from "./api-types.ts";
import type { HttpResponse } from "./http.ts";

/** The open streams of an API. */
export interface Streams {
  /** Opens a stream, which ends when `isAllowed` returns false, or fails. Fails with `limit_reached` if too many are open. */
  open(isAllowed: () => Promise<boolean>): HttpResponse;
  isWatched(): boolean;
  publish(source: SourceOverview): void;
  close(): void;
}

export function createStreams(): Streams {
  const open = new Set<ServerResponse>();
  const write = (response: ServerResponse, text: string): void => {
    // A reader that does not read loses its stream, and opens another.
    if (response.writableLength > limits.controllerStreamBytes) response.destroy();
    else response.write(text);
  };
  const follow = (response: ServerResponse, isAllowed: () => Promise<boolean>): void => {
    open.add(response);
    const check = async (): Promise<void> => {
      if (await isAllowed().catch(() => false)) write(response, ":\n\n");
      else response.end();
    };
    const timer = setInterval(() => void check(), limits.controllerStreamMs);
    response.once("close", () => {
      clearInterval(timer);
      open.delete(response);
    });
    write(response, ":\n\n");
  };
  return {
    open: (isAllowed) => {
      if (open.size >= limits.controllerStreams) {
        const remedy = "Close a page of the controller, and try again.";
        throw new Failure("limit_reached", "too many streams are open", { remedy });
      }
      return {
        status: 200,
        body: "",
        headers: { "content-type": "text/event-stream" },
        stream: (response) => follow(response, isAllowed),
      };
    },
    isWatched: () => open.size > 0,
    publish: (source) => {
      for (const response of open) write(response, `data: ${JSON.stringify(source)}\n\n`);
    },
    close: () => {
      for (const response of open) response.end();
    },
  };
}
