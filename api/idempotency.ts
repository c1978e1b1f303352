// The `Idempotency-Key` header and the operations that accept it. Shared by the service, the OpenAPI document and the client.
import type { Operation } from "../core/operation/operation.ts";

/** The request header, named as in the IETF draft. */
export const idempotencyKeyHeader = "Idempotency-Key";

/** The response header that marks a repeated response. */
export const idempotentReplayedHeader = "Idempotent-Replayed";

/** Longest key, in characters. */
export const idempotencyKeyMaxLength = 255;

/** The header: printable ASCII, in double quotes as in the standard, or bare without spaces, quotes and commas. */
export const idempotencyKeyPattern = String.raw`^(?:"(?:[ !#-\[\]-~]|\\["\\])+"|[!#-+\--~]+)$`;

/** Returns whether an operation accepts an idempotency key: a non-repeatable write with an authenticated caller. */
export function takesIdempotencyKey({
  effect,
  repeatable,
  permission,
}: Pick<Operation, "effect" | "repeatable" | "permission">): boolean {
  return effect === "write" && !repeatable && permission !== "public";
}
