// Serves the data API over WebSocket. Each message is sent to the HTTP application as a request, so that access, quotas,
// limits and errors are those of HTTP.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import proxyAddr from "@fastify/proxy-addr";
import type { FastifyInstance } from "fastify";
import inject from "light-my-request";
import { WebSocketServer } from "ws";
import { limits } from "../../core/limits/limits.ts";
import { createCounter } from "../../core/counter.ts";
import { type Send, serveConnection, type WebSocketTimes } from "./web-socket-connection.ts";

/** The connections of a server. */
export interface WebSockets {
  /** Ends all connections. */
  close(): Promise<void>;
}

/** The path of a data API: at the host of a deployment, or below an account. */
const apiPath =
  /^((?:\/deployments\/[^/?#]+)?(?:\/dev-mode\/[^?#]+)?\/svcjs-api\/v1)\/?(?:\?.*)?$/s;

interface WebSocketOptions {
  readonly times: WebSocketTimes;
  /** Addresses and ranges whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly string[];
}

/** Accepts connections to the address of a data API. */
export function serveWebSockets(
  app: FastifyInstance,
  { times, trustedProxies }: WebSocketOptions,
): WebSockets {
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  const server = new WebSocketServer({ noServer: true, maxPayload: limits.webSocketMessageBytes });
  const deployments = createCounter();
  const credentials = createCounter();
  /** By the address of their client. */
  const unaccepted = createCounter();
  let isClosed = false;
  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const [, path] = apiPath.exec(request.url ?? "") ?? [];
    if (path === undefined) return refuse(socket, "404 Not Found");
    const deployment = `${request.headers.host ?? ""}${path}`;
    const address = proxyAddr(request, isTrusted);
    const isFull =
      isClosed ||
      server.clients.size >= limits.webSockets ||
      deployments.count(deployment) >= limits.deploymentWebSockets ||
      unaccepted.count(address) >= limits.unacceptedWebSockets;
    if (isFull) return refuse(socket, "503 Service Unavailable");
    socket.once("close", deployments.add(deployment));
    const release = unaccepted.add(address);
    socket.once("close", release);
    server.handleUpgrade(request, socket, head, (client) => {
      const send = requestsTo(app, { request, path });
      serveConnection(client, { send, credentials, release, times });
    });
    return undefined;
  });
  return {
    close: async () => {
      isClosed = true;
      for (const client of server.clients) client.terminate();
    },
  };
}

function refuse(socket: Duplex, status: string): void {
  socket.on("error", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Headers of the first request that its proxies have set, or that name the deployment. */
const keptHeaders = ["host", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];

/** Returns what sends requests to the application as if they came from the client of a connection. */
function requestsTo(
  app: FastifyInstance,
  { request, path: base }: { readonly request: IncomingMessage; readonly path: string },
): Send {
  const { socket, headers } = request;
  const kept = keptHeaders.flatMap((name) =>
    headers[name] ? [[name, headers[name]] as const] : [],
  );
  const isEncrypted = "encrypted" in socket;
  return async ({ method, path, body }, { token, requestId, signal }) => {
    const dispatch: inject.DispatchFunc = (inner, reply) => {
      Object.assign(inner.socket, { encrypted: isEncrypted });
      app.routing(inner, reply);
    };
    const answer = await inject(dispatch, {
      method,
      url: `${base}${path}`,
      remoteAddress: socket.remoteAddress ?? "",
      headers: {
        ...Object.fromEntries(kept),
        ...(token !== undefined && { authorization: token }),
        ...(typeof requestId === "string" &&
          /^[\w.-]{1,100}$/.test(requestId) && { "x-request-id": requestId }),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { payload: JSON.stringify(body) }),
      signal,
    });
    return { status: answer.statusCode, body: answer.payload };
  };
}
