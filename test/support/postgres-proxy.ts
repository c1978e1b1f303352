// Runs a proxy before PostgreSQL that loses the response to a commit or another statement, which the database has executed.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A running proxy. */
export interface PostgresProxy {
  /** The address of the database through the proxy. */
  readonly url: string;
  /** Number of dropped answers so far. */
  readonly lostCommits: number;
  /** From now on, drops the connection of the next commit once the database has answered it. */
  dropCommitResponse(): void;
  /** From now on, drops the connection once, for the first statement that contains a text. */
  dropResponse(text: string): void;
  close(): Promise<void>;
}

/** The `commit` query message in the wire protocol. */
const commit = Buffer.from("Q\0\0\0\vcommit\0", "latin1");

/** Starts a proxy in front of the database of a URL. Close it after the test. */
export async function startPostgresProxy(database: string): Promise<PostgresProxy> {
  const target = new URL(database);
  const sockets = new Set<Socket>();
  let armed: Buffer | undefined;
  let lost = 0;
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    let doomed = false;
    const drop = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", drop).on("close", () => {
        sockets.delete(socket);
        drop();
      });
    }
    near.on("data", (bytes) => {
      if (armed !== undefined && bytes.includes(armed)) [armed, doomed] = [undefined, true];
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (!doomed) return void near.write(bytes);
      lost++;
      drop();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const through = new URL(target);
  through.hostname = "127.0.0.1";
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    get lostCommits() {
      return lost;
    },
    dropCommitResponse: () => void (armed = commit),
    dropResponse: (text) => void (armed = Buffer.from(text)),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
