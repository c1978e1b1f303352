// Validates the address and headers of a request before routing.
import type { FastifyRequest } from "fastify";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";

/** Headers that two programs could interpret differently if they are repeated. */
const nonRepeatableHeaders = ["authorization", "host", "content-type", "content-length"];

/** The headers by length. All lengths differ, and most other headers have other lengths, so few names are compared. */
const byLength = new Map(nonRepeatableHeaders.map((name) => [name.length, name]));

/**
 * Throws `uri_too_long`, `invalid` for a missing Host or a repeated header, and `unsupported_media_type` for a
 * compressed body or one that is not UTF-8.
 */
export function validateRequestHead({ raw, url, headers }: FastifyRequest): void {
  if (url.length > limits.urlBytes) {
    throw new Failure(
      "uri_too_long",
      `the address is longer than ${limits.urlBytes} bytes; shorten it`,
    );
  }
  const twice = repeatedHeader(raw.rawHeaders);
  if (twice !== undefined) {
    throw new Failure("invalid", `the ${twice} header is repeated; send it once`);
  }
  if (headers.host === undefined && raw.httpVersion !== "1.0") {
    throw new Failure("invalid", "the Host header is missing; send it");
  }
  refuseContentEncoding(headers["content-encoding"]);
  refuseCharset(headers["content-type"]);
}

function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? "";
    const name = byLength.get(sent.length);
    if (name === undefined || name !== sent.toLowerCase()) continue;
    if (seen.includes(name)) return name;
    seen.push(name);
  }
  return undefined;
}

function refuseContentEncoding(coding: string | undefined): void {
  if (coding === undefined || coding.toLowerCase() === "identity") return;
  throw new Failure(
    "unsupported_media_type",
    "the body has a Content-Encoding; send it uncompressed",
  );
}

function refuseCharset(type: string | undefined): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type ?? "")?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  throw new Failure("unsupported_media_type", "the body must be in UTF-8; encode it as UTF-8");
}
