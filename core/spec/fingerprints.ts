// Fingerprints of one run: unreadable values use the inventory's salt, secrets use an external key.
import { createHmac } from "node:crypto";
import type { RecordedFingerprints } from "./diff.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Fingerprint } from "./record.ts";
import type { Secret } from "../secret.ts";

/** Fingerprints by name. */
export type FingerprintMap = Readonly<Record<string, string>>;

/** Creates fingerprints and filters those that it can compare. */
export interface Fingerprints {
  readonly of: Fingerprint;
  /** Returns the fingerprints that can be compared: all except fingerprints of secrets with a different key. */
  comparable(fingerprints: FingerprintMap): FingerprintMap;
}

const keyedPrefix = "key:";

/**
 * Creates fingerprints with the salt, or for secrets with the key. Fingerprints of secrets contain an ID of the key.
 */
export function fingerprintsWith(salt: string, key: Secret): Fingerprints {
  const secret = key.reveal();
  const id = createHmac("sha256", secret).update("id").digest("base64url").slice(0, 12);
  const ours = `${keyedPrefix}${id}:`;
  return {
    of: (value, isSecret) =>
      isSecret ? `${ours}${fingerprint(value, secret)}` : fingerprint(value, salt),
    comparable: (fingerprints) =>
      Object.fromEntries(
        Object.entries(fingerprints).filter(
          ([, value]) => !value.startsWith(keyedPrefix) || value.startsWith(ours),
        ),
      ),
  };
}

/** Returns the fingerprints that recorded ones are compared with: those that this run can compute. */
export function recordedFingerprints(
  fingerprints: Fingerprints,
  recorded: FingerprintMap = {},
): RecordedFingerprints {
  return { fingerprints: fingerprints.comparable(recorded), fingerprint: fingerprints.of };
}
