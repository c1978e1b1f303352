// What is kept of a resource in the engine's private bytes: the server's id, and fingerprints of what is in no state.
import { randomBytes } from "node:crypto";
import { type Fingerprints } from "../../core/fingerprints.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import { recordedSpecOf } from "../../core/record.ts";
import { fingerprintsFor, fingerprintVariable } from "../bridge/connect.ts";

/** The private part of a resource's state. */
export interface PrivateState {
  readonly id: string | undefined;
  readonly salt: string;
  /** Fingerprints of the secrets as they were last written. */
  readonly writtenFingerprints: Readonly<Record<string, string>>;
  /** Fingerprints of the secrets as the last refresh saw them, of those that could be seen. */
  readonly observedFingerprints: Readonly<Record<string, string>>;
  /** From a plan to its apply: the fields whose change only follows an object that is renamed in place. */
  readonly fieldsFollowingRenames: readonly string[];
  /** From an import to the read that follows it: nobody has said yet what the object is to be like. */
  readonly isImport: boolean;
}

/** The memory in these bytes; a new one where there are none, as after an import by an older engine. */
export function decodePrivateState(bytes: Uint8Array | undefined): PrivateState {
  const fresh: PrivateState = {
    id: undefined,
    salt: newSalt(),
    writtenFingerprints: {},
    observedFingerprints: {},
    fieldsFollowingRenames: [],
    isImport: false,
  };
  if (bytes === undefined || bytes.length === 0) return fresh;
  try {
    const held: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    if (!isObject(held)) return fresh;
    const { id, salt, marks, seen, followed, isNew } = held;
    return {
      id: typeof id === "string" ? id : undefined,
      salt: typeof salt === "string" ? salt : fresh.salt,
      writtenFingerprints: isObject(marks) ? (marks as Record<string, string>) : {},
      observedFingerprints: isObject(seen) ? (seen as Record<string, string>) : {},
      fieldsFollowingRenames: Array.isArray(followed) ? followed.map(String) : [],
      isImport: isNew === true,
    };
  } catch {
    return fresh;
  }
}

function newSalt(): string {
  return randomBytes(16).toString("base64url");
}

/** The bytes that are kept. */
export function encodePrivateState({
  id,
  salt,
  writtenFingerprints: marks,
  observedFingerprints: seen,
  fieldsFollowingRenames: followed,
  isImport: isNew,
}: PrivateState): Buffer {
  const passing = { ...(followed.length > 0 && { followed }), ...(isNew && { isNew }) };
  return Buffer.from(JSON.stringify({ version: 1, id, salt, marks, seen, ...passing }));
}

/**
 * The fingerprints of a resource: of secrets under the key in the environment, else under the API key, which lies outside the
 * state as well.
 */
export function resourceFingerprints({ salt }: PrivateState, apiKey: string): Fingerprints {
  const key = process.env[fingerprintVariable] || apiKey;
  return fingerprintsFor(salt, { [fingerprintVariable]: key }).fingerprints;
}

/** The memory of a resource after `written` was applied to it; secrets among it leave their fingerprints. */
export function privateStateAfterWrite(
  memory: PrivateState,
  kind: Kind,
  { written, id, apiKey }: { written: JsonObject; id: string | undefined; apiKey: string },
): PrivateState {
  const { fingerprints } = recordedSpecOf(kind, written, resourceFingerprints(memory, apiKey).of);
  return {
    ...memory,
    id: id ?? memory.id,
    writtenFingerprints: { ...memory.writtenFingerprints, ...fingerprints },
    observedFingerprints: {},
  };
}

/** The memory of a resource after it was seen so; `secrets` are the fields that no state holds. */
export function privateStateAfterRefresh(
  memory: PrivateState,
  kind: Kind,
  { sight, secrets, apiKey }: { sight: ObservedObject; secrets: readonly string[]; apiKey: string },
): PrivateState {
  const { id = memory.id, spec } = sight;
  const shown = secrets.flatMap((field) => (spec[field] == null ? [] : [[field, spec[field]]]));
  const { of } = resourceFingerprints(memory, apiKey);
  const seen = recordedSpecOf(kind, Object.fromEntries(shown) as JsonObject, of).fingerprints;
  return { ...memory, id, observedFingerprints: seen };
}
