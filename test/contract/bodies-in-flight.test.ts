// Tests that the limit on bytes of request bodies holds on the API and at the address of a deployment before a body arrives.
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;
let sockets: Socket[];

beforeEach(async () => {
  service = await startService();
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await service.close();
});

/** Announces a body of the maximum size without sending it. Resolves with the status of the answer. */
function announceBody(path: string, credential: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${credential}`,
    "Content-Type: application/json",
    `Content-Length: ${limits.bodyBytes}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  return new Promise((resolve, reject) => {
    socket.once("data", (bytes) => resolve(bytes.toString("latin1").slice(9, 12)));
    socket.once("error", reject);
  });
}

async function queryToken(): Promise<string> {
  const { body } = await service.send("POST", "/api/v1/deployments/1/token", { body: {} });
  return (body as { svcApiToken: string }).svcApiToken;
}

it.each([
  ["the API", "/api/v1/deployments/1/workbooks", async () => service.adminKey],
  ["the address of a deployment", "/deployments/main/svcjs-api/v1/load", queryToken],
])("sheds what is over it: %s", { timeout: 30_000 }, async (_where, path, credential) => {
  const key = await credential();
  const fitting = limits.accountBodiesInFlightBytes / limits.bodyBytes;
  const answers = Array.from({ length: fitting + 1 }, () => announceBody(path, key));
  // The others wait for their bodies.
  expect(await Promise.race(answers)).toBe("503");
});
