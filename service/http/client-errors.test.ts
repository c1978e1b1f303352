// Responses on connections whose request cannot be parsed.
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { handleClientError } from "./client-errors.ts";

async function responseTo(code: string | undefined): Promise<string> {
  const error = Object.assign(new Error("no"), code === undefined ? {} : { code });
  const server = createServer((socket) => handleClientError(error, socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let got = "";
  client.on("data", (bytes) => (got += bytes.toString("utf8")));
  await once(client, "close");
  server.close();
  return got;
}

describe("a connection with an unreadable request", () => {
  it.each([
    ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout", "timeout"],
    ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large", "head_too_large"],
    ["HPE_INVALID_METHOD", "400 Bad Request", "invalid"],
    [undefined, "400 Bad Request", "invalid"],
  ])("for %s gets %s", async (why, status, code) => {
    const [head = "", body = ""] = (await responseTo(why)).split("\r\n\r\n");
    expect(head.split("\r\n")[0]).toBe(`HTTP/1.1 ${status}`);
    expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
    expect(JSON.parse(body)).toMatchObject({ code, statusCode: Number(status.slice(0, 3)) });
  });
});
