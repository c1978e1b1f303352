// Tests patches with the examples in the appendices of RFC 7386 and RFC 6902, and the patches that are refused.
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../json.ts";
import { applyOperations, mergePatch, type PatchOperation } from "./patch.ts";

describe("a merge patch", () => {
  it.each<[JsonValue, JsonValue, JsonValue]>([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "foo" }, null, null],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("of %j by %j gives %j", (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  it.each(["constructor", "prototype"])("applies what follows a key named %s", (name) => {
    expect(mergePatch({}, { [name]: 1, a: 2 })).toEqual({ [name]: 1, a: 2 });
  });

  it("keeps a key named __proto__ as an own key", () => {
    const patch = JSON.parse('{"__proto__":{"a":1}}') as JsonObject;
    const merged = mergePatch({}, patch) as JsonObject;
    expect(Object.keys(merged)).toEqual(["__proto__"]);
    expect(merged["a"]).toBeUndefined();
  });
});

describe("a list of operations", () => {
  it.each<[JsonValue, readonly PatchOperation[], JsonValue]>([
    [{ foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { baz: "qux", foo: "bar" }],
    [
      { foo: ["bar", "baz"] },
      [{ op: "add", path: "/foo/1", value: "qux" }],
      { foo: ["bar", "qux", "baz"] },
    ],
    [{ baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
    [{ foo: ["bar", "qux", "baz"] }, [{ op: "remove", path: "/foo/1" }], { foo: ["bar", "baz"] }],
    [{ baz: "qux" }, [{ op: "replace", path: "/baz", value: "boo" }], { baz: "boo" }],
    [
      { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
      [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
      { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
    ],
    [
      { foo: ["all", "grass", "cows", "eat"] },
      [{ op: "move", from: "/foo/1", path: "/foo/3" }],
      { foo: ["all", "cows", "eat", "grass"] },
    ],
    [{ a: { b: 1 } }, [{ op: "copy", from: "/a", path: "/c" }], { a: { b: 1 }, c: { b: 1 } }],
    [{ foo: ["bar"] }, [{ op: "add", path: "/foo/-", value: ["abc"] }], { foo: ["bar", ["abc"]] }],
    [
      { "/": 9, "~1": 10 },
      [
        { op: "test", path: "/~01", value: 10 },
        { op: "remove", path: "/~1" },
      ],
      { "~1": 10 },
    ],
    [{ foo: 1 }, [{ op: "add", path: "", value: [] }], []],
    [{ foo: null }, [{ op: "test", path: "/foo", value: null }], { foo: null }],
  ])("on %j: %j gives %j", (target, operations, result) => {
    const before = JSON.stringify(target);
    expect(applyOperations(target, operations)).toEqual({ value: result });
    expect(JSON.stringify(target)).toBe(before);
  });

  it.each<[string, PatchOperation]>([
    ["no value at", { op: "remove", path: "/b" }],
    ["no value at", { op: "replace", path: "/b", value: 1 }],
    ["no value at", { op: "add", path: "/b/c", value: 1 }],
    ["no value at", { op: "add", path: "/list/3", value: 1 }],
    ["no value at", { op: "remove", path: "/list/-" }],
    ["no value at", { op: "replace", path: "/list/01", value: 1 }],
    ["no value at", { op: "copy", from: "/nowhere", path: "/b" }],
    ["is different", { op: "test", path: "/a", value: "1" }],
    ["into itself", { op: "move", from: "/object", path: "/object/x" }],
    ["not a JSON Pointer", { op: "add", path: "a", value: 1 }],
    ["not a valid field", { op: "add", path: "/__proto__/x", value: 1 }],
    ["not a valid field", { op: "add", path: "/constructor/prototype", value: 1 }],
    ["no value at", { op: "add", path: "/a/b", value: 1 }],
    ["no value at", { op: "remove", path: "/toString" }],
    ["no value at", { op: "move", from: "/list/length", path: "/b" }],
    ["cannot be removed", { op: "remove", path: "" }],
  ])("is refused with %j: %j", (why, operation) => {
    const target = { a: 1, list: [1, 2], object: {} };
    const kept: PatchOperation = { op: "add", path: "/ok", value: true };
    expect(applyOperations(target, [kept, operation])).toEqual({
      failed: 1,
      reason: expect.stringContaining(why),
    });
  });

  it("changes neither the operations nor what they add", () => {
    const operations: PatchOperation[] = [
      { op: "add", path: "/b", value: { c: [1] } },
      { op: "add", path: "/b/c/-", value: 2 },
    ];
    const before = JSON.stringify(operations);
    expect(applyOperations({}, operations)).toEqual({ value: { b: { c: [1, 2] } } });
    expect(JSON.stringify(operations)).toBe(before);
  });

  it("limits the number of copied values", () => {
    const doubling = Array.from({ length: 60 }, (_, index): PatchOperation => {
      return { op: "copy", from: "", path: `/x${index}` };
    });
    expect(applyOperations({ a: 1 }, doubling)).toMatchObject({
      reason: "the operations copy too many values",
    });
  });
});
