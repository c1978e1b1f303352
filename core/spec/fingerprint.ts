// Fingerprints of values that must not be stored or cannot be read back.
import { createHmac } from "node:crypto";
import { canonical, type JsonValue } from "../json.ts";

const version = "v1";

/**
 * Returns a keyed hash (HMAC-SHA256, base64url) of the value's canonical JSON, prefixed with the format version. Equal
 * values have equal fingerprints with one key. Without the key, values cannot be guessed from the hash.
 */
export function fingerprint(value: JsonValue, key: string): string {
  const hash = createHmac("sha256", key).update(canonical(value), "utf8").digest("base64url");
  return `${version}:${hash}`;
}
