// `svc serve`: runs the backing service until a signal stops it.
import { join } from "node:path";
import { Command } from "commander";
import { writePrivate } from "../store/private-files.ts";
import type { RunningServer } from "../server/server.ts";
import { printLine } from "./print-line.ts";
import { type Flags, withServeOptions } from "./serve-options.ts";

/** Returns the `serve` command. */
export function serveCommand(): Command {
  const command = new Command("serve").description("Run the backing service on this machine.");
  return withServeOptions(command).action(serve);
}

async function serve(flags: Flags): Promise<void> {
  const [{ startServer }, { serverOptionsOf }] = await Promise.all([
    import("../server/server.ts"),
    import("./server-options.ts"),
  ]);
  const starting = startServer(serverOptionsOf(flags));
  // Without a listener the signal would end the process, even while it starts.
  process.on("SIGHUP", () => {
    starting.then(
      (started) => started.reloadCertificate(),
      () => undefined,
    );
  });
  const server = await starting;
  const stopped = untilStopped(server);
  try {
    announce(server, flags);
  } catch (error) {
    // A server whose address cannot be written to the ready file must not keep running.
    await server.close();
    throw error;
  }
  await stopped;
}

/**
 * Prints the address and the paths of the key files. Keys go into files that only their owner can
 * read, never to a terminal.
 */
function announce(server: RunningServer, { readyFile, data = "" }: Flags): void {
  const { url, metricsUrl, accounts } = server;
  if (readyFile !== undefined) writePrivate(readyFile, `${JSON.stringify(readyOf(server))}\n`);
  if (metricsUrl !== undefined) printLine(`Metrics are at ${metricsUrl}`);
  const isOne = accounts.every(({ name }) => name === undefined);
  const key = readyFile ?? join(data, isOne ? "" : "ACCOUNT", "admin-key.json");
  const keys = isOne ? "an administrator's key is" : `administrators' keys are`;
  const served = isOne
    ? ""
    : ` for ${accounts.length} ${accounts.length === 1 ? "account" : "accounts"}`;
  printLine(`Serving ${url}${served}; ${keys} in ${key}`);
}

/** Returns the address and key that a client needs. */
function readyOf({ url, metricsUrl, adminKey, accounts }: RunningServer): object {
  const shared = metricsUrl === undefined ? { url } : { url, metricsUrl };
  if (accounts.every(({ name }) => name === undefined)) {
    return { ...shared, apiKey: adminKey.reveal() };
  }
  return {
    ...shared,
    accounts: accounts.map((account) => ({
      name: account.name,
      hosts: account.hosts,
      apiKey: account.adminKey.reveal(),
    })),
  };
}

/** Resolves once a signal has stopped the server. A second signal ends the process immediately. */
async function untilStopped(server: RunningServer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let isStopping = false;
    const onSignal = (): void => {
      if (isStopping) process.exit(130);
      isStopping = true;
      server.close().then(resolve, reject);
    };
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  });
}
