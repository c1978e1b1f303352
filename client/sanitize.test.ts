// External text in messages: one line, without control characters, limited, without secrets.
import { describe, expect, it } from "vitest";
import { sanitize } from "./sanitize.ts";

describe("sanitize", () => {
  it("keeps ordinary text", () => {
    expect(sanitize("Ünïcode 名前 – “x” 👍🏽")).toBe("Ünïcode 名前 – “x” 👍🏽");
  });

  it("replaces control characters, line breaks and bidirectional controls", () => {
    expect(sanitize("a\u0000\u001b[31mb\r\nc\u009b1md\u202ee\u2066f\u2028g")).toBe(
      "a [31mb c 1md e f g",
    );
  });

  it("limits the length and masks secrets", () => {
    expect(sanitize("x".repeat(10_000))).toHaveLength(501);
    expect(sanitize("key k-1 is k-1", ["k-1", ""])).toBe("key ••• is •••");
  });
});
