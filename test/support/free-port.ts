// A port of this machine that no process listens on.
import { once } from "node:events";
import { createServer } from "node:net";

/** Returns a free port of 127.0.0.1. */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("no free port");
}
