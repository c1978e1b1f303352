// Runs a command with a client of the server that its flags name.
import { createClient } from "../../../client/client.ts";
import type { Client } from "../../../client/types.ts";
import { type ConnectionFlags, type ServerAccess, serverAccess } from "./connection.ts";

/** Runs `work` with a client, and closes it. `signal` aborts its calls. */
export async function withClient<T>(
  flags: ConnectionFlags,
  signal: AbortSignal,
  work: (client: Client, access: ServerAccess) => Promise<T>,
): Promise<T> {
  const access = await serverAccess(flags);
  const client = createClient({ ...access, signal });
  try {
    return await work(client, access);
  } finally {
    await client.close();
  }
}
