// Tests laws of names, order, ownership and validation: keys can be parsed again, and layers follow dependencies.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  address,
  keyOf,
  parseAddress,
  parseKey,
  scopeOf,
  scopeText,
} from "../../core/kind/identity.ts";
import { decideOwnership } from "../../core/kind/decide-ownership.ts";
import { joinPointer, splitPointer } from "../../core/pointer.ts";
import { dependencyLayers } from "../../core/kind/references.ts";
import { validator } from "../../core/schema/validate.ts";
import { fieldsOf, desiredSpecSchema } from "../../core/kind/fields.ts";
import { documentSchema, manifestSchema } from "../../core/kind/json-schema.ts";
import { anyJson, objectOf, propertyRuns } from "../support/arbitrary-values.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { everyTrait, sampleKinds } from "../support/sample-kinds.ts";

/** Any text, including lone surrogates, which JSON can express. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("%", "/", "%2F", " ", "\u0000", "\uD800", "=", ",", "a") }),
);

describe("natural keys", () => {
  const key = fc.record({
    parent: anyText,
    name: anyText,
    number: fc.maxSafeInteger(),
    flag: fc.boolean(),
  });

  it("are parsed from their text, for any text in them", () => {
    fc.assert(
      fc.property(key, (fields) => {
        expect(parseKey(everyTrait, keyOf(everyTrait, fields))).toEqual(fields);
      }),
      propertyRuns(5),
    );
  });

  it("are refused without throwing if the text is not an order", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const fields = parseKey(everyTrait, text);
        expect(fields === undefined || Object.keys(fields).length === 4).toBe(true);
      }),
      propertyRuns(),
    );
  });

  it("name scopes that differ by different texts", () => {
    fc.assert(
      fc.property(key, key, (left, right) => {
        const same = left.parent === right.parent && left.number === right.number;
        const text = (fields: typeof left) => scopeText(scopeOf(everyTrait, fields));
        expect(text(left) === text(right)).toBe(same);
        expect(text(left)).toBe(text({ ...left, name: right.name }));
      }),
      propertyRuns(),
    );
  });

  it("have addresses and pointers that can be parsed", () => {
    fc.assert(
      fc.property(anyText, fc.array(anyText), (text, steps) => {
        const name = `x${text}`;
        expect(parseAddress(address("Some", name))).toEqual({ kind: "Some", name });
        expect(splitPointer(joinPointer(steps))).toEqual(steps);
      }),
      propertyRuns(),
    );
  });
});

describe("layers", () => {
  const size = 30;
  const edges = fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 60 });
  const graph = (pairs: readonly (readonly [number, number])[]) =>
    Array.from({ length: size }, (_, node) => ({
      id: `n${node}`,
      needs: pairs.filter(([from]) => from === node).map(([, to]) => `n${to}`),
    }));

  it("put everything once and after what it needs, where there is no cycle", () => {
    fc.assert(
      fc.property(edges, (pairs) => {
        const nodes = graph(pairs.filter(([from, to]) => from > to));
        const { layers: found, cycle } = dependencyLayers(nodes);
        const layerOf = new Map(found.flatMap((layer, at) => layer.map((id) => [id, at])));
        expect(cycle).toBeUndefined();
        expect(found.flat()).toHaveLength(size);
        for (const { id, needs } of nodes) {
          const latest = Math.max(-1, ...needs.map((need) => layerOf.get(need) ?? Infinity));
          expect(layerOf.get(id)).toBe(latest + 1);
        }
      }),
      propertyRuns(),
    );
  });

  it("name a true cycle, where there is one", () => {
    fc.assert(
      fc.property(edges, (pairs) => {
        const nodes = graph(pairs);
        const { layers: found, cycle } = dependencyLayers(nodes);
        expect(cycle === undefined).toBe(found.flat().length === size);
        const needs = new Map(nodes.map((node) => [node.id, node.needs]));
        for (const [at, id] of (cycle ?? []).entries()) {
          expect(needs.get(id)).toContain(cycle?.[(at + 1) % cycle.length]);
        }
        expect(new Set(cycle).size).toBe(cycle?.length ?? 0);
      }),
      propertyRuns(),
    );
  });

  it("are in the order of the input, whatever the needs", () => {
    const nodes = [
      { id: "c", needs: ["z"] },
      { id: "a", needs: ["c"] },
      { id: "z", needs: ["unknown"] },
      { id: "b", needs: ["z", "z"] },
    ];
    expect(dependencyLayers(nodes).layers).toEqual([["z"], ["c", "b"], ["a"]]);
  });

  it("take 100,000 nodes under one parent, and as a chain, in a moment", () => {
    const star = Array.from({ length: 100_000 }, (_, node) => ({
      id: `n${node}`,
      needs: node === 0 ? [] : ["n0"],
    }));
    const chain = star.map(({ id }, node) => ({ id, needs: node === 0 ? [] : [`n${node - 1}`] }));
    const took = cpuMs(() => {
      expect(dependencyLayers(star).layers.map((layer) => layer.length)).toEqual([1, 99_999]);
      expect(dependencyLayers(chain).layers).toHaveLength(100_000);
    });
    expect(took).toBeLessThan(5000);
  });
});

describe("ownership", () => {
  it("answers every state as the table says", () => {
    const state = { adopt: false, prune: false, release: false };
    const ours = { ...state, owner: "us" } as const;
    const foreign = { ...state, owner: "none" } as const;
    const theirs = { ...state, owner: "other" } as const;
    for (const owner of [ours, foreign, theirs]) {
      expect(decideOwnership({ ...owner, declared: true, live: false })).toBe("create");
    }
    expect(decideOwnership({ ...ours, declared: true, live: true })).toBe("sync");
    expect(decideOwnership({ ...foreign, declared: true, live: true })).toBe("reject-unmanaged");
    expect(decideOwnership({ ...foreign, declared: true, live: true, adopt: true })).toBe("adopt");
    expect(decideOwnership({ ...theirs, declared: true, live: true })).toBe("reject-other-stack");
    expect(decideOwnership({ ...ours, declared: false, live: true })).toBe("orphan");
    expect(decideOwnership({ ...ours, declared: false, live: true, prune: true })).toBe("prune");
    expect(decideOwnership({ ...ours, declared: false, live: false, prune: true })).toBe("forget");
    expect(decideOwnership({ ...ours, declared: false, live: true, release: true })).toBe(
      "release",
    );
    expect(decideOwnership({ ...ours, declared: false, live: false, release: true })).toBe(
      "forget",
    );
  });

  it("never touches what the stack does not own unless it is declared and may be adopted", () => {
    const state = fc.record({
      declared: fc.boolean(),
      live: fc.boolean(),
      owner: fc.constantFrom("us" as const, "none" as const, "other" as const),
      adopt: fc.boolean(),
      prune: fc.boolean(),
      release: fc.boolean(),
    });
    fc.assert(
      fc.property(state, (given) => {
        const decision = decideOwnership(given);
        if (given.owner === "other" && given.live) {
          expect(decision).toBe(given.declared ? "reject-other-stack" : "ignore");
        }
        if (given.owner === "none" && given.live) {
          expect(["adopt", "reject-unmanaged", "ignore"]).toContain(decision);
        }
        if (decision === "prune") expect(given).toMatchObject({ owner: "us", prune: true });
        if (decision === "release") expect(given).toMatchObject({ owner: "us", release: true });
        if (decision === "adopt") expect(given).toMatchObject({ adopt: true, declared: true });
      }),
      propertyRuns(),
    );
  });
});

describe("validation", () => {
  const schemas = [
    ...sampleKinds.flatMap((kind) => [desiredSpecSchema(kind), documentSchema(kind)]),
    manifestSchema(sampleKinds),
  ];

  it("throws for no JSON value and says where in words", () => {
    const members = fieldsOf(everyTrait).map(({ name }) => name);
    const value = fc.oneof(
      anyJson,
      fc.dictionary(fc.constantFrom(...members, "apiVersion", "kind", "metadata"), anyJson),
    );
    fc.assert(
      fc.property(value, fc.constantFrom(...schemas), (given, schema) => {
        for (const { path, message } of validator(schema)(given)) {
          expect(path === "" || path.startsWith("/")).toBe(true);
          expect(message).toMatch(/^(?:must|is|has) /);
        }
      }),
      propertyRuns(),
    );
  });

  it("takes documents that hold valid desired objects, by their kind", () => {
    const [check, ofAny] = [documentSchema(everyTrait), manifestSchema(sampleKinds)].map(validator);
    fc.assert(
      fc.property(objectOf(desiredSpecSchema(everyTrait)), (spec) => {
        const metadata = { name: "some-name", labels: { team: "growth" } };
        const document = { apiVersion: "svc/v1", kind: "EveryTrait", metadata, spec };
        expect(check?.(document)).toEqual([]);
        expect(ofAny?.(document)).toEqual([]);
      }),
      propertyRuns(0.5),
    );
  });
});
