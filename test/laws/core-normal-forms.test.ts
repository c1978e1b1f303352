// Tests laws of desired state for any spec of any kind: normal forms, comparisons, directions and records.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, directionOfChanges, type RecordedFingerprints } from "../../core/spec/diff.ts";
import {
  fieldsOf,
  type FieldInfo,
  membersOf,
  readability,
  desiredSpecSchema,
} from "../../core/kind/fields.ts";
import { fingerprint } from "../../core/spec/fingerprint.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { normalize, normalizeLive } from "../../core/spec/normalize.ts";
import { recordedSpecOf } from "../../core/spec/record.ts";
import { mapValues, member, variantFor, view } from "../../core/schema/schema.ts";
import { traitsOf } from "../../core/schema/traits.ts";
import { validator } from "../../core/schema/validate.ts";
import { objectOf, propertyRuns } from "../support/arbitrary-values.ts";
import { everyTrait, sampleKinds } from "../support/sample-kinds.ts";

const arbitraryDesired = (kind: Kind) => objectOf(desiredSpecSchema(kind));
const arbitraryLive = (kind: Kind) => objectOf(kind.spec);
const fingerprintValue = (value: JsonValue) => fingerprint(value, "key");

function appliedRecord(kind: Kind, spec: JsonObject): RecordedFingerprints {
  const { fingerprints } = recordedSpecOf(kind, spec, fingerprintValue);
  return { fingerprints, fingerprint: fingerprintValue };
}

/** Returns the live object after writing the desired state. */
function afterWrite(
  fields: readonly FieldInfo[],
  live: JsonObject,
  desired: JsonObject,
): JsonObject {
  const result = new Map<string, JsonValue | undefined>(Object.entries(live));
  for (const { name, schema } of fields) {
    const value = member(desired, name);
    const before = member(live, name);
    if (value === null || readability(schema) === "hidden") result.delete(name);
    else if (isObject(value) && membersOf(schema).length > 0) {
      result.set(name, afterWrite(membersOf(schema), isObject(before) ? before : {}, value));
    } else if (value !== undefined) result.set(name, value);
  }
  return Object.fromEntries(result);
}

/** Returns the same desired state with every irrelevant order reversed and with members that have no effect. */
function reordered(schema: object, value: JsonValue): JsonValue {
  const variant = variantFor(schema, value) ?? {};
  if (Array.isArray(value)) {
    const items = value.map((item) => reordered(view(variant).items ?? {}, item));
    const isSet = traitsOf(schema).order === "set";
    return isSet ? [...items.toReversed(), ...items] : items;
  }
  if (!isObject(value)) return value;
  const values = mapValues(variant);
  const entries = Object.entries(value)
    .toReversed()
    .map(([name, inner]) => {
      const schemaOfMember = values ?? member(view(variant).properties ?? {}, name) ?? {};
      return [name, inner === undefined ? inner : reordered(schemaOfMember, inner)] as const;
    });
  const absent = membersOf(variant)
    .filter(({ name }) => !Object.hasOwn(value, name))
    .map(({ name }) => [name, undefined] as const);
  return Object.fromEntries([...absent, ...entries]);
}

describe.each(sampleKinds.map((kind) => [kind.name, kind] as const))(
  "desired state of %s",
  (_, kind) => {
    it("that are arbitrary are valid", () => {
      const check = validator(desiredSpecSchema(kind));
      fc.assert(
        fc.property(arbitraryDesired(kind), (desired) => {
          expect(check(desired)).toEqual([]);
        }),
        propertyRuns(),
      );
    });

    it("are normal when they are normalised", () => {
      fc.assert(
        fc.property(arbitraryDesired(kind), (desired) => {
          const normal = normalize(kind, desired);
          expect(JSON.stringify(normalize(kind, normal))).toBe(JSON.stringify(normal));
          const live = normalizeLive(kind, desired);
          expect(JSON.stringify(normalizeLive(kind, live))).toBe(JSON.stringify(live));
        }),
        propertyRuns(),
      );
    });

    it("do not depend on the order of keys and of the elements of sets", () => {
      fc.assert(
        fc.property(arbitraryDesired(kind), (desired) => {
          const other = reordered(desiredSpecSchema(kind), desired) as JsonObject;
          expect(JSON.stringify(normalize(kind, other))).toBe(
            JSON.stringify(normalize(kind, desired)),
          );
          const live = normalize(kind, other);
          expect(compare(kind, desired, live, appliedRecord(kind, other))).toEqual([]);
        }),
        propertyRuns(),
      );
    });

    it("do not differ from themselves", () => {
      fc.assert(
        fc.property(arbitraryDesired(kind), (desired) => {
          expect(
            compare(kind, desired, normalize(kind, desired), appliedRecord(kind, desired)),
          ).toEqual([]);
        }),
        propertyRuns(),
      );
    });

    it("do not differ from what they were written to", () => {
      fc.assert(
        fc.property(arbitraryDesired(kind), arbitraryLive(kind), (desired, live) => {
          const after = afterWrite(fieldsOf(kind), live, normalize(kind, desired));
          expect(compare(kind, desired, after, appliedRecord(kind, desired))).toEqual([]);
        }),
        propertyRuns(),
      );
    });

    it("move what differs: pending at first, drifted when only live moved", () => {
      fc.assert(
        fc.property(arbitraryDesired(kind), arbitraryLive(kind), (desired, live) => {
          const { lastApplied } = recordedSpecOf(kind, desired, fingerprintValue);
          const first = directionOfChanges(kind, { desired, live, lastApplied: undefined });
          const later = directionOfChanges(kind, { desired, live, lastApplied });
          for (const change of compare(kind, desired, live, appliedRecord(kind, desired))) {
            expect(first(change)).toBe("pending");
            const moved = later(change);
            expect(change.sensitive ? ["pending", "drifted"] : ["drifted"]).toContain(moved);
          }
        }),
        propertyRuns(),
      );
    });

    it("are pending when only the manifest changed", () => {
      fc.assert(
        fc.property(arbitraryDesired(kind), arbitraryDesired(kind), (before, desired) => {
          const live = afterWrite(fieldsOf(kind), {}, normalize(kind, before));
          const { lastApplied } = recordedSpecOf(kind, before, fingerprintValue);
          const directionOf = directionOfChanges(kind, { desired, live, lastApplied });
          for (const change of compare(kind, desired, live, appliedRecord(kind, before))) {
            expect(directionOf(change)).toBe("pending");
          }
        }),
        propertyRuns(),
      );
    });
  },
);

describe("secrets", () => {
  const marker = "hushhush";
  const kind = everyTrait;

  it("are neither in differences nor in what is kept", () => {
    fc.assert(
      fc.property(arbitraryLive(kind), arbitraryLive(kind), (left, right) => {
        const [desired, live] = [marked(kind.spec, left), marked(kind.spec, right)] as JsonObject[];
        const changes = compare(kind, desired ?? {}, live ?? {}, appliedRecord(kind, live ?? {}));
        expect(JSON.stringify(changes)).not.toContain(marker);
        expect(JSON.stringify(recordedSpecOf(kind, desired ?? {}, fingerprintValue))).not.toContain(
          marker,
        );
      }),
      propertyRuns(),
    );
  });

  function marked(schema: object, value: JsonValue): JsonValue {
    const { sensitive, maskedWhen } = traitsOf(schema);
    if (sensitive === true || maskedWhen !== undefined) return `${marker}${JSON.stringify(value)}`;
    if (!isObject(value)) return value;
    const values = mapValues(schema);
    const entries = Object.entries(value).map(([name, inner]) => [
      name,
      inner === undefined
        ? inner
        : marked(values ?? member(view(schema).properties ?? {}, name) ?? {}, inner),
    ]);
    return Object.fromEntries(entries);
  }
});
