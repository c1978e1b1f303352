// Answers requests that Node cannot parse: invalid HTTP, headers that are too large, or clients that are too slow. They
// get the usual error body.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { problem } from "../../api/problems.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";

const clientErrors: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    "head_too_large",
    `the request line and headers are larger than ${limits.headBytes} bytes; send less`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    "timeout",
    `the request did not arrive within ${limits.requestMs / 1000} seconds, or its headers within ${limits.headMs / 1000}; try again`,
  ],
};

/** Writes the error response and closes the connection. */
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

/** Returns true while Node is writing a response on the socket; nothing may be written in between. */
function hasStartedResponse(socket: object): boolean {
  const answer: unknown = "_httpMessage" in socket ? socket._httpMessage : undefined;
  return (
    typeof answer === "object" &&
    answer !== null &&
    "headersSent" in answer &&
    answer.headersSent === true
  );
}
