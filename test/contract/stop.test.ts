// Tests stopping a server with keep-alive connections: every received request gets a response.
import { on, once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";

const connections = 16;
let service: TestService;
let sockets: Socket[];

beforeEach(() => {
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await service.close();
});

/** Starts a service with the group that requests change. */
async function start(options: Parameters<typeof startService>[0] = {}): Promise<void> {
  service = await startService(options);
  const { body } = await service.send("POST", "/api/v1/user-groups", {
    body: { name: "analysts" },
  });
  expect(body).toMatchObject({ id: 1 });
}

async function open(): Promise<Socket> {
  const { hostname: host, port } = new URL(service.url);
  const socket = connect({ host, port: Number(port) });
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

/** Sends a request and returns the head of its response. Rejects if the connection ends without one. */
async function send(socket: Socket): Promise<string> {
  const body = JSON.stringify({ name: "analysts" });
  const head = [
    "PATCH /api/v1/user-groups/1 HTTP/1.1",
    "host: localhost",
    `authorization: Bearer ${service.adminKey}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  let text = "";
  for await (const [part] of on(socket, "data", { close: ["end"] })) {
    text += (part as Buffer).toString("latin1");
    const [received = "", rest] = text.split("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (rest !== undefined && rest.length >= length) return received;
  }
  throw new Error(`the connection ended after ${text.length} bytes of a response`);
}

const closes = (head: string): boolean => /^connection: close$/im.test(head);

describe("a server that stops", () => {
  it("answers each request of busy connections, and closes them with the last response", async () => {
    await start({ idleGraceMs: 60_000 });
    const answered = new Set<Socket>();
    const repeat = async (): Promise<string> => {
      const socket = await open();
      for (;;) {
        const head = await send(socket);
        answered.add(socket);
        if (closes(head)) return head;
        expect(head).toMatch(/^HTTP\/1\.1 200 /);
      }
    };
    const ends = Promise.all(Array.from({ length: connections }, repeat));
    const stop = async (): Promise<void> => {
      // The system resets connections that the server has not accepted.
      await expect.poll(() => answered.size).toBe(connections);
      await service.close();
    };
    const [heads] = await Promise.all([ends, stop()]);
    for (const head of heads) expect(head).toMatch(/^HTTP\/1\.1 (?:200|503) /);
  });

  it("answers what it received on idle connections, and closes the others", async () => {
    await start();
    const idle = await open();
    expect(closes(await send(idle))).toBe(false);
    const busy = await open();
    expect(closes(await send(busy))).toBe(false);
    const idleEnded = once(idle, "close");
    const response = send(busy);
    const stopped = service.close();
    expect(closes(await response)).toBe(true);
    await stopped;
    await idleEnded;
  });
});
