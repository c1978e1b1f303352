// The gRPC server of the plugin protocol: the methods of the provider and of the plugin itself.
import { once } from "node:events";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { limits } from "../../../core/limits/limits.ts";
import type { ServeConnection } from "../../bridge/early-listener.ts";
import { log } from "./log.ts";
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

/** The certificates of mutual TLS between the engine and this process, as PEM. */
export interface MutualTls {
  readonly clientCertificate: string;
  readonly certificate: string;
  readonly key: string;
}

/** How to serve requests. */
export interface PluginServerOptions {
  /** Undefined for an engine that connects without TLS. */
  readonly tls?: MutualTls | undefined;
  /** Logs the path and the time of each request. */
  readonly logsRequests: boolean;
  /** Runs when the engine requests a shutdown, before the answer. */
  readonly prepareShutdown: () => Promise<void>;
  /** Runs after the answer to a shutdown. */
  readonly end: () => void;
}

/** Returns the server of the connections of the engine. */
export function createPluginServer(
  handlers: Handlers,
  options: PluginServerOptions,
): ServeConnection {
  const injector = serverOf(handlers, options).createConnectionInjector(credentialsOf(options.tls));
  return (connection) => injector.injectConnection(connection);
}

function credentialsOf(tls: MutualTls | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const own = { cert_chain: Buffer.from(tls.certificate), private_key: Buffer.from(tls.key) };
  return ServerCredentials.createSsl(Buffer.from(tls.clientCertificate), [own], true);
}

function serverOf(
  handlers: Handlers,
  { logsRequests, prepareShutdown, end }: PluginServerOptions,
): Server {
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
      logs: logsRequests,
      work: handlers[name],
    });
  }
  for (const name of streamNames) registerStream(server, name, handlers[name]);
  const empty = codec("Empty");
  registerUnary(server, "/plugin.GRPCController/Shutdown", {
    request: empty,
    response: empty,
    logs: logsRequests,
    work: async () => {
      // The engine kills the plugin soon after this response, so the cleanup runs before it.
      await prepareShutdown();
      setTimeout(end, limits.lastAnswerMs);
      return {};
    },
  });
  registerUnary(server, "/grpc.health.v1.Health/Check", {
    request: codec("HealthRequest"),
    response: codec("HealthResponse"),
    logs: logsRequests,
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

interface UnaryMethod {
  readonly request: Codec;
  readonly response: Codec;
  readonly logs: boolean;
  readonly work: (message: object) => Promise<object>;
}

function registerUnary(
  server: Server,
  path: string,
  { request, response, logs, work }: UnaryMethod,
): void {
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
