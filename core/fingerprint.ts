// Fingerprints: what is kept of a value that must not be stored or cannot be read back.
import { createHmac } from "node:crypto";
import { canonical, type JsonValue } from "./json.ts";

const version = "v1";

/**
 * A keyed hash (HMAC-SHA256, base64url) of the value's canonical JSON, after the version of this recipe. Equal values have
 * equal fingerprints under one key; without the key nothing can be tried against it.
 */
export function fingerprint(value: JsonValue, key: string): string {
  const hash = createHmac("sha256", key).update(canonical(value), "utf8").digest("base64url");
  return `${version}:${hash}`;
}
