// Tests of ignore rules.
import { describe, expect, it } from "vitest";
import type { LifecycleRules } from "../../core/kind/lifecycle-rules.ts";
import { desiredObject, town } from "../../test/support/plan-fixtures.ts";
import { ignoreRuleNotes, isIgnored, withIgnoredFields } from "./ignore-rules.ts";

const observed = { id: "1", spec: { name: "ulm", land: "live", motto: "live" }, status: {} };
const spec = { name: "ulm", land: "declared" };
const ruled = (rules: LifecycleRules) => ({ ...desiredObject(town, "ulm", { spec }), rules });
const ignoring = (path: string, expires?: string): LifecycleRules => ({
  ignore: [{ path, reason: "it varies", ...(expires !== undefined && { expires }) }],
});
const noon = new Date("2026-06-01T12:00:00Z");
const codes = (rules: LifecycleRules): readonly string[] =>
  ignoreRuleNotes(ruled(rules), observed, noon).map(({ code }) => code);

describe("an ignored field", () => {
  it("is as the live object has it, also when the document omits it", () => {
    expect(withIgnoredFields(ruled(ignoring("/spec/land")), observed, noon).spec).toEqual({
      name: "ulm",
      land: "live",
    });
    expect(withIgnoredFields(ruled(ignoring("/spec/motto")), observed, noon).spec).toEqual({
      ...spec,
      motto: "live",
    });
  });

  it("is absent when the live object does not have it", () => {
    const bare = { ...observed, spec: { name: "ulm" } };
    expect(withIgnoredFields(ruled(ignoring("/spec/land")), bare, noon).spec).toEqual({
      name: "ulm",
    });
  });

  it("includes what is inside, and no field whose name only starts alike", () => {
    expect(isIgnored(ruled(ignoring("/spec/land")), ["land", "inner"], noon)).toBe(true);
    expect(isIgnored(ruled(ignoring("/spec/land")), ["landing"], noon)).toBe(false);
  });
});

it.each([
  ["2026-05-31", noon, false],
  ["2026-06-01", noon, true],
  ["2026-06-01", new Date("2026-06-01T23:59:59Z"), true],
  ["2026-06-01", new Date("2026-06-02T00:00:00Z"), false],
])("a rule lasts to the end of %s: at %s", (expires, now, lasts) => {
  expect(isIgnored(ruled(ignoring("/spec/land", expires)), ["land"], now)).toBe(lasts);
});

it.each([
  ["a difference that it ignores", ignoring("/spec/land"), ["ignored-difference"]],
  ["that it has no effect", ignoring("/spec/name"), ["ignore-unused"]],
  ["that it has expired", ignoring("/spec/land", "2026-05-31"), ["ignore-expired"]],
])("a rule reports %s", (_, rules, expected) => {
  expect(codes(rules)).toEqual(expected);
});

it("a document that does not manage updates ignores every declared field", () => {
  const rules: LifecycleRules = { manage: ["observe", "create"] };
  expect(isIgnored(ruled(rules), ["motto"], noon)).toBe(true);
  expect(withIgnoredFields(ruled(rules), observed, noon).spec).toEqual({
    name: "ulm",
    land: "live",
  });
  expect(codes(rules)).toEqual(["ignored-difference"]);
});
