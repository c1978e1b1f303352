// What is kept of a resource in the engine's private bytes: the server's id, and fingerprints of what is in no state.
import { randomBytes } from "node:crypto";
import { type Fingerprints } from "../../core/fingerprints.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import type { Kind, Sight } from "../../core/kind.ts";
import { keptOf } from "../../core/record.ts";
import { fingerprintsFor, fingerprintVariable } from "../bridge/connect.ts";

/** The private part of a resource's state. */
export interface Memory {
  readonly id: string | undefined;
  readonly salt: string;
  /** Fingerprints of the secrets as they were last written. */
  readonly marks: Readonly<Record<string, string>>;
  /** Fingerprints of the secrets as the last refresh saw them, of those that could be seen. */
  readonly seen: Readonly<Record<string, string>>;
  /** From a plan to its apply: the fields whose change only follows an object that is renamed in place. */
  readonly followed: readonly string[];
  /** From an import to the read that follows it: nobody has said yet what the object is to be like. */
  readonly isNew: boolean;
}

/** The memory in these bytes; a new one where there are none, as after an import by an older engine. */
export function memoryIn(bytes: Uint8Array | undefined): Memory {
  const fresh = { id: undefined, salt: newSalt(), marks: {}, seen: {}, followed: [], isNew: false };
  if (bytes === undefined || bytes.length === 0) return fresh;
  try {
    const held: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    if (!isObject(held)) return fresh;
    const { id, salt, marks, seen, followed, isNew } = held;
    return {
      id: typeof id === "string" ? id : undefined,
      salt: typeof salt === "string" ? salt : fresh.salt,
      marks: isObject(marks) ? (marks as Record<string, string>) : {},
      seen: isObject(seen) ? (seen as Record<string, string>) : {},
      followed: Array.isArray(followed) ? followed.map(String) : [],
      isNew: isNew === true,
    };
  } catch {
    return fresh;
  }
}

function newSalt(): string {
  return randomBytes(16).toString("base64url");
}

/** The bytes that are kept. */
export function bytesOf({ id, salt, marks, seen, followed, isNew }: Memory): Buffer {
  const passing = { ...(followed.length > 0 && { followed }), ...(isNew && { isNew }) };
  return Buffer.from(JSON.stringify({ version: 1, id, salt, marks, seen, ...passing }));
}

/**
 * The fingerprints of a resource: of secrets under the key in the environment, else under the API key, which lies outside the
 * state as well.
 */
export function fingerprintsOf({ salt }: Memory, apiKey: string): Fingerprints {
  const key = process.env[fingerprintVariable] || apiKey;
  return fingerprintsFor(salt, { [fingerprintVariable]: key }).fingerprints;
}

/** The memory of a resource after `written` was applied to it; secrets among it leave their fingerprints. */
export function remembering(
  memory: Memory,
  kind: Kind,
  { written, id, apiKey }: { written: JsonObject; id: string | undefined; apiKey: string },
): Memory {
  const { fingerprints } = keptOf(kind, written, fingerprintsOf(memory, apiKey).of);
  return { ...memory, id: id ?? memory.id, marks: { ...memory.marks, ...fingerprints }, seen: {} };
}

/** The memory of a resource after it was seen so; `secrets` are the fields that no state holds. */
export function seeing(
  memory: Memory,
  kind: Kind,
  { sight, secrets, apiKey }: { sight: Sight; secrets: readonly string[]; apiKey: string },
): Memory {
  const { id = memory.id, spec } = sight;
  const shown = secrets.flatMap((field) => (spec[field] == null ? [] : [[field, spec[field]]]));
  const { of } = fingerprintsOf(memory, apiKey);
  const seen = keptOf(kind, Object.fromEntries(shown) as JsonObject, of).fingerprints;
  return { ...memory, id, seen };
}
