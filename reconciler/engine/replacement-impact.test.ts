// Tests the effects of a replacement on other objects.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { desiredObject, house, town, townKinds } from "../../test/support/plan-fixtures.ts";
import { sampleChange, sampleMatch } from "../../test/support/sample-plans.ts";
import type { Match } from "./match-objects.ts";
import { createReplacementImpacts, type ReplacementImpacts } from "./replacement-impact.ts";

const ulm = desiredObject(town, "ulm", { spec: { name: "ulm" } });
const inUlm = desiredObject(house, "tall", {
  spec: { town: "ulm", name: "tall" },
  needs: [ulm.address],
});
const fond = desiredObject(house, "fond", {
  spec: { town: "bonn", name: "fond", twin: "ulm" },
  needs: [ulm.address],
});
const match = (spec: JsonObject, more: Partial<Match> = {}): Match =>
  sampleMatch({ observed: { id: "2", spec, status: {} }, ...more });

function impacts(add: (to: ReplacementImpacts) => void): ReplacementImpacts {
  const collected = createReplacementImpacts(new Map(townKinds.map((kind) => [kind.name, kind])));
  add(collected);
  return collected;
}

describe("an object", () => {
  const replacing = impacts((to) =>
    to.addChange(ulm, sampleChange("replace", "Town/ulm", { key: ulm.key }), false),
  );

  it("inside a replaced one is deleted, and its fixed reference is not written", () => {
    expect(replacing.of(inUlm, match(inUlm.spec))).toEqual({ object: true, fields: new Set() });
  });

  it("that refers to a replaced one from outside writes the reference again", () => {
    expect(replacing.of(fond, match(fond.spec))).toEqual({
      object: false,
      fields: new Set(["twin"]),
    });
  });

  it("that does not exist yet is not affected", () => {
    expect(replacing.of(fond, match({}, { observed: undefined }))).toEqual({
      object: false,
      fields: new Set(),
    });
  });
});

it.each([
  ["create", false, ["twin"]],
  ["update", false, []],
  ["update", true, ["twin"]],
] as const)("after a %s that takes another's name: %s", (action, takesName, fields) => {
  const changed = impacts((to) =>
    to.addChange(ulm, sampleChange(action, "Town/ulm", { key: ulm.key }), takesName),
  );
  expect([...changed.of(fond, match(fond.spec)).fields]).toEqual(fields);
  expect(changed.of(inUlm, match(inUlm.spec)).object).toBe(false);
});

it("the delete of a renamed parent cascades to what is in it under its live name", () => {
  const deleted = impacts((to) =>
    to.addDelete(sampleChange("delete", "Town/x", { key: "x", from: { key: ulm.key, scope: {} } })),
  );
  expect(deleted.of(inUlm, match(inUlm.spec)).object).toBe(true);
});
