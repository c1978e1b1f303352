// Sends bare HTTP requests as a lower bound for the client: undici with the settings of the client, and only JSON on top.
import { Pool } from "undici";
import { limits } from "../core/limits/limits.ts";
import type { Served } from "./server.ts";

/** One request. */
export interface BareRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
}

/** A pool of connections that counts what it sends. */
export interface BareClient {
  /** The answer's JSON, undefined without one; fails for anything but success. */
  send(request: BareRequest): Promise<unknown>;
  calls(): number;
  close(): Promise<void>;
}

/** Opens a pool with as many connections as a stack has by default. */
export function bareClient(
  { url, apiKey }: Pick<Served, "url" | "apiKey">,
  connections: number = limits.concurrency,
): BareClient {
  const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  const base = { accept: "application/json", authorization: `Api-Key ${apiKey}` };
  const json = { ...base, "content-type": "application/json" };
  let calls = 0;
  return {
    send: async ({ method, path, body }) => {
      calls++;
      const text = body === undefined ? null : JSON.stringify(body);
      const headers = text === null ? base : json;
      const answer = await pool.request({ method, path, headers, body: text });
      if (answer.statusCode >= 300) {
        throw new Error(`${answer.statusCode} for ${method} ${path}: ${await answer.body.text()}`);
      }
      if (answer.statusCode === 204) return answer.body.dump();
      return answer.body.json();
    },
    calls: () => calls,
    close: () => pool.close(),
  };
}

/** The members of a listed object that a bench reads. */
export interface BareItem {
  readonly id: number;
  readonly description?: string | null;
}

interface PageOfItems {
  readonly items: readonly BareItem[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string };
}

/** Walks a list to its end by its cursors, in the largest pages by default. */
export async function readAll(
  client: BareClient,
  path: string,
  pageSize: number = limits.pageMax,
): Promise<readonly BareItem[]> {
  const items: BareItem[] = [];
  let after = "";
  for (let pages = 0; pages < limits.pagesMax; pages++) {
    const page = (await client.send({
      method: "GET",
      path: `${path}?first=${pageSize}${after}`,
    })) as PageOfItems;
    items.push(...page.items);
    const { hasNextPage, endCursor = "" } = page.pageInfo;
    if (!hasNextPage) return items;
    after = `&after=${endCursor}`;
  }
  throw new Error(`${path} has no end`);
}

/** Sends all, `concurrency` in flight. */
export async function inParallel<T>(
  all: Iterable<T>,
  concurrency: number,
  send: (one: T) => Promise<unknown>,
): Promise<void> {
  const waiting = all[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next())
      await send(next.value);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
