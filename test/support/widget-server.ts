// Runs a server of racks with widgets that can be made to fail, with a client, a reader and a lifecycle for it.
import { createServer, type Server, type ServerResponse } from "node:http";
import { createClient } from "../../client/client.ts";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import type { Client } from "../../client/types.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ObjectWrite } from "../../core/kind/kind.ts";
import { Secret } from "../../core/secret.ts";
import { createLifecycle, type Lifecycle } from "../../lifecycle/lifecycle.ts";
import { createCachedReader, type CachedReader } from "../../lifecycle/reader.ts";
import { listen } from "./listen.ts";

/** A widget in the server's storage. */
export interface WidgetRow {
  readonly id: number;
  readonly rack: string;
  readonly name: string;
  size?: number | null;
  colour?: string;
}

/** The fault of the next requests: a status that is returned instead of the work, or after it. */
export type Fault = (method: string, path: string) => "drop" | "drop-after" | number | undefined;

/** The server's data, the requests that it received (`GET /path`), and its configurable behavior. */
export interface WidgetServer {
  rows: WidgetRow[];
  makers: { id: number }[];
  calls: string[];
  fault: Fault;
  readonly client: Client;
  readonly reader: CachedReader;
  readonly lifecycle: Lifecycle;
  close(): Promise<void>;
}

type ServerState = Pick<WidgetServer, "rows" | "makers" | "calls" | "fault">;

const allOperations: ApiDiscovery = {
  has: () => true,
  takesIdempotencyKey: () => false,
  takesQuery: () => false,
};

/** Opens a server without widgets and with one maker. */
export async function startWidgetServer(): Promise<WidgetServer> {
  const kept: ServerState = { rows: [], makers: [{ id: 7 }], calls: [], fault: () => undefined };
  const server = serverOf(kept);
  const url = await listen(server);
  const client = createClient({ url, credential: new Secret("sk-x"), attempts: 2 });
  const reader = createCachedReader(client.reader);
  const lifecycle = createLifecycle({ client, discovery: allOperations, reader });
  const close = async (): Promise<void> => {
    await client.close();
    server.close();
  };
  return Object.assign(kept, { client, reader, lifecycle, close });
}

function serverOf(kept: ServerState): Server {
  return createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      const path = url.split("?")[0] ?? "";
      kept.calls.push(`${method} ${path}`);
      const met = kept.fault(method, path);
      if (met === "drop") return void response.destroy();
      if (typeof met === "number") return respond(response, met, { error: "refused" });
      const body = text === "" ? {} : (JSON.parse(text) as JsonObject);
      const [status, done] = handleRequest(kept, { method, path, body });
      if (met === "drop-after") return void response.destroy();
      respond(response, status, done);
    });
  });
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(status === 204 ? undefined : JSON.stringify(body));
}

interface WidgetRequest {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
}

function handleRequest(
  kept: ServerState,
  { method, path, body }: WidgetRequest,
): [number, unknown] {
  if (path.endsWith("/makers")) return [200, kept.makers];
  if (path.endsWith("/definitions")) return defineWidgets(kept, body);
  const [, backend = "", id] = /racks\/([^/]+)\/widgets\/?(\d+)?/.exec(path) ?? [];
  const row = kept.rows.find((one) => one.id === Number(id) && one.rack === backend);
  if (id === undefined)
    return method === "GET" ? listWidgets(kept, backend) : createWidget(kept, backend, body);
  if (row === undefined) return [404, { error: "no such widget" }];
  if (method === "DELETE") kept.rows = kept.rows.filter((one) => one !== row);
  else Object.assign(row, body);
  return method === "DELETE" ? [204, undefined] : [200, widgetJson(row)];
}

function listWidgets({ rows }: ServerState, backend: string): [number, unknown] {
  if (backend === "gone") return [404, { error: "no such rack" }];
  const items = rows.filter((row) => row.rack === backend).map(widgetJson);
  return [200, { items, pageInfo: { hasNextPage: false, hasPreviousPage: false } }];
}

function createWidget({ rows }: ServerState, backend: string, body: JsonObject): [number, unknown] {
  if (rows.some((row) => row.rack === backend && row.name === body["name"])) {
    return [409, { error: "the name is taken" }];
  }
  const row = { id: rows.length + 1, rack: backend, ...body } as WidgetRow;
  rows.push(row);
  return [200, widgetJson(row)];
}

function defineWidgets(
  kept: ServerState,
  { rack: backend, widgets, maker }: JsonObject,
): [number, unknown] {
  if (!kept.makers.some(({ id }) => id === maker)) return [404, { error: "no such maker" }];
  const wanted = widgets as readonly { readonly name: string }[];
  if (wanted.some(({ name }) => name.startsWith("bad"))) return [400, { error: "a bad name" }];
  for (const widget of wanted) createWidget(kept, backend as string, widget);
  return [204, undefined];
}

function widgetJson({ rack: _, size, ...row }: WidgetRow): unknown {
  return size === null || size === undefined ? row : { ...row, size };
}

/** Returns the input of a binding: the desired state, and the widget if there is one. */
export function widgetSubject(spec: JsonObject, live?: WidgetRow): ObjectWrite {
  return {
    spec,
    live: live && { id: String(live.id), spec: {}, status: {} },
    changed: new Set(Object.keys(spec)),
  };
}

/** Returns a desired object for a widget on rack `a`. */
export function desiredWidget(name: string, more: JsonObject = {}): ObjectWrite {
  return widgetSubject({ rack: "a", name, ...more });
}
