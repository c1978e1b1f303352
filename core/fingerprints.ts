// The fingerprints of one run: of what cannot be read back under the inventory's salt, of secrets under a key from outside.
import { createHmac } from "node:crypto";
import { fingerprint } from "./fingerprint.ts";
import type { Fingerprint } from "./record.ts";
import type { Secret } from "./secret.ts";

/** Fingerprints by name, as an entry or a change holds them. */
export type FingerprintMap = Readonly<Record<string, string>>;

/** Makes fingerprints, and knows its own. */
export interface Fingerprints {
  readonly of: Fingerprint;
  /** Those that can be compared here: all but fingerprints of secrets made with another key. */
  comparable(marks: FingerprintMap): FingerprintMap;
}

const keyedPrefix = "key:";

/** Fingerprints under the salt and, of secrets, under the key, whose own mark they bear. */
export function fingerprintsWith(salt: string, key: Secret): Fingerprints {
  const secret = key.reveal();
  const id = createHmac("sha256", secret).update("id").digest("base64url").slice(0, 12);
  const ours = `${keyedPrefix}${id}:`;
  return {
    of: (value, isSecret) =>
      isSecret ? `${ours}${fingerprint(value, secret)}` : fingerprint(value, salt),
    comparable: (marks) =>
      Object.fromEntries(
        Object.entries(marks).filter(
          ([, mark]) => !mark.startsWith(keyedPrefix) || mark.startsWith(ours),
        ),
      ),
  };
}
