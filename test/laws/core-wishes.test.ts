// Laws of wishes: what normal forms, comparisons, directions and records must hold for any spec of any kind.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, direction, type Known } from "../../core/diff.ts";
import { fieldsOf, type FieldInfo, membersOf, readability, wishSchema } from "../../core/fields.ts";
import { fingerprint } from "../../core/fingerprint.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { normalize, normalizeLive } from "../../core/normalize.ts";
import { keptOf } from "../../core/record.ts";
import { mapValues, member, variantFor, view } from "../../core/schema.ts";
import { traitsOf } from "../../core/traits.ts";
import { validator } from "../../core/validate.ts";
import { objectOf, runs } from "../support/arbitrary.ts";
import { everyTrait, sampleKinds } from "../support/sample-kinds.ts";

const wishOf = (kind: Kind) => objectOf(wishSchema(kind));
const liveOf = (kind: Kind) => objectOf(kind.spec);
const keyed = (value: JsonValue) => fingerprint(value, "key");

function knownOf(kind: Kind, spec: JsonObject): Known {
  const { fingerprints } = keptOf(kind, spec, keyed);
  return { fingerprints, fingerprint: keyed };
}

/** The live object after the wish was written to it. */
function written(fields: readonly FieldInfo[], live: JsonObject, wish: JsonObject): JsonObject {
  const result = new Map<string, JsonValue | undefined>(Object.entries(live));
  for (const { name, schema } of fields) {
    const wished = member(wish, name);
    const before = member(live, name);
    if (wished === null || readability(schema) === "hidden") result.delete(name);
    else if (isObject(wished) && membersOf(schema).length > 0) {
      result.set(name, written(membersOf(schema), isObject(before) ? before : {}, wished));
    } else if (wished !== undefined) result.set(name, wished);
  }
  return Object.fromEntries(result);
}

/** The same wish, written with every order turned round that must not matter, and with members that say nothing. */
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

describe.each(sampleKinds.map((kind) => [kind.name, kind] as const))("wishes of %s", (_, kind) => {
  it("that are arbitrary are valid", () => {
    const check = validator(wishSchema(kind));
    fc.assert(
      fc.property(wishOf(kind), (wish) => {
        expect(check(wish)).toEqual([]);
      }),
      runs(),
    );
  });

  it("are normal when they are normalised", () => {
    fc.assert(
      fc.property(wishOf(kind), (wish) => {
        const normal = normalize(kind, wish);
        expect(JSON.stringify(normalize(kind, normal))).toBe(JSON.stringify(normal));
        const live = normalizeLive(kind, wish);
        expect(JSON.stringify(normalizeLive(kind, live))).toBe(JSON.stringify(live));
      }),
      runs(),
    );
  });

  it("do not depend on the order of keys and of the elements of sets", () => {
    fc.assert(
      fc.property(wishOf(kind), (wish) => {
        const other = reordered(wishSchema(kind), wish) as JsonObject;
        expect(JSON.stringify(normalize(kind, other))).toBe(JSON.stringify(normalize(kind, wish)));
        const live = normalize(kind, other);
        expect(compare(kind, wish, live, knownOf(kind, other))).toEqual([]);
      }),
      runs(),
    );
  });

  it("do not differ from themselves", () => {
    fc.assert(
      fc.property(wishOf(kind), (wish) => {
        expect(compare(kind, wish, normalize(kind, wish), knownOf(kind, wish))).toEqual([]);
      }),
      runs(),
    );
  });

  it("do not differ from what they were written to", () => {
    fc.assert(
      fc.property(wishOf(kind), liveOf(kind), (wish, live) => {
        const after = written(fieldsOf(kind), live, normalize(kind, wish));
        expect(compare(kind, wish, after, knownOf(kind, wish))).toEqual([]);
      }),
      runs(),
    );
  });

  it("move what differs: unshipped at first, drifted when only live moved", () => {
    fc.assert(
      fc.property(wishOf(kind), liveOf(kind), (wish, live) => {
        const { lastApplied } = keptOf(kind, wish, keyed);
        for (const change of compare(kind, wish, live, knownOf(kind, wish))) {
          expect(direction(kind, change, wish, live, undefined)).toBe("unshipped");
          const moved = direction(kind, change, wish, live, lastApplied);
          expect(change.sensitive ? ["unshipped", "drifted"] : ["drifted"]).toContain(moved);
        }
      }),
      runs(),
    );
  });

  it("are unshipped when only the wish moved", () => {
    fc.assert(
      fc.property(wishOf(kind), wishOf(kind), (before, wish) => {
        const live = written(fieldsOf(kind), {}, normalize(kind, before));
        const { lastApplied } = keptOf(kind, before, keyed);
        for (const change of compare(kind, wish, live, knownOf(kind, before))) {
          expect(direction(kind, change, wish, live, lastApplied)).toBe("unshipped");
        }
      }),
      runs(),
    );
  });
});

describe("secrets", () => {
  const marker = "hushhush";
  const kind = everyTrait;

  it("are neither in differences nor in what is kept", () => {
    fc.assert(
      fc.property(liveOf(kind), liveOf(kind), (left, right) => {
        const [wish, live] = [marked(kind.spec, left), marked(kind.spec, right)] as JsonObject[];
        const changes = compare(kind, wish ?? {}, live ?? {}, knownOf(kind, live ?? {}));
        expect(JSON.stringify(changes)).not.toContain(marker);
        expect(JSON.stringify(keptOf(kind, wish ?? {}, keyed))).not.toContain(marker);
      }),
      runs(),
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
