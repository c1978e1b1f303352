// Accepts connections before the server for them is loaded. An engine waits for the address of a plugin before it connects, so
// the plugin prints it first and loads what takes longer meanwhile.
import { once } from "node:events";
import { createServer, type ListenOptions, type Server, type Socket } from "node:net";

/** Serves a connection that was accepted. */
export type ServeConnection = (connection: Socket) => void;

/**
 * Listens at an address and returns at once. `load` is called with the first connection, or before it by the caller, and returns
 * the same promise each time. Connections wait for it; those that cannot be served are closed.
 */
export async function listenBeforeLoading(
  address: ListenOptions,
  load: () => Promise<ServeConnection>,
): Promise<Server> {
  const listener = createServer((connection) => {
    // An engine that ends resets its connections.
    connection.on("error", () => connection.destroy());
    load().then(
      (serve) => (connection.destroyed ? undefined : serve(connection)),
      () => connection.destroy(),
    );
  });
  listener.listen(address);
  await once(listener, "listening");
  return listener;
}
