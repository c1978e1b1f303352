// Requests that never became one: not HTTP, too much of a head, or too slow. They get the same body as every other mistake.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { problem } from "../../api/problems.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";

const clientErrors: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    "head_too_large",
    `the address and headers together are larger than ${limits.headBytes} bytes; send less`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    "timeout",
    `the request did not arrive within ${limits.requestMs / 1000} seconds, or its headers within ${limits.headMs / 1000}; try again`,
  ],
};

/** Answers on a connection whose request could not be read, and closes it. */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || hasStartedResponse(socket)) {
    socket.destroy();
    return;
  }
  const [code, text] = clientErrors[error.code ?? ""] ?? [
    "invalid",
    "the request is not valid HTTP",
  ];
  const body = problem(code, text);
  const bytes = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${body.statusCode} ${STATUS_CODES[body.statusCode] ?? ""}\r\n` +
      "content-type: application/json; charset=utf-8\r\ncache-control: no-store\r\n" +
      `content-length: ${Buffer.byteLength(bytes)}\r\nconnection: close\r\n\r\n${bytes}`,
  );
}

/** Node keeps the answer that is being written on the socket; nothing may be put between its bytes. */
function hasStartedResponse(socket: object): boolean {
  const answer: unknown = "_httpMessage" in socket ? socket._httpMessage : undefined;
  return (
    typeof answer === "object" &&
    answer !== null &&
    "headersSent" in answer &&
    answer.headersSent === true
  );
}
