// Tests the encoding of property values with secrets and unknowns, and property paths.
import { inspect } from "node:util";
import fc from "fast-check";
import structs from "google-protobuf/google/protobuf/struct_pb.js";
import { describe, expect, it } from "vitest";
import { Unknown } from "../bridge/unknown-values.ts";
import { formatPropertyPath } from "./property-paths.ts";
import {
  decode,
  encode,
  hasSecret,
  hasUnknown,
  isMap,
  type PropertyMap,
  type PropertyValue,
  unwrapSecrets,
  SecretValue,
  markSecretsLike,
  unknownValue,
} from "./property-values.ts";

/** Encodes and decodes a map. */
function roundTrip(map: PropertyMap): PropertyMap {
  return decode(structs.Struct.deserializeBinary(encode(map).serializeBinary()));
}

/** Makes secrets and unknowns visible for comparison. */
function visible(value: PropertyValue): unknown {
  if (value instanceof Unknown) return ["unknown"];
  if (value instanceof SecretValue) return ["secret", visible(value.reveal())];
  if (Array.isArray(value)) return value.map(visible);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visible(inner)]));
}

const name = fc.string().filter((text) => text !== "__proto__");
const { value: anyValue } = fc.letrec<{ value: PropertyValue; leaf: PropertyValue }>((tie) => ({
  leaf: fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: "grapheme" }),
    fc.constant(unknownValue),
  ),
  value: fc.oneof(
    { maxDepth: 4 },
    tie("leaf"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    tie("value").map((value) => new SecretValue(value)),
  ),
}));

describe("property values", () => {
  it("survive a round trip, secrets and unknowns included", () => {
    fc.assert(
      fc.property(fc.dictionary(name, anyValue, { noNullPrototype: true }), (map) => {
        expect(visible(roundTrip(map))).toEqual(visible(map));
      }),
    );
  });

  it("decode the engine's secrets, unknowns, outputs and resource references", () => {
    const marked = (mark: string, rest: PropertyMap): PropertyMap => ({
      "4dabf18193072939515e22adb298388d": mark,
      ...rest,
    });
    const read = roundTrip({
      secret: marked("1b47061264138c4ac30d75fd1eb44270", { value: "s" }),
      number: "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
      output: marked("d0e6a833031e9bbcd3f4e8bde6ca49a4", { value: 1, secret: true }),
      later: marked("d0e6a833031e9bbcd3f4e8bde6ca49a4", { dependencies: [] }),
      resource: marked("5cf8f73096256a8f31e491e813e4eb8e", { urn: "u", id: "acme" }),
      notCreated: marked("5cf8f73096256a8f31e491e813e4eb8e", { urn: "u", id: "" }),
    });
    expect(visible(read)).toEqual({
      secret: ["secret", "s"],
      number: ["unknown"],
      output: ["secret", 1],
      later: ["unknown"],
      resource: "acme",
      notCreated: ["unknown"],
    });
  });

  it("refuse assets with their path", () => {
    const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17" };
    expect(() => roundTrip({ files: [{ "a.b": asset }] })).toThrow(
      /^files\[0\]\["a\.b"\] is an asset/,
    );
  });

  it("refuse excessive nesting", () => {
    let deep: PropertyValue = 1;
    for (let level = 0; level < 80; level++) deep = { inner: deep };
    expect(() => decode(encode({ deep }))).toThrow(/^deep\.inner\.inner is nested too deeply/);
  });

  it("do not print secrets", () => {
    const secret = new SecretValue({ key: "hunter2" });
    const printed = [JSON.stringify({ secret }), inspect(secret), inspect({ secret })];
    expect(printed.join(" ")).not.toContain("hunter2");
  });

  it("detect nested secrets and unknowns", () => {
    expect(hasUnknown({ a: [new SecretValue([unknownValue])] })).toBe(true);
    expect(hasUnknown({ a: [new SecretValue([1])] })).toBe(false);
    expect(hasSecret([{ a: new SecretValue(1) }])).toBe(true);
    expect(hasSecret([{ a: unknownValue }])).toBe(false);
    expect(unwrapSecrets({ a: [new SecretValue({ b: "s" }), unknownValue] })).toEqual({
      a: [{ b: "s" }, unknownValue],
    });
  });

  it("become secret where another value is secret", () => {
    const like = {
      whole: new SecretValue(1),
      list: [1, new SecretValue(2)],
      map: { a: new SecretValue(1), b: 2 },
    };
    const value = { whole: { x: 1 }, list: [3, 4], map: { a: 5, b: 6 }, other: 7 };
    expect(visible(markSecretsLike(value, like))).toEqual({
      whole: ["secret", { x: 1 }],
      list: [3, ["secret", 4]],
      map: { a: ["secret", 5], b: 6 },
      other: 7,
    });
    expect(visible(markSecretsLike({ list: [3] }, like))).toEqual({ list: ["secret", [3]] });
  });
});

describe("property paths", () => {
  it.each([
    [["release", "channel"], "release.channel"],
    [["filters", 0, "member"], "filters[0].member"],
    [["labels", "a.b"], 'labels["a.b"]'],
    [["labels", 'say "x"'], 'labels["say \\"x\\""]'],
    [["0a"], '["0a"]'],
  ])("format %j as %s", (steps, path) => {
    expect(formatPropertyPath(steps)).toBe(path);
  });
});
