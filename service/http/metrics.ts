// What a server measures of itself, in the text format that Prometheus reads: by operation, never by path, and without
// anything that callers send.
import { createServer, type Server } from "node:http";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { Failure } from "../../core/errors.ts";

/** Takes what happens. */
export interface Metrics {
  /** One answered request; `operation` is its id, or "" for what is no operation. */
  request(operation: string, status: number, seconds: number): void;
  /** One statement of a store, by its first word. */
  statement(kind: string, seconds: number): void;
  /** One attempt at a job in the background. */
  job(name: string, outcome: "done" | "failed", seconds: number): void;
}

/** A running listener that shows the metrics. */
export interface MetricsListener extends Metrics {
  readonly url: string;
  close(): Promise<void>;
}

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const jobSeconds = [0.01, 0.1, 1, 10, 60, 600];
const statementSeconds = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** Shows metrics at `/metrics` on loopback. Fails with `unavailable` where it cannot listen. */
export async function startMetricsListener(port: number): Promise<MetricsListener> {
  const registry = new Registry();
  const metrics = createMetrics(registry);
  const server = createServer((request, response) => {
    if (request.url?.split("?")[0] !== "/metrics" || !/^(?:GET|HEAD)$/.test(request.method ?? "")) {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" });
      response.end("only GET /metrics is here\n");
      return;
    }
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
    url: `http://127.0.0.1:${bound}/metrics`,
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
    help: "Time from a request's headers to the end of its answer, by operation and status.",
    labelNames: ["operation", "status"],
    buckets: requestSeconds,
    registers,
  });
  const statements = new Histogram({
    name: "svc_store_statement_duration_seconds",
    help: "Time of one statement of a store, waiting for a connection not included.",
    labelNames: ["statement"],
    buckets: statementSeconds,
    registers,
  });
  const jobs = new Histogram({
    name: "svc_job_duration_seconds",
    help: "Time of one attempt at a job in the background, by its outcome.",
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
      server.listen(port, "127.0.0.1", resolve);
    });
  } catch (cause) {
    throw new Failure("unavailable", `cannot show metrics on 127.0.0.1 port ${port}`, {
      cause,
      remedy: "Choose another --metrics-port, or 0 for any free one.",
    });
  }
}
