// Tests which fields can be cleared, and which fields a user may write.
import { describe, expect, it } from "vitest";
import { everyTrait as kind } from "../support/sample-kinds.ts";
import { canClear, fieldsOf, desiredSpecSchema } from "../../core/kind/fields.ts";
import { canonical } from "../../core/json.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { recordedSpecOf } from "../../core/spec/record.ts";
import { validator } from "../../core/schema/validate.ts";

const base = { parent: "p", name: "n", number: 1, flag: true };

describe("fields", () => {
  it("cannot be cleared when required, fixed, defaulted or never cleared", () => {
    const fixed = fieldsOf(kind).filter((field) => !canClear(field));
    expect(fixed.map(({ name }) => name)).toEqual([
      "parent",
      "name",
      "number",
      "flag",
      "ratio",
      "lasting",
    ]);
  });

  it("allow null exactly where they can be cleared", () => {
    const check = validator(desiredSpecSchema(kind));
    expect(check({ ...base, kept: null, tags: null, nested: { inner: null } })).toEqual([]);
    expect(check({ ...base, lasting: null }).map(({ path }) => path)).toEqual(["/lasting"]);
    expect(check({ ...base, nested: { fixed: null } })).toHaveLength(1);
  });

  it("allow references by name or as external, in lists and maps too", () => {
    const check = validator(desiredSpecSchema(kind));
    const external = { external: "a/b" };
    const references = { parent: external, friends: ["a", external], roles: { boss: external } };
    expect(check({ ...base, ...references })).toEqual([]);
    expect(check({ ...base, friends: [{ extern: "a" }] }).length).toBeGreaterThan(0);
  });

  it("refuse unknown members", () => {
    const [violation] = validator(desiredSpecSchema(kind))({ ...base, nmae: "x" });
    expect(violation?.params).toEqual({ additionalProperty: "nmae" });
  });
});

describe("normalize", () => {
  it("fills defaults, turns omission into clearing, and drops what says nothing", () => {
    const given = { ...base, lasting: null, kept: undefined, unknown: 1, numbers: [10, 9, 10] };
    expect(normalize(kind, given)).toEqual({
      ...base,
      cleared: null,
      ratio: 0.5,
      numbers: [9, 10],
    });
  });
});

describe("keptOf", () => {
  it("keeps the readable part and fingerprints of the rest", () => {
    const spec = {
      ...base,
      secret: "s",
      password: "p",
      secrets: { a: { value: "v", note: "n" } },
    };
    const kept = recordedSpecOf(kind, spec, canonical);
    expect(kept.lastApplied).toEqual({
      ...base,
      cleared: null,
      ratio: 0.5,
      secrets: { a: { note: "n" } },
    });
    expect(kept.fingerprints).toEqual({
      secret: canonical("s"),
      password: canonical("p"),
      "secrets/a/value": canonical("v"),
    });
  });
});
