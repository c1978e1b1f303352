// What differs between a wish and what is live, field by field, each with its reason; and who moved.
import type { TSchema } from "typebox";
import { fieldsOf, containsSecret, isSensitive, membersOf, readability } from "./fields.ts";
import { equal, isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Kind } from "./kind.ts";
import { normalize, normalizeLive, normalizeRecord } from "./normalize.ts";
import { joinPointer, splitPointer } from "./pointer.ts";
import { type Fingerprint, fingerprintName, readablePart } from "./record.ts";
import { mapValues, member, variantFor } from "./schema.ts";
import { traitsOf } from "./traits.ts";

/** What is shown in place of a live secret, and in place of the wished one: never the values. */
export const secretMasks = { before: "(secret #1)", after: "(secret #2)" } as const;

/** One difference. */
export interface FieldChange {
  /** JSON Pointer inside the spec: `/description`, `/labels/team`. */
  readonly path: string;
  /** The top-level field it lies in. */
  readonly field: string;
  /** The live value; undefined where there is none, or where it cannot be read. */
  readonly before: JsonValue | undefined;
  /** The wished value; `null` clears a field, undefined removes an entry of a map. */
  readonly after: JsonValue | undefined;
  /**
   * `absent`: live has none; `fingerprint`: not what was applied last; `unverified`: nothing is known of it; `lost`: as
   * wished, but what it refers to is made anew, and the reference goes with the old one.
   */
  readonly reason: "differs" | "absent" | "cleared" | "fingerprint" | "unverified" | "reference-replaced";
  /** It cannot change on a live object. */
  readonly replaces: boolean;
  /** `before` and `after` are masks. */
  readonly sensitive: boolean;
}

/** What is known of values that cannot be read back: see `keptOf` in record.ts. */
export interface RecordedFingerprints {
  readonly fingerprints: Readonly<Record<string, string>>;
  readonly fingerprint: Fingerprint;
}

/** Who moved since it was last applied: the wish, the live object, or both. */
export type DriftDirection = "unshipped" | "drifted" | "conflict";

/** A place in the spec, with both sides of it and what it inherits from the places around it. */
interface FieldComparison {
  readonly schema: TSchema;
  readonly segments: readonly string[];
  readonly desired: JsonValue | undefined;
  readonly live: JsonValue | undefined;
  readonly replaces: boolean;
  readonly sensitive: boolean;
}

/**
 * What has to change on the live object for it to be as wished, in the order of the fields; nothing when it is. A field that
 * is not wished for is not compared. Nested objects and maps differ leaf by leaf, lists and sets as a whole.
 */
export function compare(
  kind: Kind,
  desired: JsonObject,
  ...[live, known]: [live: JsonObject, known?: RecordedFingerprints | undefined]
): FieldChange[] {
  const [wish, sight] = [normalize(kind, desired), normalizeLive(kind, live)];
  return fieldsOf(kind).flatMap(({ name, schema }) =>
    differences(
      {
        schema,
        segments: [name],
        desired: member(wish, name),
        live: member(sight, name),
        replaces: false,
        sensitive: false,
      },
      known,
    ),
  );
}

function differences(at: FieldComparison, known: RecordedFingerprints | undefined): FieldChange[] {
  if (at.desired === undefined) return [];
  const traits = traitsOf(at.schema);
  const spot = {
    ...at,
    desired: at.desired,
    replaces: at.replaces || traits.onChange === "replace",
    sensitive: at.sensitive || isSensitive(traits),
  };
  const shown = readability(spot.schema);
  if (shown === "hidden") return hiddenDifferences(spot, spot.desired, known);
  if (spot.desired === null) {
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

function leafDifferences(spot: FieldComparison): FieldChange[] {
  if (equal(spot.desired, spot.live)) return [];
  return [changeAt(spot, spot.live === undefined ? "absent" : "differs")];
}

/** Differences member by member; undefined where the two sides are not objects that can be told apart so. */
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
    const [wished, seen] = [member(desired, key), member(live, key)];
    const entry = childComparison(spot, key, { schema: values, desired: wished, live: seen });
    if (wished !== undefined) return differences(entry, known);
    return seen === undefined || seen === null ? [] : [changeAt(entry, "cleared")];
  });
}

function childComparison(
  spot: FieldComparison,
  name: string,
  inner: Pick<FieldComparison, "schema" | "desired" | "live">,
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

/**
 * Who moved, from a change and the three sides it comes from. Of a secret that can be read the last side is its fingerprint.
 * Without a record of what was last applied there, or where nothing can be read, it is the wish.
 */
export function driftDirection(
  kind: Kind,
  change: FieldChange,
  ...[desired, live, lastApplied, known]: [
    JsonObject,
    JsonObject,
    JsonObject | undefined,
    (RecordedFingerprints | undefined)?,
  ]
): DriftDirection {
  const { field, path, reason } = change;
  if (reason === "fingerprint" || reason === "unverified") return "unshipped";
  const steps = splitPointer(path);
  if (lastApplied === undefined) return "unshipped";
  const secretly = member(known?.fingerprints, fingerprintName(steps));
  if (known !== undefined && secretly !== undefined) {
    const marks = (side: JsonObject): string =>
      known.fingerprint(valueAt(side, steps) ?? null, change.sensitive);
    if (marks(normalizeLive(kind, live)) === secretly) return "unshipped";
    return marks(normalize(kind, desired)) === secretly ? "drifted" : "conflict";
  }
  const only = (side: JsonObject): JsonObject => ({ [field]: member(side, field) });
  if (!isRecorded(kind.spec, normalizeRecord(kind, only(lastApplied)), steps)) return "unshipped";
  // A record holds readable parts only, so no more than those of the other sides can be held against it.
  const at = (side: JsonObject): JsonValue | undefined =>
    valueAt(readablePart(kind, normalizeLive(kind, only(side))), steps);
  const last = at(lastApplied);
  if (equal(at(live), last)) return "unshipped";
  return equal(at(normalize(kind, only(desired))), last) ? "drifted" : "conflict";
}

function valueAt(value: JsonValue | undefined, steps: readonly string[]): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>(
    (inner, name) => (isObject(inner) ? member(inner, name) : undefined),
    value,
  );
}

/** True when something was applied there: a field that was given, or a map in which the entry was or was not. */
function isRecorded(schema: TSchema, value: JsonValue, steps: readonly string[]): boolean {
  const [name, ...rest] = steps;
  if (name === undefined || !isObject(value)) return true;
  const variant = variantFor(schema, value);
  const values = variant && mapValues(variant);
  const held = member(value, name);
  if (held === undefined) return values !== undefined;
  const field = variant && membersOf(variant).find((one) => one.name === name);
  return isRecorded(values ?? field?.schema ?? {}, held, rest);
}
