// Tests the traces of a controller against a receiver of OTLP/HTTP as JSON.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runController } from "../../controller/controller.ts";
import type { ControllerEvent } from "../../controller/events.ts";
import { readControllerConfig } from "../../controller/read-config.ts";
import { kinds } from "../../resources/index.ts";
import { listen } from "../support/listen.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
  type SourceOverrides,
} from "./fixture.ts";

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: string };
  }[];
}

const minute = 60_000;

let fixture: ControllerFixture;
let collector: Server;
let answer: (() => number) | undefined;
let bodies: string[];
let paths: (string | undefined)[];
let headers: IncomingHttpHeaders;
beforeEach(async () => {
  fixture = await openControllerFixture();
  [bodies, paths, answer] = [[], [], () => 200];
  collector = createServer((request, response) => void take(request, response));
  fixture.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = await listen(collector);
});
afterEach(async () => {
  collector.closeAllConnections();
  collector.close();
  await fixture.close();
});

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  bodies.push(await text(request));
  paths.push(request.url);
  headers = request.headers;
  // Without an answer, it hangs.
  if (answer !== undefined) response.writeHead(answer()).end("{}");
}

async function run(more: SourceOverrides = {}): Promise<readonly ControllerEvent[]> {
  const events: ControllerEvent[] = [];
  const config = readControllerConfig(
    fixture.config([{ folder: fixture.stack("stack", [groupDocument("north")]), ...more }]),
  );
  await runController({
    config,
    kinds,
    env: fixture.env,
    once: true,
    onEvent: (event) => void events.push(event),
  });
  return events;
}

const spans = (): readonly ReceivedSpan[] =>
  bodies.flatMap((body) => {
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
    };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  });

const attributesOf = ({ attributes }: ReceivedSpan): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );

it("has a trace of each reconciliation, with its phases and calls, and no secret", async () => {
  fixture.env["OTEL_EXPORTER_OTLP_HEADERS"] = "x-team=plat%20form, authorization=Bearer s3cret";
  const traceparents = new Set<unknown>();
  const note = (message: unknown): void => {
    const { request } = message as { request: { url: string; headers: IncomingHttpHeaders } };
    if (request.url === "/api/v1/user-groups") traceparents.add(request.headers["traceparent"]);
  };
  subscribe("http.server.request.start", note);
  const events = await run();
  unsubscribe("http.server.request.start", note);
  expect(events.map(({ event }) => event)).toEqual(["started", "reconciliation", "stopped"]);
  expect(new Set(paths)).toEqual(new Set(["/v1/traces"]));
  expect(headers).toMatchObject({ "x-team": "plat form", authorization: "Bearer s3cret" });

  const all = spans();
  const root = all.find(({ parentSpanId }) => parentSpanId === undefined);
  expect(root?.name).toBe("reconcile");
  expect(attributesOf(root as ReceivedSpan)).toMatchObject({
    "svc.source": "northwind",
    "svc.mode": "apply",
    "svc.result": "applied",
  });
  expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1);
  const phases = all.filter(({ parentSpanId }) => parentSpanId === root?.spanId);
  expect(phases.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["fetch", "queue", "load", "plan", "apply", "verify"]),
  );
  const apply = phases.find(({ name }) => name === "apply");
  const called = all.filter(({ parentSpanId }) => parentSpanId === apply?.spanId);
  const written = called.find((span) => attributesOf(span)["http.request.method"] === "POST");
  expect(traceparents).toContain(`00-${root?.traceId}-${written?.spanId}-01`);
  expect(called.map(attributesOf)).toContainEqual({
    "http.request.method": "POST",
    "http.response.status_code": "200",
    "server.address": new URL(fixture.proxy.url).host,
    "url.path": "/api/v1/user-groups",
  });
  for (const { startTimeUnixNano, endTimeUnixNano } of all)
    expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
  expect(bodies.join("")).not.toContain(fixture.service.adminKey);
  expect(bodies.join("")).not.toContain("s3cret");
});

it("has a trace of each reconciliation of a pattern's sources, and nothing of notifications", async () => {
  const traceparents: unknown[] = [];
  const receiver = createServer((request, response) => {
    traceparents.push(request.headers["traceparent"]);
    response.writeHead(200).end();
  });
  fixture.env["CHAT_URL"] = `${await listen(receiver)}/services/s3cret`;
  const repository = join(fixture.home, "repository");
  fixture.stack("repository/stacks/acme", [groupDocument("acme")], {}, "acme");
  fixture.write("repository/stacks/acme/broken.yaml", "kind: UserGruop\n");
  fixture.git(repository, "init", "--quiet", "--initial-branch=main");
  fixture.git(repository, "add", "--all");
  fixture.git(repository, "commit", "--quiet", "-m", "begin");
  const sources = [{ name: "tenants", git: { url: repository, path: "stacks/*" } }];
  const notify = [{ name: "chat", type: "slack", url: { env: "CHAT_URL" } }];
  const running = await fixture.start(sources, { notify });
  await expect.poll(() => traceparents, { timeout: 20_000 }).toEqual([undefined]);
  rmSync(join(repository, "stacks/acme/broken.yaml"));
  fixture.git(repository, "commit", "--quiet", "--all", "-m", "repair");
  const repaired = running.nextReconciliation("tenants-acme");
  await running.advanceClock(minute);
  expect(await repaired).toMatchObject({ result: "applied" });
  await expect.poll(() => traceparents, { timeout: 20_000 }).toEqual([undefined, undefined]);
  await running.stop();
  receiver.closeAllConnections();
  receiver.close();

  const roots = spans().filter(({ name }) => name === "reconcile");
  const reconciled = running.events.filter(({ event }) => event === "reconciliation");
  expect(roots).toHaveLength(reconciled.length);
  expect(roots.filter(({ parentSpanId }) => parentSpanId !== undefined)).toEqual([]);
  expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(roots.length);
  expect(spans().some(({ name }) => name === "HTTP")).toBe(true);
  expect(bodies.join("")).not.toContain("s3cret");
});

it("has no calls of other servers than the API", async () => {
  const traceparents: unknown[] = [];
  const checked = createServer((request, response) => {
    traceparents.push(request.headers["traceparent"]);
    response.writeHead(200).end();
  });
  const url = `${await listen(checked)}/s3cret`;
  await run({ healthChecks: [{ http: { url } }] });
  checked.closeAllConnections();
  checked.close();
  expect(traceparents).toEqual([undefined]);
  expect(spans().map(({ name }) => name)).toContain("health");
  expect(bodies.join("")).not.toContain("s3cret");
});

it("marks what failed", async () => {
  fixture.env["SVC_API_KEY"] = "wrong";
  await run();
  const root = spans().find(({ name }) => name === "reconcile");
  expect(root).toMatchObject({ status: { code: 2, message: "unauthenticated" } });
  const statuses = spans().map((span) => attributesOf(span)["http.response.status_code"]);
  expect(statuses).toContain("401");
});

it("is not delayed by a collector that hangs, and tells of lost spans", async () => {
  answer = undefined;
  const begin = performance.now();
  const events = await run();
  expect(events).toContainEqual(expect.objectContaining({ result: "applied" }));
  expect(performance.now() - begin).toBeLessThan(15_000);
  answer = () => 500;
  const failed = (await run()).find(({ event }) => event === "traces-failed");
  expect(failed).toMatchObject({
    message: expect.stringMatching(/^\d+ spans were not sent: the collector answered 500$/u),
  });
});

it("refuses an endpoint that it cannot use", async () => {
  fixture.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = "collector:4318";
  await expect(run()).rejects.toThrow("OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL");
});
