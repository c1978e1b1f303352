// Serves the plugin protocol: handshake, mutual TLS, gRPC over a Unix socket, and shutdown with the parent process.
import { publication } from "../../../core/publication.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "../../../core/limits/limits.ts";
import { nodeVersionError } from "../../../core/system/node-version.ts";
import { listenBeforeLoading, type ServeConnection } from "../../bridge/early-listener.ts";
import { selfSigned } from "./certificate.ts";
import { isLogging } from "./log.ts";
import type { Handlers } from "./plugin-server.ts";

/** The version of the plugin protocol. */
const protocol = 6;

/** The environment variable with which the engine marks a plugin process. */
const magicCookie = {
  name: "TF_PLUGIN_MAGIC_COOKIE",
  value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
} as const;

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

/** A provider for one run of the engine. */
export interface Provider {
  readonly handlers: Handlers;
  /** Called once before the process ends, with a time limit. */
  close(): Promise<void>;
}

/**
 * Serves requests until the engine shuts the plugin down or exits. `loadProvider` is called once, after the handshake. With
 * `debug`, prints how an engine attaches, and serves until the process is interrupted.
 */
export async function servePlugin(
  loadProvider: () => Promise<Provider>,
  debug: boolean,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "svc-provider-"));
  const socket = join(folder, "s");
  let provider: Promise<Provider> | undefined;
  let cleanedUp: Promise<void> | undefined;
  const cleanUpOnce = (): Promise<void> =>
    (cleanedUp ??= Promise.race([
      Promise.resolve(provider).then((loaded) => loaded?.close()),
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
  const own = clientCertificate === "" ? undefined : selfSigned("localhost");
  const loadServer = async (): Promise<ServeConnection> => {
    provider = loadProvider();
    const { createPluginServer } = await import("./plugin-server.ts");
    const { handlers } = await provider;
    return createPluginServer(handlers, {
      tls: own && { clientCertificate, certificate: own.pem, key: own.key },
      logsRequests: isLogging(process.env),
      prepareShutdown: cleanUpOnce,
      end,
    });
  };
  const announce = (): void => {
    process.stdout.write(debug ? reattachText(socket) : handshakeLine(socket, own?.der));
    if (!debug) endWithParent(end);
  };
  await listenBeforeLoading({ path: socket }, { announce, load: loadServer });
}

/** Returns the line by which the engine finds the plugin. */
function handshakeLine(socket: string, certificate: Buffer | undefined): string {
  const text = certificate?.toString("base64").replace(/=+$/, "") ?? "";
  return `1|${protocol}|unix|${socket}|grpc|${text}\n`;
}

/** Returns the value of `TF_REATTACH_PROVIDERS` for this process. `Test` keeps the engine from ending the process. */
export function reattachValue(socket: string): string {
  const reattach = {
    Protocol: "grpc",
    ProtocolVersion: protocol,
    Pid: process.pid,
    Test: true,
    Addr: { Network: "unix", String: socket },
  };
  return JSON.stringify(Object.fromEntries(addresses.map((name) => [name, reattach])));
}

function reattachText(socket: string): string {
  return `The provider serves until it is interrupted. To attach Terraform or OpenTofu, set:\n\n  TF_REATTACH_PROVIDERS='${reattachValue(socket)}'\n\n`;
}

/** Ends the process if its parent was killed. */
function endWithParent(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, limits.parentProcessCheckMs).unref();
}
