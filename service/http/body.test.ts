// Tests which request bodies are accepted.
import { describe, expect, it } from "vitest";
import { isFailure } from "../../core/errors.ts";
import { parseBody, parseExactBody } from "./body.ts";

function failureMessage(text: string | Buffer): string | undefined {
  try {
    parseExactBody(Buffer.from(text));
    return undefined;
  } catch (error) {
    if (isFailure(error, "invalid")) return error.message;
    throw error;
  }
}

describe("a body", () => {
  it("is JSON in UTF-8, with or without a byte order mark", () => {
    expect(parseBody(Buffer.from(' {"a":["é",1.5,null]} '))).toEqual({ a: ["é", 1.5, null] });
    expect(parseBody(Buffer.from("\uFEFF[1]"))).toEqual([1]);
    expect(parseBody(Buffer.from(""))).toBeUndefined();
    expect(failureMessage(Buffer.from([0x22, 0xff, 0x22]))).toContain("UTF-8");
  });

  it("with a syntax error is rejected with its position", () => {
    expect(failureMessage('{\n  "a": x}')).toContain("line 2, column 8, position 9");
    expect(failureMessage('{"a":')).toContain("ends too early");
  });

  it.each([
    ["nests too deep", "[".repeat(65) + "]".repeat(65), "64 levels"],
    ["ends early in deep nesting", "[".repeat(500_000), "64 levels"],
    ["ends early", "[".repeat(60), "ends too early"],
    ["has a member named __proto__", '{"a":{"__proto__":{"b":1}}}', "__proto__"],
    ["has a member named __proto__ with an escape", '{"\\u005f_proto__":1}', "__proto__"],
    ["has half a surrogate pair", '["\\ud800"]', "surrogate"],
    ["has half a surrogate pair in a name", '{"\\udc00":1}', "surrogate"],
    ["has a null character", '["a\\u0000"]', "null character"],
    ["has a number out of range", "[1e999]", "range"],
    ["has a number that rounds", '{"a":[9007199254740993]}', "9007199254740993 is too large to be"],
    [
      "has more digits than a double",
      "[0.12345678901234567]",
      "too many digits to be exact; use a",
    ],
    ["has a member twice", '{"a":{"b":1,"c":"{","\\u0062":2}}', 'the member "b" appears twice'],
  ])("is rejected if it %s", (_, text, words) => {
    expect(failureMessage(text)).toContain(words);
  });

  it("may nest as deep as the limit", () => {
    expect(failureMessage("[".repeat(64) + "]".repeat(64))).toBeUndefined();
  });
});
