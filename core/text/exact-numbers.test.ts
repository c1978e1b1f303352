// Tests which numbers and members JSON text loses when it is parsed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inexactPointer, inexactReason, jsonLossReason } from "./exact-numbers.ts";

describe("inexactReason", () => {
  it.each([
    ["9007199254740991", undefined],
    ["-9007199254740991", undefined],
    ["0.1", undefined],
    ["0.10000000000000000", undefined],
    ["000001.50", undefined],
    ["1e5", undefined],
    ["1.5E-7", undefined],
    ["5e-324", undefined],
    ["0.30000000000000004", undefined],
    ["0e5", undefined],
    [".5", undefined],
    ["9007199254740992", "is too large to be exact"],
    ["-9007199254740993", "is too large to be exact"],
    ["9007199254740992.5", "is too large to be exact"],
    ["1.5e22", undefined],
    ["1e20", "is too large to be exact"],
    ["10000000000000000000000", "is too large to be exact"],
    ["1e400", "is too large to be exact"],
    ["0.12345678901234567", "has too many digits to be exact"],
    ["4503599627370496.25", "has too many digits to be exact"],
    ["1e-400", "has too many digits to be exact"],
  ])("%s", (source, expected) => {
    expect(inexactReason(Number(source), source)).toBe(expected);
  });

  it("accepts every double as JavaScript writes it, unless it is an integer beyond 2^53", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = JSON.stringify(value);
        const isLarge = /^-?[0-9]+$/.test(text) && !Number.isSafeInteger(value);
        expect(inexactReason(value, text) !== undefined).toBe(isLarge);
      }),
    );
  });
});

describe("jsonLossReason", () => {
  it("is undefined for what JSON.stringify writes, with safe numbers", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        fc.pre(inexactPointer(value) === undefined);
        expect(jsonLossReason(JSON.stringify(value))).toBeUndefined();
      }),
    );
  });

  it.each([
    ['{"a":1,"a":2}', 'the member "a" appears twice in one object'],
    ['[{"a":1},{"a":{"a":"a","b":["a","a"]}}]', undefined],
    ['{"a":"\\\\","b":"\\"c\\":","c" :1}', undefined],
    ['{"b\\"":1,"c":{},"b\\u0022":1}', 'the member "b\\"" appears twice in one object'],
    ['{"a":"12345678901234567890"}', undefined],
    ['{"9007199254740993":1}', undefined],
    ["[1, 9007199254740993]", "the number 9007199254740993 is too large to be exact"],
  ])("%s", (text, expected) => {
    expect(jsonLossReason(text)?.problem).toBe(expected);
  });

  it("takes time that grows with the text", () => {
    const many = `{${Array.from({ length: 100_000 }, (_, at) => `"${at}":0.5`).join()}}`;
    expect(jsonLossReason(many)).toBeUndefined();
    const zeros = `[${"0.".padEnd(1_000_000, "0")}1]`;
    expect(jsonLossReason(zeros)?.problem).toContain("…");
    expect(jsonLossReason(`["${"\\\\".repeat(500_000)}"]`)).toBeUndefined();
  });
});
