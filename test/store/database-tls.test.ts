// Tests the errors of the server and of an inventory for a database without TLS or with an untrusted certificate.
import { type AddressInfo, createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Secret } from "../../core/secret.ts";
import { postgresBackend } from "../../reconciler/inventory/postgres.ts";
import { openPostgres } from "../../service/store/postgres.ts";
import { makeAuthority } from "../support/certificates.ts";

/** Starts a server that answers the request for TLS, the first message of a connection. Returns its address. */
async function startDatabase(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("data", () => answer(socket));
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `postgres://svc:secret@127.0.0.1:${(server.address() as AddressInfo).port}/svc`;
}

const withoutTls = (socket: Socket): void => void socket.write("N");

/** Returns the errors of the server and of an inventory for an address. */
async function failuresAt(url: string): Promise<readonly unknown[]> {
  const inventory = postgresBackend(new Secret(url), "shop");
  onTestFinished(() => inventory.close());
  return Promise.all(
    [openPostgres(url), inventory.load()].map((failing) =>
      failing.then(
        () => undefined,
        (error: unknown) => error,
      ),
    ),
  );
}

describe("a database without TLS", () => {
  it.each(["require", "prefer", "verify-ca", "verify-full"])(
    "is refused with sslmode=%s, and the driver warns of nothing",
    async (mode) => {
      const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
      onTestFinished(() => warn.mockRestore());
      const url = await startDatabase(withoutTls);
      const failure = {
        code: "unavailable",
        message: expect.stringContaining("it offers no TLS"),
        remedy: expect.stringContaining("sslmode=disable"),
      };
      expect(await failuresAt(`${url}?sslmode=${mode}`)).toMatchObject([failure, failure]);
      expect(warn).not.toHaveBeenCalled();
    },
  );
});

describe("a database that is reached over TLS", () => {
  it("is refused where its certificate is not trusted", async () => {
    const authority = await makeAuthority();
    const certificate = await authority.issue(["127.0.0.1"]);
    const url = await startDatabase((socket) => {
      socket.write("S");
      new TLSSocket(socket, { isServer: true, ...certificate }).on("error", () => undefined);
    });
    const failure = {
      code: "unavailable",
      message: expect.stringMatching(/its TLS certificate is/u),
      remedy: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    };
    expect(await failuresAt(`${url}?sslmode=require`)).toMatchObject([failure, failure]);
  });

  it("is refused where what answers is no database", async () => {
    const url = await startDatabase(
      (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    );
    const failure = { message: expect.stringContaining("it does not answer as PostgreSQL does") };
    expect(await failuresAt(`${url}?sslmode=verify-full`)).toMatchObject([failure, failure]);
  });
});
