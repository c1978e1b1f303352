// What the inventory remembers of an object: the readable part of what was applied, fingerprints of the rest.
import { keyOf, scopeOf } from "../../core/identity.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import type { Guards } from "../../core/lifecycle-rules.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import { recordedSpecOf, readablePart } from "../../core/record.ts";
import type { Fingerprints } from "../../core/fingerprints.ts";
import type { Entry, ObjectMetadata, SecretSink } from "../model/index.ts";

/** What an {@link Entry} is made from. */
export interface EntryInput {
  readonly kind: Kind;
  readonly name: string;
  /** The normal spec as it was applied, secrets and all. */
  readonly spec: JsonObject;
  readonly id: string | undefined;
  readonly fingerprints: Fingerprints;
  readonly pending: boolean;
  readonly sink?: SecretSink | undefined;
  readonly guards?: Guards | undefined;
  readonly historicalNames?: ObjectMetadata | undefined;
  /** ISO 8601. */
  readonly at: string;
}

/** The entry for an object that was, or is about to be, written. */
export function entryFor(recorded: EntryInput): Entry {
  const {
    kind,
    name,
    spec,
    id,
    pending,
    at,
    sink,
    historicalNames: knownAs,
    guards = {},
  } = recorded;
  const { lastApplied, fingerprints } = recordedSpecOf(kind, spec, recorded.fingerprints.of);
  const identity = {
    kind: kind.name,
    name,
    key: keyOf(kind, spec),
    scope: scopeOf(kind, spec),
    id,
  };
  const kept = {
    ...(sink && { sink }),
    ...(isEmpty(guards) ? {} : { guards }),
    ...(knownAs && { knownAs }),
  };
  return { ...identity, lastApplied, fingerprints, ...kept, pending, appliedAt: at };
}

function isEmpty(guards: Guards): boolean {
  return Object.keys(guards).length === 0;
}

/** True when the entry says just what applying this spec to this live object would record. */
export function matchesEntry(
  entry: Entry,
  spec: JsonObject,
  how: { kind: Kind; sight: ObservedObject; fingerprints: Fingerprints },
): boolean {
  const { lastApplied, fingerprints } = recordedSpecOf(how.kind, spec, how.fingerprints.of);
  return (
    !entry.pending &&
    entry.id === how.sight.id &&
    entry.key === keyOf(how.kind, spec) &&
    equal(entry.lastApplied, lastApplied) &&
    equal(entry.fingerprints, fingerprints)
  );
}

/** True when the entry says of these fields what applying this spec to this live object would record. */
export function fieldsMatchEntry(
  entry: Entry,
  spec: JsonObject,
  how: { kind: Kind; sight: ObservedObject; only: readonly string[] },
): boolean {
  const wished = readablePart(how.kind, spec);
  return (
    !entry.pending &&
    entry.id === how.sight.id &&
    entry.key === keyOf(how.kind, spec) &&
    how.only.every((name) => equal(entry.lastApplied[name] ?? null, wished[name] ?? null))
  );
}
