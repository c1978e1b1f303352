// `pulumi-resource-svc`: serves the provider on a port of this machine, whose number is the first line of standard output.
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import packageFile from "../../package.json" with { type: "json" };
import { limits } from "../../core/limits.ts";
import { lazyHandlers } from "./lazy-handlers.ts";

const loadProvider = async () => {
  const { createProvider: begun } = await import("./create-provider.ts");
  return begun(packageFile.version);
};
let loaded: ReturnType<typeof loadProvider> | undefined;
/** Everything but the way to it, loaded once. */
const provider = () => (loaded ??= loadProvider());

/** What goes wrong here is told to whoever asks first. */
function preload(): void {
  provider().catch(() => undefined);
}

const server = new Server({
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
});
server.addService(
  ResourceProviderService,
  lazyHandlers(async () => (await provider()).handlers),
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`${port}\n`, preload);
});

let ending = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void end());
// An engine that was killed sends no signal.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) void end();
}, limits.parentProcessCheckMs).unref();

/** Writes on their way are let end, within the time that the engine grants before it kills. */
async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  setTimeout(() => process.exit(1), limits.engineGraceMs).unref();
  const session = (await loaded?.catch(() => undefined))?.session;
  session?.stop();
  await session?.idle();
  await session?.close();
  server.forceShutdown();
  process.exit(0);
}
