// Entry point of `pulumi-resource-svc`: serves the provider on a loopback port and prints the port number on the first line.
import type { AddressInfo } from "node:net";
import packageFile from "../../package.json" with { type: "json" };
import { limits } from "../../core/limits/limits.ts";
import { listenBeforeLoading } from "../bridge/early-listener.ts";

const loadProvider = async () => {
  const { createProvider, createProviderServer } = await import("./create-provider.ts");
  const provider = createProvider(packageFile.version);
  return { ...provider, serve: createProviderServer(provider) };
};
let loaded: ReturnType<typeof loadProvider> | undefined;

void listenBeforeLoading(
  { host: "127.0.0.1", port: 0 },
  {
    announce: (listener) =>
      void process.stdout.write(`${(listener.address() as AddressInfo).port}\n`),
    load: async () => (await (loaded = loadProvider())).serve,
  },
);

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
  process.exit(0);
}
