// Checks and binds the address that a server listens on, and leaves it without losing requests.
import { once } from "node:events";
import { createServer, isIPv6, Server } from "node:net";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { systemErrorText } from "../../core/system/system-error.ts";

/** The default host: only this machine reaches it. */
export const defaultHost = "127.0.0.1";

/** The address to listen on. */
interface ListenOptions {
  readonly host?: string;
  readonly port?: number;
  /** Absent for plain HTTP. */
  readonly tls?: object;
}

/** Fails if the port is in use, before anything is stored. Another process can still take it until the server listens. */
export async function assertPortFree(options: ListenOptions): Promise<void> {
  const { host = defaultHost, port = 0 } = options;
  if (port === 0) return;
  // A client that connects meanwhile would keep the probe from closing.
  const probe = createServer((socket) => socket.destroy());
  try {
    await once(probe.listen({ host, port }), "listening");
  } catch (cause) {
    throw listenFailure(cause, options);
  }
  await once(probe.close(), "close");
}

/** Listens and returns the URL. */
export async function listen(app: FastifyInstance, options: ListenOptions): Promise<string> {
  const { host = defaultHost, port = 0, tls } = options;
  try {
    await app.listen({ host, port, backlog: limits.listenBacklog, listenTextResolver: () => "" });
  } catch (cause) {
    await app.close();
    throw listenFailure(cause, options);
  }
  const address = app.server.address();
  const bound = typeof address === "object" && address !== null ? address.port : 0;
  const scheme = tls === undefined ? "http" : "https";
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${bound}`;
}

/**
 * Stops listening, and closes the application when no connection is left. Every request that was received gets a
 * response. Idle connections stay open for `idleGraceMs`, and no connection stays longer than the time limit.
 */
export async function drainAndClose(
  app: FastifyInstance,
  { idleGraceMs = 0 }: { readonly idleGraceMs?: number },
): Promise<void> {
  const { server } = app;
  const closed = once(server, "close").then(() => true);
  const isClosedWithin = (ms: number): Promise<boolean> =>
    Promise.race([closed, pause(ms, false, { ref: false })]);
  const late = setTimeout(() => server.closeAllConnections(), limits.drainMs);
  // The close() of an HTTP server also destroys idle connections, with requests that it has received but not read.
  Server.prototype.close.call(server);
  let isClosed = await isClosedWithin(idleGraceMs);
  while (!isClosed) {
    // The next turn of the event loop reads the received data.
    await nextTurn();
    server.closeIdleConnections();
    isClosed = await isClosedWithin(limits.idleCheckMs);
  }
  clearTimeout(late);
  await app.close();
}

function listenFailure(cause: unknown, { host = defaultHost, port = 0 }: ListenOptions): Failure {
  const message = `cannot listen on ${host} port ${port}: ${systemErrorText(cause)}`;
  const remedy = "Choose another --port, or 0 for any free one.";
  return new Failure("unavailable", message, { cause, remedy });
}
