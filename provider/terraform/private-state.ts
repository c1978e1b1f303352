// The private state of a resource: the server's id and fingerprints of secrets that the state does not hold.
import { randomBytes } from "node:crypto";
import type { Fingerprints } from "../../core/spec/fingerprints.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { recordedSpecOf } from "../../core/spec/record.ts";
import { fingerprintsFor, fingerprintVariable } from "../bridge/connect.ts";

/** The private part of a resource's state. */
export interface PrivateState {
  readonly id: string | undefined;
  readonly salt: string;
  /** Fingerprints of the secrets at the last write. */
  readonly writtenFingerprints: Readonly<Record<string, string>>;
  /** Fingerprints of the secrets that the last refresh returned. */
  readonly observedFingerprints: Readonly<Record<string, string>>;
  /** Passed from plan to apply: fields whose change only follows an object that is renamed in place. */
  readonly fieldsFollowingRenames: readonly string[];
  /** JSON Pointers of the fields that the configuration had at the last write; after an import, of those with rights. */
  readonly configuredFields: readonly string[];
  /** Passed from an import to the read after it: no configuration of the object is known yet. */
  readonly isImport: boolean;
}

/** Decodes private state. Returns a new one if there is none, as after an import by an older engine. */
export function decodePrivateState(bytes: Uint8Array | undefined): PrivateState {
  const empty: PrivateState = {
    id: undefined,
    salt: newSalt(),
    writtenFingerprints: {},
    observedFingerprints: {},
    fieldsFollowingRenames: [],
    configuredFields: [],
    isImport: false,
  };
  if (bytes === undefined || bytes.length === 0) return empty;
  try {
    const decoded: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    if (!isObject(decoded)) return empty;
    const { id, salt, written, observed, followed, configured, isImport } = decoded;
    return {
      id: typeof id === "string" ? id : undefined,
      salt: typeof salt === "string" ? salt : empty.salt,
      writtenFingerprints: isObject(written) ? (written as Record<string, string>) : {},
      observedFingerprints: isObject(observed) ? (observed as Record<string, string>) : {},
      fieldsFollowingRenames: Array.isArray(followed) ? followed.map(String) : [],
      configuredFields: Array.isArray(configured) ? configured.map(String) : [],
      isImport: isImport === true,
    };
  } catch {
    return empty;
  }
}

function newSalt(): string {
  return randomBytes(16).toString("base64url");
}

/** Encodes private state. */
export function encodePrivateState({
  id,
  salt,
  writtenFingerprints: written,
  observedFingerprints: observed,
  fieldsFollowingRenames: followed,
  configuredFields: configured,
  isImport,
}: PrivateState): Buffer {
  const optional = {
    ...(followed.length > 0 && { followed }),
    ...(configured.length > 0 && { configured }),
    ...(isImport && { isImport }),
  };
  return Buffer.from(JSON.stringify({ version: 1, id, salt, written, observed, ...optional }));
}

/**
 * Returns the fingerprints of a resource. Secrets use the key in the environment, or else the API key. Both are outside the
 * state.
 */
export function resourceFingerprints({ salt }: PrivateState, apiKey: string): Fingerprints {
  const key = process.env[fingerprintVariable] || apiKey;
  return fingerprintsFor(salt, { [fingerprintVariable]: key }).fingerprints;
}

/** Returns the private state after a write, with fingerprints of the written secrets. */
export function privateStateAfterWrite(
  privateState: PrivateState,
  kind: Kind,
  { written, id, apiKey }: { written: JsonObject; id: string | undefined; apiKey: string },
): PrivateState {
  const { fingerprints } = recordedSpecOf(
    kind,
    written,
    resourceFingerprints(privateState, apiKey).of,
  );
  return {
    ...privateState,
    id: id ?? privateState.id,
    writtenFingerprints: { ...privateState.writtenFingerprints, ...fingerprints },
    observedFingerprints: {},
  };
}

/** Returns the private state after a refresh. `secrets` are the fields that the state does not hold. */
export function privateStateAfterRefresh(
  privateState: PrivateState,
  kind: Kind,
  {
    observed,
    secrets,
    apiKey,
  }: { observed: ObservedObject; secrets: readonly string[]; apiKey: string },
): PrivateState {
  const { id = privateState.id, spec } = observed;
  const returned = secrets.flatMap((field) => (spec[field] == null ? [] : [[field, spec[field]]]));
  const { of } = resourceFingerprints(privateState, apiKey);
  const { fingerprints } = recordedSpecOf(kind, Object.fromEntries(returned) as JsonObject, of);
  return { ...privateState, id, observedFingerprints: fingerprints };
}
