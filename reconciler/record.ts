// What the inventory remembers of an object: the readable part of what was applied, fingerprints of the rest.
import { fingerprint } from "../core/fingerprint.ts";
import { keyOf, scopeOf } from "../core/identity.ts";
import { equal, type JsonObject } from "../core/json.ts";
import type { Kind, Sight } from "../core/kind.ts";
import { keptOf, type Kept } from "../core/record.ts";
import type { Entry } from "./model.ts";

/** What an {@link Entry} is made from. */
export interface Recorded {
  readonly kind: Kind;
  readonly name: string;
  /** The normal spec as it was applied. */
  readonly spec: JsonObject;
  readonly id: string | undefined;
  readonly salt: string;
  readonly pending: boolean;
  /** ISO 8601. */
  readonly at: string;
}

/** The entry for an object that was, or is about to be, written. */
export function entryFor({ kind, name, spec, id, salt, pending, at }: Recorded): Entry {
  const { lastApplied, fingerprints } = remembered(kind, spec, salt);
  const identity = {
    kind: kind.name,
    name,
    key: keyOf(kind, spec),
    scope: scopeOf(kind, spec),
    id,
  };
  return { ...identity, lastApplied, fingerprints, pending, appliedAt: at };
}

function remembered(kind: Kind, spec: JsonObject, salt: string): Kept {
  return keptOf(kind, spec, (value) => fingerprint(value, salt));
}

/** True when the entry says just what applying this spec to this live object would record. */
export function recordedAs(
  entry: Entry,
  spec: JsonObject,
  how: { kind: Kind; sight: Sight; salt: string },
): boolean {
  const { lastApplied, fingerprints } = remembered(how.kind, spec, how.salt);
  return (
    !entry.pending &&
    entry.id === how.sight.id &&
    entry.key === keyOf(how.kind, spec) &&
    equal(entry.lastApplied, lastApplied) &&
    equal(entry.fingerprints, fingerprints)
  );
}
