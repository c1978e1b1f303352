// Servers repeat in their refusals what they were sent. What is secret of it is masked before anybody is told.
import { Failure } from "../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Kind } from "../core/kind.ts";
import { splitPointer } from "../core/pointer.ts";
import { sensitivePointers } from "../core/record.ts";
import { member } from "../core/schema.ts";

const mask = "•••";

/** Shorter texts are no secrets that anybody could keep, and masking them would leave nothing to read. */
const minimumSecretLength = 4;

/** The failure of a call that these wishes were in, with their secrets masked in its message and in what it says of members. */
export function redactFailure(
  failure: Failure,
  kind: Kind,
  wishes: readonly JsonObject[],
): Failure {
  const secrets = wishes
    .flatMap((wish) => sensitivePointers(kind, wish).map((place) => valueAt(wish, place)))
    .flatMap(secretTexts)
    .toSorted((one, other) => other.length - one.length);
  if (secrets.length === 0) return failure;
  const masked = (text: string): string =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, mask), text);
  const { code, message, cause, details, retryAfter, remedy } = failure;
  return new Failure(code, masked(message), {
    cause,
    ...(details !== undefined && { details: maskStrings(details, masked) as JsonObject }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(remedy !== undefined && { remedy }),
  });
}

function valueAt(wish: JsonObject, place: string): JsonValue | undefined {
  return splitPointer(place).reduce<JsonValue | undefined>(
    (held, step) => (isObject(held) ? member(held, step) : undefined),
    wish,
  );
}

/** Texts as they are, and as they stand in JSON, in addresses and in base64. */
function secretTexts(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") {
    if (value.length < minimumSecretLength) return [];
    const encoded = encodeURIComponent(value.toWellFormed());
    const coded = Buffer.from(value).toString("base64");
    return [value, JSON.stringify(value).slice(1, -1), encoded, coded];
  }
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(secretTexts)
    : [];
}

function maskStrings(value: JsonValue | undefined, masked: (text: string) => string): JsonValue {
  if (typeof value === "string") return masked(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => maskStrings(item, masked));
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, maskStrings(inner, masked)]),
  );
}
