// Tests differences and directions with examples. The other tests of this folder test laws of any desired state.
import { describe, expect, it } from "vitest";
import { everyTrait as kind } from "../support/sample-kinds.ts";
import {
  compare,
  directionOfChanges,
  type FieldChange,
  secretMasks,
} from "../../core/spec/diff.ts";
import { canonical, type JsonObject, type JsonValue } from "../../core/json.ts";

const base = { parent: "p", name: "n", number: 1, flag: true };
const live = { ...base, ratio: 0.5 };
const known = {
  fingerprints: { password: canonical("old") },
  fingerprint: (value: JsonValue) => canonical(value),
};
const changesOf = (desiredValue: JsonObject, seen: JsonObject = {}): FieldChange[] =>
  compare(kind, { ...base, ...desiredValue }, { ...live, ...seen }, known);
const onlyChange = (desiredValue: JsonObject, seen: JsonObject = {}): FieldChange => {
  const [first, ...more] = changesOf(desiredValue, seen);
  expect(more).toEqual([]);
  if (first === undefined) throw new Error("nothing differs");
  return first;
};

describe("compare", () => {
  it("reports what differs, is absent and is cleared", () => {
    expect(onlyChange({ kept: "b" }, { kept: "a" })).toEqual({
      path: "/kept",
      field: "kept",
      before: "a",
      after: "b",
      reason: "differs",
      replaces: false,
      sensitive: false,
    });
    expect(onlyChange({ kept: "b" })).toMatchObject({ before: undefined, reason: "absent" });
    expect(onlyChange({ kept: null }, { kept: "a" })).toMatchObject({
      after: null,
      reason: "cleared",
    });
  });

  it("leaves alone what is not declared, and clears what its trait says", () => {
    expect(changesOf({}, { kept: "a", chosen: "b", labels: { x: "y" } })).toEqual([]);
    expect(onlyChange({}, { cleared: "a" })).toMatchObject({ after: null, reason: "cleared" });
    expect(changesOf({ lasting: null }, { lasting: "a" })).toEqual([]);
  });

  it("knows which changes replace, also inside", () => {
    expect(onlyChange({ name: "m" }).replaces).toBe(true);
    const [inner, fixed] = changesOf(
      { nested: { inner: "a", fixed: 1 } },
      { nested: { fixed: 2 } },
    );
    expect(inner).toMatchObject({ path: "/nested/inner", reason: "absent", replaces: false });
    expect(fixed).toMatchObject({ path: "/nested/fixed", before: 2, after: 1, replaces: true });
  });

  it("goes into maps by their keys and takes lists and sets whole", () => {
    const found = changesOf({ labels: { a: "1", "b/c": "2" } }, { labels: { a: "0", z: "9" } });
    expect(found.map(({ path, reason }) => [path, reason])).toEqual([
      ["/labels/a", "differs"],
      ["/labels/b~1c", "absent"],
      ["/labels/z", "cleared"],
    ]);
    expect(onlyChange({ labels: {} }).path).toBe("/labels");
    expect(changesOf({ tags: ["b", "a", "b"] }, { tags: ["a", "b"] })).toEqual([]);
    expect(onlyChange({ steps: ["b", "a"] }, { steps: ["a", "b"] })).toMatchObject({
      path: "/steps",
    });
    expect(onlyChange({ tags: [] }, { tags: ["a"] })).toMatchObject({ before: ["a"], after: [] });
  });

  it("takes null in a map of any values as a value, and not as an entry that is left out", () => {
    const reasons = (desired: JsonObject, seen: JsonObject) =>
      changesOf({ extras: desired }, { extras: seen }).map(({ path, reason }) => [path, reason]);
    expect(reasons({ a: null }, { a: null })).toEqual([]);
    expect(reasons({ a: null }, {})).toEqual([["/extras/a", "absent"]]);
    expect(reasons({ a: null }, { a: 1 })).toEqual([["/extras/a", "differs"]]);
    expect(reasons({}, { a: null })).toEqual([["/extras/a", "cleared"]]);
  });

  it("masks secrets", () => {
    const { before, after } = secretMasks;
    expect(onlyChange({ secret: "b" }, { secret: "a" })).toMatchObject({
      before,
      after,
      sensitive: true,
    });
    expect(onlyChange({ secret: null }, { secret: "a" })).toMatchObject({ before, after: null });
    expect(onlyChange({ secrets: {} }, { secrets: { a: { note: "n" } } })).toMatchObject({
      before,
    });
  });

  it("compares what cannot be read by fingerprint", () => {
    expect(changesOf({ password: "old" })).toEqual([]);
    expect(onlyChange({ password: "new" })).toMatchObject({
      before: undefined,
      after: secretMasks.after,
      reason: "fingerprint",
    });
    expect(onlyChange({ unread: ["a"] })).toMatchObject({ after: ["a"], reason: "unverified" });
    expect(onlyChange({ secrets: { a: { value: "v" } } }, { secrets: { a: {} } })).toMatchObject({
      path: "/secrets/a/value",
      reason: "unverified",
    });
  });

  it("compares what may be masked by value where it is shown, else by fingerprint", () => {
    expect(changesOf({ masked: "a" }, { masked: "a" })).toEqual([]);
    expect(onlyChange({ masked: "a" }, { masked: "b" })).toMatchObject({ reason: "differs" });
    expect(onlyChange({ masked: "a" })).toMatchObject({ reason: "unverified", sensitive: true });
  });
});

describe("direction", () => {
  const moved = (desiredValue: JsonObject, seen: JsonObject, last: JsonObject | undefined) => {
    const sides = {
      desired: { ...base, ...desiredValue },
      live: { ...live, ...seen },
      lastApplied: last,
    };
    return directionOfChanges(kind, sides)(onlyChange(desiredValue, seen));
  };

  it("reports which side changed since the last apply", () => {
    expect(moved({ kept: "b" }, { kept: "a" }, undefined)).toBe("pending");
    expect(moved({ kept: "b" }, { kept: "a" }, { kept: "a" })).toBe("pending");
    expect(moved({ kept: "b" }, { kept: "a" }, { kept: "b" })).toBe("drifted");
    expect(moved({ kept: "b" }, { kept: "a" }, { kept: "c" })).toBe("conflict");
  });

  it("takes a field that was never applied for pending, and a missing map entry as applied", () => {
    expect(moved({ kept: "b" }, { kept: "a" }, {})).toBe("pending");
    const x = { labels: { x: "1" } };
    expect(moved(x, { labels: {} }, { labels: {} })).toBe("pending");
    expect(moved({ labels: {} }, x, { labels: {} })).toBe("drifted");
    expect(moved(x, { labels: {} }, x)).toBe("drifted");
  });

  it("knows that a cleared field was applied", () => {
    expect(moved({ kept: null }, { kept: "a" }, { kept: null })).toBe("drifted");
    expect(moved({ kept: null }, { kept: "a" }, { kept: "a" })).toBe("pending");
  });

  it("takes what cannot be read for pending", () => {
    expect(moved({ password: "new" }, {}, { kept: "a" })).toBe("pending");
  });
});
