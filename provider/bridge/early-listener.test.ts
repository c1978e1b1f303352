// Tests connections that arrive before the server for them is loaded.
import { once } from "node:events";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { listenBeforeLoading, type ServeConnection } from "./early-listener.ts";

const echo: ServeConnection = (connection) => void connection.pipe(connection);

/** Listens, and returns a function that connects. */
async function listen(load: () => Promise<ServeConnection>): Promise<() => Promise<Socket>> {
  const announced = Promise.withResolvers<Server>();
  const listening = listenBeforeLoading(
    { host: "127.0.0.1", port: 0 },
    { announce: announced.resolve, load },
  );
  // The test of a load that fails is about the connections.
  listening.catch(() => undefined);
  const listener = await announced.promise;
  onTestFinished(() => void listener.close());
  const { port } = listener.address() as AddressInfo;
  return async () => {
    const client = connect(port, "127.0.0.1");
    await once(client, "connect");
    return client;
  };
}

it("serves what a connection sent before the server was loaded", async () => {
  const loaded = Promise.withResolvers<ServeConnection>();
  const open = await listen(() => loaded.promise);
  const clients = [await open(), await open()];
  for (const client of clients) client.end("hello");
  await sleep(20);
  loaded.resolve(echo);
  expect(await Promise.all(clients.map((client) => text(client)))).toEqual(["hello", "hello"]);
});

it("closes connections if the server cannot be loaded", async () => {
  const open = await listen(() => Promise.reject(new Error("broken")));
  const client = await open();
  expect(await text(client)).toBe("");
});

it("serves others after a connection was reset while it waited", async () => {
  const loaded = Promise.withResolvers<ServeConnection>();
  const served: Socket[] = [];
  const open = await listen(() => loaded.promise);
  const reset = await open();
  const client = await open();
  reset.resetAndDestroy();
  await sleep(20);
  loaded.resolve((connection) => {
    served.push(connection);
    echo(connection);
  });
  client.end("hello");
  expect(await text(client)).toBe("hello");
  expect(served).toHaveLength(1);
});
