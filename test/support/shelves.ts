// A server of shelves with widgets that can be made to fail, with a client, a reader and a lifecycle of it.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "../../client/client.ts";
import type { Offer } from "../../client/offer.ts";
import type { Client } from "../../client/types.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Subject } from "../../core/kind.ts";
import { Secret } from "../../core/secret.ts";
import { createLifecycle, type Lifecycle } from "../../lifecycle/lifecycle.ts";
import { createReader, type SharedReader } from "../../lifecycle/reader.ts";

/** A widget as the server keeps it. */
export interface Row {
  readonly id: number;
  readonly shelf: string;
  readonly name: string;
  size?: number | null;
  colour?: string;
}

/** What the next requests meet: a status answered instead of the work, or after it. */
export type Fault = (method: string, path: string) => "drop" | "drop-after" | number | undefined;

/** What the server keeps, what it was asked (`GET /path`), and what stands on top of it. */
export interface Shelves {
  rows: Row[];
  makers: { id: number }[];
  calls: string[];
  fault: Fault;
  readonly client: Client;
  readonly reader: SharedReader;
  readonly lifecycle: Lifecycle;
  close(): Promise<void>;
}

type Kept = Pick<Shelves, "rows" | "makers" | "calls" | "fault">;

const everything: Offer = { has: () => true, takesKey: () => false };

/** Opens a server without widgets and with one maker. */
export async function openShelves(): Promise<Shelves> {
  const kept: Kept = { rows: [], makers: [{ id: 7 }], calls: [], fault: () => undefined };
  const server = serverOf(kept);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ url, credential: new Secret("sk-x"), attempts: 2 });
  const reader = createReader(client.reader);
  const lifecycle = createLifecycle({ client, offer: everything, reader });
  const close = async (): Promise<void> => {
    await client.close();
    server.close();
  };
  return Object.assign(kept, { client, reader, lifecycle, close });
}

function serverOf(kept: Kept): Server {
  return createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      const path = url.split("?")[0] ?? "";
      kept.calls.push(`${method} ${path}`);
      const met = kept.fault(method, path);
      if (met === "drop") return void response.destroy();
      if (typeof met === "number") return answer(response, met, { error: "refused" });
      const body = text === "" ? {} : (JSON.parse(text) as JsonObject);
      const [status, done] = work(kept, { method, path, body });
      if (met === "drop-after") return void response.destroy();
      answer(response, status, done);
    });
  });
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(status === 204 ? undefined : JSON.stringify(body));
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
}

function work(kept: Kept, { method, path, body }: Asked): [number, unknown] {
  if (path.endsWith("/makers")) return [200, kept.makers];
  if (path.endsWith("/definitions")) return define(kept, body);
  const [, shelf = "", id] = /shelves\/([^/]+)\/widgets\/?(\d+)?/.exec(path) ?? [];
  const row = kept.rows.find((one) => one.id === Number(id) && one.shelf === shelf);
  if (id === undefined) return method === "GET" ? list(kept, shelf) : make(kept, shelf, body);
  if (row === undefined) return [404, { error: "no such widget" }];
  if (method === "DELETE") kept.rows = kept.rows.filter((one) => one !== row);
  else Object.assign(row, body);
  return method === "DELETE" ? [204, undefined] : [200, shown(row)];
}

function list({ rows }: Kept, shelf: string): [number, unknown] {
  if (shelf === "gone") return [404, { error: "no such shelf" }];
  const items = rows.filter((row) => row.shelf === shelf).map(shown);
  return [200, { items, pageInfo: { hasNextPage: false, hasPreviousPage: false } }];
}

function make({ rows }: Kept, shelf: string, body: JsonObject): [number, unknown] {
  if (rows.some((row) => row.shelf === shelf && row.name === body["name"])) {
    return [409, { error: "the name is taken" }];
  }
  const row = { id: rows.length + 1, shelf, ...body } as Row;
  rows.push(row);
  return [200, shown(row)];
}

function define(kept: Kept, { shelf, widgets }: JsonObject): [number, unknown] {
  const wanted = widgets as readonly { readonly name: string }[];
  if (wanted.some(({ name }) => name.startsWith("bad"))) return [400, { error: "a bad name" }];
  for (const widget of wanted) make(kept, shelf as string, widget);
  return [204, undefined];
}

function shown({ shelf: _, size, ...row }: Row): unknown {
  return size === null || size === undefined ? row : { ...row, size };
}

/** What a kind's way is asked to carry out: the wish, and the widget where there is one. */
export function subject(spec: JsonObject, live?: Row): Subject {
  return {
    spec,
    live: live && { id: String(live.id), spec: {}, status: {} },
    changed: new Set(Object.keys(spec)),
  };
}

/** A wish for a widget on shelf `a`. */
export function wish(name: string, more: JsonObject = {}): Subject {
  return subject({ shelf: "a", name, ...more });
}
