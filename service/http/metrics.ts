// Prometheus metrics of a server: by operation, never by path, and without values from requests.
import { createServer, type Server } from "node:http";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { refuseMethod } from "../../core/operation/allowed-methods.ts";
import { isAllowedHost } from "../../core/system/allowed-host.ts";
import { Failure } from "../../core/errors.ts";
import { systemErrorText } from "../../core/system/system-error.ts";

/** Records events. */
export interface Metrics {
  /** Records a response. `operation` is the operation id, or "" for other routes. */
  request(operation: string, status: number, seconds: number): void;
  /** Records a statement of a store, by its first word. */
  statement(kind: string, seconds: number): void;
  /** Records an attempt of a background job. */
  job(name: string, outcome: "done" | "failed", seconds: number): void;
}

/** A running metrics listener. */
export interface MetricsListener extends Metrics {
  readonly url: string;
  close(): Promise<void>;
}

const loopback = "127.0.0.1";
const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const jobSeconds = [0.01, 0.1, 1, 10, 60, 600];
const statementSeconds = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** Serves `/metrics` on loopback. Throws `unavailable` if it cannot listen. */
export async function startMetricsListener(port: number): Promise<MetricsListener> {
  const registry = new Registry();
  const metrics = createMetrics(registry);
  const server = createServer((request, response) => {
    const refuse = (status: number, message: string, headers = {}): void => {
      response.writeHead(status, { "content-type": "text/plain; charset=utf-8", ...headers });
      response.end(`${message}\n`);
    };
    if (!isAllowedHost(request.headers.host, loopback))
      return refuse(403, "only requests for localhost or an IP address are allowed");
    if (request.url?.split("?")[0] !== "/metrics")
      return refuse(404, "only /metrics is served here");
    const refused = refuseMethod(request.method ?? "", ["GET", "HEAD"]);
    if (refused) return refuse(405, refused.failure.message, { allow: refused.allow });
    registry.metrics().then(
      (text) => {
        response.writeHead(200, { "content-type": registry.contentType });
        response.end(text);
      },
      () => response.writeHead(500).end(),
    );
  });
  await listen(server, port);
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    ...metrics,
    url: `http://${loopback}:${bound}/metrics`,
    close: async () => {
      registry.clear();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function createMetrics(registry: Registry): Metrics {
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Histogram({
    name: "svc_http_request_duration_seconds",
    help: "Time from the request headers to the end of the response, by operation and status.",
    labelNames: ["operation", "status"],
    buckets: requestSeconds,
    registers,
  });
  const statements = new Histogram({
    name: "svc_store_statement_duration_seconds",
    help: "Time of one store statement, without waiting for a connection.",
    labelNames: ["statement"],
    buckets: statementSeconds,
    registers,
  });
  const jobs = new Histogram({
    name: "svc_job_duration_seconds",
    help: "Time of one background job attempt, by outcome.",
    labelNames: ["job", "outcome"],
    buckets: jobSeconds,
    registers,
  });
  return {
    request: (operation, status, seconds) =>
      requests.observe({ operation: operation || "none", status: String(status) }, seconds),
    statement: (kind, seconds) => statements.observe({ statement: kind }, seconds),
    job: (job, outcome, seconds) => jobs.observe({ job, outcome }, seconds),
  };
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, loopback, resolve);
    });
  } catch (cause) {
    const message = `cannot serve metrics on ${loopback} port ${port}: ${systemErrorText(cause)}`;
    throw new Failure("unavailable", message, {
      cause,
      remedy: "Choose another --metrics-port, or 0 for any free one.",
    });
  }
}
