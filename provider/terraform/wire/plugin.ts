// The plug-in as a process: handshake, mutual TLS, gRPC over a socket of its own, and an end when its parent wants or is gone.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { limits } from "../../../core/limits.ts";
import { nodeVersionError } from "../../../core/node-version.ts";
import { selfSigned } from "./certificate.ts";
import { log } from "./log.ts";
import { type Codec, codec, methodCodecs, type MethodName, methodNames } from "./messages.ts";

/** Answers requests of the provider's methods; it must not throw for what a user can cause. */
export type Handlers = Readonly<Record<MethodName, (request: object) => Promise<object>>>;

/** What the engine sets, so that a plug-in knows it was started by one. */
const magicCookie = {
  name: "TF_PLUGIN_MAGIC_COOKIE",
  value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
} as const;

const protocol = 6;

/** Why this process cannot serve as a plug-in; undefined where it can. */
export function startupError(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (env[magicCookie.name] !== magicCookie.value) {
    return "This is a plug-in of Terraform and OpenTofu, which start it themselves: see docs/terraform.md.";
  }
  const why = nodeVersionError(process.versions.node);
  if (why !== undefined) return `The provider svc ${why}. Set SVC_NODE to a newer one.`;
  const offered = env["PLUGIN_PROTOCOL_VERSIONS"]?.split(",") ?? [String(protocol)];
  if (offered.includes(String(protocol))) return undefined;
  return "This plug-in speaks protocol 6: Terraform 1.0 or newer, or OpenTofu, is needed.";
}

/** Serves until the engine asks it to end, or is gone. `farewell` is called once, and waited for a while, before the process ends. */
export async function servePlugin(
  handlers: Handlers,
  farewell: () => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "svc-provider-"));
  const socket = join(folder, "s");
  let said: Promise<void> | undefined;
  const ready = (): Promise<void> =>
    (said ??= Promise.race([farewell(), sleep(limits.runCleanupMs, undefined, { ref: false })]));
  const end = (): void => {
    void ready().finally(() => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(0);
    });
  };
  // An interrupt reaches the whole group of processes; the engine says itself when to stop.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", end);
  const clientCertificate = process.env["PLUGIN_CLIENT_CERT"] ?? "";
  const own = clientCertificate === "" ? undefined : selfSigned("localhost");
  const credentials =
    own === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(
          Buffer.from(clientCertificate),
          [{ cert_chain: Buffer.from(own.pem), private_key: Buffer.from(own.key) }],
          true,
        );
  const server = serverOf(handlers, { prepare: ready, end });
  await new Promise<void>((done, failed) =>
    server.bindAsync(`unix:${socket}`, credentials, (error) =>
      error === null ? done() : failed(error),
    ),
  );
  endWithParent(end);
  const shown = own === undefined ? "" : own.der.toString("base64").replace(/=+$/, "");
  process.stdout.write(`1|${protocol}|unix|${socket}|grpc|${shown}\n`);
}

/** Whoever kills the engine outright leaves plug-ins behind. */
function endWithParent(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, limits.parentProcessCheckMs).unref();
}

interface Shutdown {
  /** Resolves once everything is done that has to be before the end. */
  readonly prepare: () => Promise<void>;
  readonly end: () => void;
}

function serverOf(handlers: Handlers, { prepare: ready, end }: Shutdown): Server {
  const server = new Server({
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
    "grpc.enable_channelz": 0,
  });
  for (const name of methodNames) {
    const { request, answer } = methodCodecs(name);
    registerUnary(server, `/tfplugin6.Provider/${name}`, { request, answer, work: handlers[name] });
  }
  const empty = codec("Empty");
  registerUnary(server, "/plugin.GRPCController/Shutdown", {
    request: empty,
    answer: empty,
    work: async () => {
      // The engine waits for this answer as long as it takes, and hardly any longer.
      await ready();
      setTimeout(end, limits.lastAnswerMs);
      return {};
    },
  });
  registerUnary(server, "/grpc.health.v1.Health/Check", {
    request: codec("HealthRequest"),
    answer: codec("HealthAnswer"),
    work: async () => ({ status: 1 }),
  });
  // Nothing is sent on these; they are held open until the engine goes away.
  const bytes = (message: object): Buffer => empty.encode(message);
  const ignored = (): object => ({});
  server.register("/plugin.GRPCStdio/StreamStdio", () => undefined, bytes, ignored, "serverStream");
  server.register("/plugin.GRPCBroker/StartStream", () => undefined, bytes, ignored, "bidi");
  return server;
}

function registerUnary(
  server: Server,
  path: string,
  {
    request,
    answer,
    work,
  }: { request: Codec; answer: Codec; work: (asked: object) => Promise<object> },
): void {
  server.register(
    path,
    (call: ServerUnaryCall<object, object>, reply: sendUnaryData<object>) => {
      work(call.request).then(
        (message) => reply(null, message),
        (error: unknown) => {
          const message = error instanceof Error ? error.message : String(error);
          log("error", message, { path });
          reply({ code: status.INTERNAL, details: message });
        },
      );
    },
    (message: object) => answer.encode(message),
    (bytes: Buffer) => request.decode(bytes),
    "unary",
  );
}
