// Entry point of `pulumi-resource-svc`: serves the provider on a loopback port and prints the port number on the first line.
import { Server, ServerCredentials } from "@grpc/grpc-js";
import packageFile from "../../package.json" with { type: "json" };
import { limits } from "../../core/limits.ts";
import { lazyService } from "./lazy-service.ts";

const loadProvider = async () => {
  const { createProvider } = await import("./create-provider.ts");
  return createProvider(packageFile.version);
};
let loaded: ReturnType<typeof loadProvider> | undefined;
/** Returns the provider, which is loaded once. */
const provider = () => (loaded ??= loadProvider());

/** Starts loading the provider. The first request reports an error, if there is one. */
function preload(): void {
  provider().catch(() => undefined);
}

const server = new Server({
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
});
const service = lazyService(provider);
server.addService(service.definition, service.handlers);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`${port}\n`, preload);
});

let isShuttingDown = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void shutDown());
// A killed engine sends no signal: exit when the parent process changes.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) void shutDown();
}, limits.parentProcessCheckMs).unref();

/** Waits for the writes in progress, at most as long as the engine waits before it kills the plugin, and exits. */
async function shutDown(): Promise<void> {
  if (isShuttingDown) return;
  isShuttingDown = true;
  setTimeout(() => process.exit(1), limits.engineGraceMs).unref();
  const session = (await loaded?.catch(() => undefined))?.session;
  session?.stop();
  await session?.idle();
  await session?.close();
  server.forceShutdown();
  process.exit(0);
}
