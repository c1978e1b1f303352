// Tests each form of a rule between members: objects that follow it, objects that break it, and its JSON Schema.
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import {
  brokenRules,
  exactlyOne,
  type MemberRule,
  notBoth,
  requires,
  ruleErrors,
  ruleSchema,
} from "./member-rules.ts";

const message = "must";
const claims = (...values: readonly (readonly [string, string])[]): JsonObject => ({
  claims: values.map(([name, value]) => ({ name, value })),
});

const forms: readonly (readonly [
  MemberRule,
  kept: readonly JsonObject[],
  broken: readonly JsonObject[],
])[] = [
  [exactlyOne("a", "b"), [{ a: 1 }, { a: null, b: 1 }], [{}, { a: "" }, { a: 1, b: 1 }]],
  [notBoth("a", "b"), [{}, { a: 1 }, { a: 1, b: false }], [{ a: 1, b: 1 }]],
  [requires("a", "b"), [{}, { b: 1 }, { a: 1, b: 1 }], [{ a: 1 }, { a: 1, b: null }]],
  [
    { given: "b", when: { a: "^x$" }, message },
    [{}, { a: "y" }, { a: "x", b: 1 }, { a: 1 }],
    [{ a: "x" }, { a: "x", b: null }],
  ],
  [{ matches: { a: "^x" }, message }, [{ a: "xy" }], [{ a: "y" }, {}]],
  [
    { contains: ["claims", { value: "^[^*]*$" }], message },
    [{}, claims(["a", "*"], ["b", "x"])],
    [claims(), claims(["a", "*"])],
  ],
  [
    { each: ["claims", { value: "^x" }], of: { name: "^sub$" }, message },
    [{}, claims(["a", "y"], ["sub", "x"])],
    [claims(["sub", "y"])],
  ],
  [{ each: ["claims", { value: "^x" }], message }, [claims(["a", "x"])], [claims(["a", "y"])]],
];

describe("a rule between members", () => {
  it.each(forms)("%j", (rule, kept, broken) => {
    const isValid = new Ajv2020({ strict: false }).compile(ruleSchema(rule) ?? {});
    for (const object of kept) {
      expect([object, brokenRules([rule], object).length, isValid(object)]).toEqual([
        object,
        0,
        true,
      ]);
    }
    for (const object of broken) {
      expect([object, brokenRules([rule], object).length, isValid(object)]).toEqual([
        object,
        1,
        false,
      ]);
    }
  });

  it("on items that differ, which JSON Schema cannot say", () => {
    const rule: MemberRule = { distinct: ["claims", "name"], message };
    expect(brokenRules([rule], claims(["a", "x"], ["b", "x"]))).toEqual([]);
    const broken = claims(["b", "x"], ["a", "x"], ["a", "y"]);
    expect(brokenRules([rule], broken)).toEqual([rule]);
    expect(ruleErrors([rule], broken)).toEqual([
      { path: "/claims/2/name", message: "must differ from claims[1].name" },
    ]);
    expect(ruleSchema(rule)).toBeUndefined();
  });
});
