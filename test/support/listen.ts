// Servers of tests listen on a free port of this machine.
import type { AddressInfo, Server } from "node:net";

/** Starts a server on a free port of 127.0.0.1, and returns the URL of an HTTP server there. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
