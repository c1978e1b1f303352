// Builds inventory entries: the readable part of the applied spec, and fingerprints of the rest.
import { keyOf, scopeOf } from "../../core/kind/identity.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import type { RecordedLifecycle } from "../../core/kind/lifecycle-rules.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { recordedSpecOf, readablePart } from "../../core/spec/record.ts";
import type { Fingerprints } from "../../core/spec/fingerprints.ts";
import type { Entry, ObjectMetadata, SecretSink } from "../model/index.ts";

/** Input to {@link entryFor}. */
export interface EntryInput extends Pick<Entry, "name" | "id" | "pending" | "appliedAt"> {
  readonly kind: Kind;
  /** The normalized spec as applied, with secrets. */
  readonly spec: JsonObject;
  readonly fingerprints: Fingerprints;
  readonly secretTo?: SecretSink | undefined;
  readonly lifecycle?: RecordedLifecycle | undefined;
  readonly metadata?: ObjectMetadata | undefined;
}

/** Builds the entry for an object that was, or will be, written. */
export function entryFor(recorded: EntryInput): Entry {
  const { kind, name, spec, id, pending, appliedAt, secretTo, metadata, lifecycle = {} } = recorded;
  return {
    kind: kind.name,
    name,
    key: keyOf(kind, spec),
    scope: scopeOf(kind, spec),
    id,
    ...recordedSpecOf(kind, spec, recorded.fingerprints.of),
    ...(secretTo && { secretTo }),
    ...(Object.keys(lifecycle).length > 0 && { lifecycle }),
    ...(metadata && { metadata }),
    pending,
    appliedAt,
  };
}

/**
 * True if the entry equals the one that applying this spec to this live object would record. At and below the `ignored`
 * pointers, the entry keeps the fingerprints of the applied values.
 */
export function matchesEntry(
  entry: Entry,
  spec: JsonObject,
  how: {
    kind: Kind;
    observed: ObservedObject;
    fingerprints: Fingerprints;
    ignored?: readonly string[];
  },
): boolean {
  const { lastApplied, fingerprints } = recordedSpecOf(how.kind, spec, how.fingerprints.of);
  const { ignored = [] } = how;
  const kept = Object.entries(entry.fingerprints).filter(([name]) =>
    ignored.some((path) => `/${name}/`.startsWith(`${path}/`)),
  );
  return (
    !entry.pending &&
    entry.movedFrom === undefined &&
    entry.id === how.observed.id &&
    entry.key === keyOf(how.kind, spec) &&
    equal(entry.lastApplied, lastApplied) &&
    equal(entry.fingerprints, { ...fingerprints, ...Object.fromEntries(kept) })
  );
}

/** True if these fields of the entry equal the values that applying this spec to this live object would record. */
export function fieldsMatchEntry(
  entry: Entry,
  spec: JsonObject,
  how: { kind: Kind; observed: ObservedObject; only: readonly string[] },
): boolean {
  const desired = readablePart(how.kind, spec);
  return (
    !entry.pending &&
    entry.id === how.observed.id &&
    entry.key === keyOf(how.kind, spec) &&
    how.only.every((name) => equal(entry.lastApplied[name] ?? null, desired[name] ?? null))
  );
}
