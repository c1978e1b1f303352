// Describes in words why a connection to a server failed.
import { certificateProblem } from "./certificate-problems.ts";

const noTls = "it does not use TLS";

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host does not exist",
  EAI_AGAIN: "the DNS lookup of the host failed",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the network",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
};

/** Returns the reason of an error code of a connection; undefined for another code. */
export function connectionProblem(code: string): string | undefined {
  return certificateProblem(code)?.problem ?? reasons[code];
}
