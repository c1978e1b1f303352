// Masks secrets in failures, because servers repeat request values in error messages.
import { Failure } from "../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Kind } from "../core/kind/kind.ts";
import { memberAt } from "../core/pointer.ts";
import { sensitivePointers } from "../core/spec/record.ts";

const mask = "•••";

/** Minimum length of a masked secret. Masking shorter values would make messages unreadable. */
const minimumSecretLength = 4;

/** Masks the secrets of the specs of a call in the message and the details of its failure. */
export function redactFailure(failure: Failure, kind: Kind, specs: readonly JsonObject[]): Failure {
  const secrets = specs.flatMap((spec) => secretsOf(kind, spec));
  if (secrets.length === 0) return failure;
  const masked = secretMask(secrets);
  const { code, message, cause, details, retryAfter, remedy } = failure;
  return new Failure(code, masked(message), {
    cause,
    ...(details !== undefined && { details: maskStrings(details, masked) as JsonObject }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(remedy !== undefined && { remedy }),
  });
}

/** Returns the values of the secret fields of a spec. */
export function secretsOf(kind: Kind, spec: JsonObject): readonly JsonValue[] {
  return sensitivePointers(kind, spec).flatMap((pointer) => memberAt(spec, pointer) ?? []);
}

/** Returns a function that masks all strings in these values. Keeps strings that are too short to be secrets. */
export function secretMask(values: readonly JsonValue[]): (text: string) => string {
  const secrets = values.flatMap(secretTexts).toSorted((one, other) => other.length - one.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, mask), text);
}

/** Returns all strings in a value, as they are and encoded for JSON, URLs and base64. */
function secretTexts(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") {
    if (value.length < minimumSecretLength) return [];
    const encoded = encodeURIComponent(value.toWellFormed());
    const base64 = Buffer.from(value).toString("base64");
    return [value, JSON.stringify(value).slice(1, -1), encoded, base64];
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
