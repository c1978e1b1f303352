// The requests that benches of the service send, and the bare routes that they are compared with.
import { Pool, type Dispatcher } from "undici";
import type { Served } from "./server.ts";

const connections = 16;

/** A request of the service, and the same of the bare server. */
export interface RequestCase {
  readonly name: string;
  /** At most this many times the CPU of the bare route. */
  readonly aim: number;
  readonly ours: Dispatcher.DispatchOptions;
  readonly bare: Dispatcher.DispatchOptions;
}

/** Creates the objects that the requests name, and returns the requests: a read, and a session of a known user. */
export async function requestCases({ url, apiKey }: Served): Promise<readonly RequestCase[]> {
  const headers = { authorization: `Api-Key ${apiKey}`, "content-type": "application/json" };
  const session = {
    method: "POST",
    headers,
    body: JSON.stringify({ deploymentId: 1, externalId: "viewer", embedTenantName: "acme-inc" }),
  } as const;
  const group = await fetch(`${url}/api/v1/user-groups`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "everybody" }),
  });
  const { id } = (await group.json()) as { id: number };
  const read = { method: "GET", headers: { authorization: headers.authorization } } as const;
  return [
    {
      name: "GET one group",
      aim: 4,
      ours: { ...read, path: `/api/v1/user-groups/${id}` },
      bare: { ...read, path: "/group" },
    },
    {
      name: "generate-session, user known; bare with one durable insert",
      aim: 5,
      ours: { ...session, path: "/api/v1/embed/generate-session" },
      bare: { ...session, path: "/sessions" },
    },
  ];
}

/** Sends a request many times over 16 connections. Fails if one does not succeed. */
export async function sendRequests(
  { url }: Pick<Served, "url">,
  request: Dispatcher.DispatchOptions,
  count: number,
): Promise<void> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await pool.request(request);
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${answer.statusCode}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  await pool.close();
}
