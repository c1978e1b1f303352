// Accepts connections before the server for them is loaded. An engine waits for the address of a plugin before it
// connects, so the plugin prints it first and loads the slower parts meanwhile.
import { once } from "node:events";
import { createServer, type ListenOptions, type Server, type Socket } from "node:net";

/** Serves a connection that was accepted. */
export type ServeConnection = (connection: Socket) => void;

/** The steps after the plugin listens, in this order. */
export interface ListenSteps {
  /** Announces the address to the engine. */
  readonly announce: (listener: Server) => void;
  /** Loads the server of the connections. */
  readonly load: () => Promise<ServeConnection>;
}

/**
 * Listens at an address, announces it and loads. Connections wait until that is done; those that cannot be served are closed.
 * Fails as `load` does.
 */
export async function listenBeforeLoading(
  address: ListenOptions,
  { announce, load }: ListenSteps,
): Promise<Server> {
  const loaded = Promise.withResolvers<ServeConnection>();
  const listener = createServer((connection) => {
    // An engine that ends resets its connections.
    connection.on("error", () => connection.destroy());
    loaded.promise.then(
      (serve) => (connection.destroyed ? undefined : serve(connection)),
      () => connection.destroy(),
    );
  });
  listener.listen(address);
  await once(listener, "listening");
  announce(listener);
  loaded.resolve(load());
  await loaded.promise;
  return listener;
}
