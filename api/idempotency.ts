// The `Idempotency-Key` header: which operations take one, for service, description and client alike.
import type { Operation } from "../core/operation.ts";

/** The request header, as the IETF's draft names it. */
export const idempotencyKeyHeader = "Idempotency-Key";

/** The header of an answer that was given before. */
export const idempotentReplayedHeader = "Idempotent-Replayed";

/** Longest key, in characters. */
export const idempotencyKeyMaxLength = 255;

/** True for a write that must not simply be sent again, by a caller who can be told from others. */
export function takesIdempotencyKey({
  effect,
  repeatable,
  access,
}: Pick<Operation, "effect" | "repeatable" | "access">): boolean {
  return effect === "write" && !repeatable && access !== "anyone";
}
