// Checks and binds the address that a server listens on.
import { once } from "node:events";
import { createServer, isIPv6 } from "node:net";
import type { FastifyInstance } from "fastify";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { systemErrorText } from "../../core/system-error.ts";

/** The address without one: only this machine reaches it. */
export const defaultHost = "127.0.0.1";

/** Where to listen. */
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
  const probe = createServer();
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

function listenFailure(cause: unknown, { host = defaultHost, port = 0 }: ListenOptions): Failure {
  const message = `cannot listen on ${host} port ${port}: ${systemErrorText(cause)}`;
  const remedy = "Choose another --port, or 0 for any free one.";
  return new Failure("unavailable", message, { cause, remedy });
}
