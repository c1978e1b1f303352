// Compares desired and live specs field by field, and determines the direction of drift.
import { type TSchema, Type } from "typebox";
import {
  fieldsOf,
  containsSecret,
  isClearedFromRecord,
  isSensitive,
  membersOf,
  readability,
} from "../kind/fields.ts";
import { equal, isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Kind } from "../kind/kind.ts";
import { normalize, normalizeLive, normalizeRecord } from "./normalize.ts";
import { joinPointer, splitPointer, valueAt } from "../pointer.ts";
import { type Fingerprint, fingerprintName, visiblePart } from "./record.ts";
import type { ReadonlyStatic } from "../readonly-static.ts";
import { mapValues, member, variantFor } from "../schema/schema.ts";
import { traitsOf } from "../schema/traits.ts";

/** Placeholders shown instead of a live and a desired secret. */
export const secretMasks = { before: "(secret #1)", after: "(secret #2)" } as const;

/** One difference, as plans hold and reports show it. */
export const fieldChangeSchema = Type.Object({
  path: Type.String({ description: "JSON Pointer within the spec." }),
  field: Type.String({ description: "The top-level field that contains it." }),
  before: Type.Optional(
    Type.Unsafe<JsonValue>({
      description: "Live value or mask; missing if there is none or it cannot be read.",
    }),
  ),
  after: Type.Optional(
    Type.Unsafe<JsonValue>({
      description:
        "Desired value or mask. null clears the field; missing removes an entry of a map.",
    }),
  ),
  reason: Type.Enum(
    ["differs", "absent", "cleared", "fingerprint", "unverified", "reference-replaced"],
    {
      description:
        "How the difference was detected. absent: the live object has no value; fingerprint: it differs from the last applied value; unverified: it cannot be compared; reference-replaced: equal, but the referenced object is replaced.",
    },
  ),
  replaces: Type.Boolean({ description: "The field cannot change in place." }),
  sensitive: Type.Boolean({ description: "True if before and after are masks." }),
});

/** One difference. */
export interface FieldChange extends ReadonlyStatic<typeof fieldChangeSchema> {}

/** Recorded fingerprints of values that cannot be read back. See `recordedSpecOf` in record.ts. */
export interface RecordedFingerprints {
  readonly fingerprints: Readonly<Record<string, string>>;
  readonly fingerprint: Fingerprint;
}

/** The sides that can change: the manifest (`pending`), the live object (`drifted`), or both (`conflict`). */
export const driftDirections = ["pending", "drifted", "conflict"] as const;

/** Direction of a difference. */
export type DriftDirection = (typeof driftDirections)[number];

/** A location in the spec with its desired and live values, and the traits inherited from enclosing locations. */
interface FieldComparison {
  readonly schema: TSchema;
  readonly segments: readonly string[];
  readonly desired: JsonValue | undefined;
  readonly live: JsonValue | undefined;
  /** True if `null` is a value, as in a map, instead of a field that is cleared. */
  readonly nullIsValue: boolean;
  readonly replaces: boolean;
  readonly sensitive: boolean;
}

/**
 * Returns the changes that bring the live object to the desired state, in field order; an empty list if there are none.
 * Undeclared fields are not compared, and neither are those that matter only when an object is created. Nested objects and maps are compared leaf by leaf, lists and sets as a whole.
 */
export function compare(
  kind: Kind,
  desired: JsonObject,
  ...[live, known]: [live: JsonObject, known?: RecordedFingerprints | undefined]
): FieldChange[] {
  const [normalDesired, normalLive] = [normalize(kind, desired), normalizeLive(kind, live)];
  return fieldsOf(kind).flatMap(({ name, schema }) =>
    differences(
      {
        schema,
        segments: [name],
        desired: member(normalDesired, name),
        live: member(normalLive, name),
        nullIsValue: false,
        replaces: false,
        sensitive: false,
      },
      known,
    ),
  );
}

function differences(at: FieldComparison, known: RecordedFingerprints | undefined): FieldChange[] {
  if (at.desired === undefined) return removedHiddenValue(at, known);
  const traits = traitsOf(at.schema);
  if (traits.onChange === "ignore") return [];
  const spot = {
    ...at,
    desired: at.desired,
    replaces: at.replaces || traits.onChange === "replace",
    sensitive: at.sensitive || isSensitive(traits),
  };
  const shown = readability(spot.schema);
  if (shown === "hidden") return hiddenDifferences(spot, spot.desired, known);
  if (spot.desired === null && !spot.nullIsValue) {
    return (spot.live ?? null) === null ? [] : [changeAt(spot, "cleared")];
  }
  if (shown === "maskable" && spot.live === undefined)
    return hiddenDifferences(spot, spot.desired, known);
  return nestedDifferences(spot, known) ?? leafDifferences(spot);
}

function hiddenDifferences(
  spot: FieldComparison,
  desired: JsonValue,
  known: RecordedFingerprints | undefined,
): FieldChange[] {
  const recorded = member(known?.fingerprints, fingerprintName(spot.segments));
  const hidden = { ...spot, live: undefined };
  if (recorded === undefined || known === undefined) return [changeAt(hidden, "unverified")];
  const now = known.fingerprint(desired, spot.sensitive || containsSecret(spot.schema));
  return recorded === now ? [] : [changeAt(hidden, "fingerprint")];
}

/** Clears a value that the API does not return and the manifest no longer declares, if svc is known to have written it. */
function removedHiddenValue(
  at: FieldComparison,
  known: RecordedFingerprints | undefined,
): FieldChange[] {
  const recorded = member(known?.fingerprints, fingerprintName(at.segments));
  if (recorded === undefined || !isClearedFromRecord(at.schema)) return [];
  return [changeAt({ ...at, desired: null, live: undefined }, "fingerprint")];
}

function leafDifferences(spot: FieldComparison): FieldChange[] {
  if (spot.live !== undefined && equal(spot.desired, spot.live)) return [];
  return [changeAt(spot, spot.live === undefined ? "absent" : "differs")];
}

/** Returns differences member by member; undefined if the values cannot be compared by member. */
function nestedDifferences(
  spot: FieldComparison,
  known: RecordedFingerprints | undefined,
): FieldChange[] | undefined {
  const { desired, live } = spot;
  if (!isObject(desired) || (live !== undefined && !isObject(live))) return undefined;
  const variant = variantFor(spot.schema, desired);
  if (variant === undefined) return undefined;
  const values = mapValues(variant);
  if (values !== undefined) {
    if (live === undefined && Object.keys(desired).length === 0) return undefined;
    return mapDifferences(spot, { desired, live: live ?? {} }, { values, known });
  }
  const fields = membersOf(variant);
  if (fields.length === 0) return undefined;
  const schemas = new Map(fields.map(({ name, schema }) => [name, schema]));
  return [...new Set([...schemas.keys(), ...Object.keys(desired)])].flatMap((name) =>
    differences(
      childComparison(spot, name, {
        schema: schemas.get(name) ?? {},
        desired: member(desired, name),
        live: member(live, name),
        nullIsValue: !schemas.has(name),
      }),
      known,
    ),
  );
}

function mapDifferences(
  spot: FieldComparison,
  { desired, live }: { desired: JsonObject; live: JsonObject },
  { values, known }: { values: TSchema; known: RecordedFingerprints | undefined },
): FieldChange[] {
  const keys = [...new Set([...Object.keys(desired), ...Object.keys(live)])].toSorted();
  return keys.flatMap((key) => {
    const sides = { desired: member(desired, key), live: member(live, key) };
    // Normal maps have `null` only where it is a value.
    const entry = childComparison(spot, key, { schema: values, ...sides, nullIsValue: true });
    return sides.desired === undefined ? [changeAt(entry, "cleared")] : differences(entry, known);
  });
}

function childComparison(
  spot: FieldComparison,
  name: string,
  inner: Pick<FieldComparison, "schema" | "desired" | "live" | "nullIsValue">,
): FieldComparison {
  return { ...spot, ...inner, segments: [...spot.segments, name] };
}

function changeAt(spot: FieldComparison, reason: FieldChange["reason"]): FieldChange {
  const sensitive = spot.sensitive || containsSecret(spot.schema);
  return {
    path: joinPointer(spot.segments),
    field: spot.segments[0] ?? "",
    before: sensitive ? masked(spot.live, secretMasks.before) : spot.live,
    after: sensitive ? masked(spot.desired, secretMasks.after) : spot.desired,
    reason,
    replaces: spot.replaces,
    sensitive,
  };
}

function masked(value: JsonValue | undefined, mask: string): JsonValue | undefined {
  return value === undefined || value === null ? value : mask;
}

/** The specs of one object, from which the direction of a difference follows. */
export interface SpecSides {
  readonly desired: JsonObject;
  readonly live: JsonObject;
  /** The value recorded as applied; undefined without one. */
  readonly lastApplied: JsonObject | undefined;
  readonly known?: RecordedFingerprints | undefined;
  /** What later writes would have recorded that may have been made: a live value of one of them is no live edit. */
  readonly attempts?: readonly RecordedSides[] | undefined;
}

type RecordedSides = { readonly lastApplied: JsonObject } & Pick<SpecSides, "known">;

/**
 * Returns a function that determines the direction of each change of an object: by its values, or for a readable secret by
 * the recorded fingerprint. It returns `pending` if the last applied value is not recorded, or if the live value cannot be
 * read. An object can have thousands of changes, so its specs are normalized once for all of them.
 */
export function directionOfChanges(
  kind: Kind,
  { desired, live, lastApplied, known, attempts = [] }: SpecSides,
): (change: FieldChange) => DriftDirection {
  if (lastApplied === undefined) return () => "pending";
  const sides = [sideOf(kind, normalize(kind, desired)), sideOf(kind, normalizeLive(kind, live))];
  const [recorded, ...attempted] = [{ lastApplied, known }, ...attempts].map((record) =>
    recordMatcher(kind, record, sides),
  );
  return (change) => {
    if (change.reason === "fingerprint" || change.reason === "unverified") return "pending";
    const matches = recorded?.(change);
    if (matches === undefined) return "pending";
    const [isDesired, isLive] = matches;
    if (isLive === true || attempted.some((matcher) => matcher(change)?.[1])) return "pending";
    return isDesired === true ? "drifted" : "conflict";
  };
}

/** A normalized spec, and the part of it that records contain. */
interface Side {
  readonly normal: JsonObject;
  readonly visible: JsonObject;
}

function sideOf(kind: Kind, normal: JsonObject): Side {
  return { normal, visible: visiblePart(kind, normalizeLive(kind, normal)) };
}

/** Returns a function that tells which sides have the recorded value of a change; undefined if none is recorded. */
function recordMatcher(kind: Kind, { lastApplied, known }: RecordedSides, sides: readonly Side[]) {
  const record = normalizeRecord(kind, lastApplied);
  const { visible: applied } = sideOf(kind, lastApplied);
  return ({ path, sensitive }: FieldChange): readonly boolean[] | undefined => {
    const steps = splitPointer(path);
    const recorded = member(known?.fingerprints, fingerprintName(steps));
    if (known !== undefined && recorded !== undefined) {
      const fingerprintOf = ({ normal }: Side): string =>
        known.fingerprint(valueAt(normal, steps) ?? null, sensitive);
      return sides.map((side) => fingerprintOf(side) === recorded);
    }
    const place = recordedPlace(kind.spec, record, steps);
    if (place === "unrecorded") return undefined;
    const last = valueAt(applied, steps);
    return sides.map(({ visible }) => {
      const value = valueAt(visible, steps);
      if (place === "entry" && (value === undefined || last === undefined)) return value === last;
      return equal(value, last);
    });
  };
}

/**
 * Returns whether the record determines the value at a path: as a field, where `null` is not a value, or as an entry of a map,
 * where it is one.
 */
function recordedPlace(
  schema: TSchema,
  value: JsonValue,
  steps: readonly string[],
): "field" | "entry" | "unrecorded" {
  const [name, ...rest] = steps;
  if (name === undefined || !isObject(value)) return "field";
  const variant = variantFor(schema, value);
  const values = variant && mapValues(variant);
  const inner = member(value, name);
  if (inner === undefined) return values === undefined ? "unrecorded" : "entry";
  const field = variant && membersOf(variant).find((one) => one.name === name);
  if (field === undefined && rest.length === 0) return "entry";
  return recordedPlace(values ?? field?.schema ?? {}, inner, rest);
}
