// Serves the plugin protocol: handshake, mutual TLS, gRPC over a Unix socket, and shutdown with the parent process.
import { publication } from "../../../core/publication.ts";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { limits } from "../../../core/limits.ts";
import { nodeVersionError } from "../../../core/node-version.ts";
import { selfSigned } from "./certificate.ts";
import { isLogging, log } from "./log.ts";
import {
  type Codec,
  codec,
  methodCodecs,
  type MethodName,
  methodNames,
  type StreamName,
  streamNames,
} from "./messages.ts";

/** The handlers of the provider's methods. User errors must become diagnostics, not exceptions. */
export type Handlers = Readonly<Record<MethodName, (request: object) => Promise<object>>> &
  Readonly<Record<StreamName, (request: object) => AsyncIterable<object>>>;

/** The environment variable with which the engine marks a plugin process. */
const magicCookie = {
  name: "TF_PLUGIN_MAGIC_COOKIE",
  value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
} as const;

const protocol = 6;

/** The provider's addresses, by which an engine attaches to a process that it did not start. */
const { terraformSource, terraformRegistries } = publication;
const addresses = terraformRegistries.map((host) => `${host}/${terraformSource}`);

/** Returns why this process cannot serve as a plugin, or undefined. With `debug`, no engine needs to have started it. */
export function startupError(
  env: Readonly<Record<string, string | undefined>>,
  debug: boolean,
): string | undefined {
  if (!debug && env[magicCookie.name] !== magicCookie.value) {
    return "This program is a Terraform and OpenTofu plugin. Terraform starts it; do not run it directly, except with --debug. See docs/how-to/use-terraform.md.";
  }
  const reason = nodeVersionError(process.versions.node);
  if (reason !== undefined)
    return `The provider svc ${reason}. Set SVC_NODE to a newer version of Node.`;
  const offered = env["PLUGIN_PROTOCOL_VERSIONS"]?.split(",") ?? [String(protocol)];
  if (offered.includes(String(protocol))) return undefined;
  return "This plugin requires protocol 6: use Terraform 1.0 or newer, or OpenTofu.";
}

/** How to serve. */
export interface ServeOptions {
  /** Called once before the process ends, with a time limit. */
  readonly cleanup: () => Promise<void>;
  /** Whether to print how an engine attaches, and to serve until the process is interrupted. */
  readonly debug: boolean;
}

/** Serves requests until the engine shuts it down or exits. */
export async function servePlugin(
  handlers: Handlers,
  { cleanup, debug }: ServeOptions,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "svc-provider-"));
  const socket = join(folder, "s");
  let cleanedUp: Promise<void> | undefined;
  const cleanUpOnce = (): Promise<void> =>
    (cleanedUp ??= Promise.race([
      cleanup(),
      sleep(limits.runCleanupMs, undefined, { ref: false }),
    ]));
  const end = (): void => {
    void cleanUpOnce().finally(() => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(0);
    });
  };
  // An interrupt reaches the whole process group. The engine sends a stop request itself.
  process.on("SIGINT", debug ? end : () => undefined);
  process.on("SIGTERM", end);
  const clientCertificate = process.env["PLUGIN_CLIENT_CERT"] ?? "";
  const certificate = clientCertificate === "" ? undefined : selfSigned("localhost");
  const credentials =
    certificate === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(
          Buffer.from(clientCertificate),
          [{ cert_chain: Buffer.from(certificate.pem), private_key: Buffer.from(certificate.key) }],
          true,
        );
  const server = serverOf(handlers, { prepare: cleanUpOnce, end });
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${socket}`, credentials, (error) =>
      error === null ? resolve() : reject(error),
    ),
  );
  if (debug) return void process.stdout.write(reattachText(socket));
  endWithParent(end);
  const certificateText =
    certificate === undefined ? "" : certificate.der.toString("base64").replace(/=+$/, "");
  process.stdout.write(`1|${protocol}|unix|${socket}|grpc|${certificateText}\n`);
}

/** Returns how an engine attaches to this process. `Test` tells it not to end the process. */
function reattachText(socket: string): string {
  const reattach = {
    Protocol: "grpc",
    ProtocolVersion: protocol,
    Pid: process.pid,
    Test: true,
    Addr: { Network: "unix", String: socket },
  };
  const value = JSON.stringify(Object.fromEntries(addresses.map((name) => [name, reattach])));
  return `The provider serves until it is interrupted. To attach Terraform or OpenTofu, set:\n\n  TF_REATTACH_PROVIDERS='${value}'\n\n`;
}

/** Ends the process if its parent was killed. */
function endWithParent(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, limits.parentProcessCheckMs).unref();
}

interface Shutdown {
  /** Runs the cleanup. */
  readonly prepare: () => Promise<void>;
  readonly end: () => void;
}

function serverOf(handlers: Handlers, { prepare: cleanUpOnce, end }: Shutdown): Server {
  const server = new Server({
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
    "grpc.enable_channelz": 0,
  });
  for (const name of methodNames) {
    const { request, response } = methodCodecs(name);
    registerUnary(server, `/tfplugin6.Provider/${name}`, {
      request,
      response,
      work: handlers[name],
    });
  }
  for (const name of streamNames) registerStream(server, name, handlers[name]);
  const empty = codec("Empty");
  registerUnary(server, "/plugin.GRPCController/Shutdown", {
    request: empty,
    response: empty,
    work: async () => {
      // The engine kills the plugin soon after this response, so the cleanup runs before it.
      await cleanUpOnce();
      setTimeout(end, limits.lastAnswerMs);
      return {};
    },
  });
  registerUnary(server, "/grpc.health.v1.Health/Check", {
    request: codec("HealthRequest"),
    response: codec("HealthResponse"),
    work: async () => ({ status: 1 }),
  });
  // The provider sends nothing on these streams. They stay open until the engine closes them.
  const encodeEmpty = (message: object): Buffer => empty.encode(message);
  const decodeIgnored = (): object => ({});
  server.register(
    "/plugin.GRPCStdio/StreamStdio",
    () => undefined,
    encodeEmpty,
    decodeIgnored,
    "serverStream",
  );
  server.register(
    "/plugin.GRPCBroker/StartStream",
    () => undefined,
    encodeEmpty,
    decodeIgnored,
    "bidi",
  );
  return server;
}

/** Sends the events of a stream, as fast as the engine reads them. */
function registerStream(
  server: Server,
  name: StreamName,
  work: (message: object) => AsyncIterable<object>,
): void {
  const { request, response } = methodCodecs(name);
  server.register(
    `/tfplugin6.Provider/${name}`,
    (call: ServerWritableStream<object, object>) => {
      sendEvents(call, work(call.request)).catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        log("error", message, { name });
        call.emit("error", { code: status.INTERNAL, details: message });
      });
    },
    (message: object) => response.encode(message),
    (bytes: Buffer) => request.decode(bytes),
    "serverStream",
  );
}

async function sendEvents(
  call: ServerWritableStream<object, object>,
  events: AsyncIterable<object>,
): Promise<void> {
  for await (const event of events) {
    // The engine cancels the call when it has read enough.
    if (call.cancelled) return;
    if (!call.write(event)) await Promise.race([once(call, "drain"), once(call, "cancelled")]);
  }
  call.end();
}

function registerUnary(
  server: Server,
  path: string,
  {
    request,
    response,
    work,
  }: { request: Codec; response: Codec; work: (message: object) => Promise<object> },
): void {
  const logs = isLogging(process.env);
  server.register(
    path,
    (call: ServerUnaryCall<object, object>, reply: sendUnaryData<object>) => {
      const started = performance.now();
      const logEnd = (): void => {
        if (logs) log("trace", "RPC", { path, ms: Math.round(performance.now() - started) });
      };
      work(call.request)
        .finally(logEnd)
        .then(
          (message) => reply(null, message),
          (error: unknown) => {
            const message = error instanceof Error ? error.message : String(error);
            log("error", message, { path });
            reply({ code: status.INTERNAL, details: message });
          },
        );
    },
    (message: object) => response.encode(message),
    (encodeEmpty: Buffer) => request.decode(encodeEmpty),
    "unary",
  );
}
