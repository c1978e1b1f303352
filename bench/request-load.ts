// Sends the requests with which a bench loads the service.
import { Pool, type Dispatcher } from "undici";
import type { Served } from "./server.ts";

const connections = 16;

/** Creates a group, and returns the request that reads it. */
export async function groupRead({ url, apiKey }: Served): Promise<Dispatcher.DispatchOptions> {
  const headers = { authorization: `Api-Key ${apiKey}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: "everybody" });
  const group = await fetch(`${url}/api/v1/user-groups`, { method: "POST", headers, body });
  const { id } = (await group.json()) as { id: number };
  return {
    method: "GET",
    path: `/api/v1/user-groups/${id}`,
    headers: { authorization: headers.authorization },
  };
}

/**
 * Sends a request many times, over 16 connections to each server: the faster server gets more of them, as behind a load
 * balancer. Fails if a request does not succeed.
 */
export async function sendRequests(
  servers: readonly Pick<Served, "url">[],
  request: Dispatcher.DispatchOptions,
  count: number,
): Promise<void> {
  let left = count;
  const sendTo = async ({ url }: Pick<Served, "url">): Promise<void> => {
    const pool = new Pool(url, { connections, pipelining: 1 });
    const worker = async (): Promise<void> => {
      while (left-- > 0) {
        const answer = await pool.request(request);
        const text = await answer.body.text();
        if (answer.statusCode >= 300) throw new Error(`${answer.statusCode}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: connections }, worker));
    await pool.close();
  };
  await Promise.all(servers.map(sendTo));
}
