// Encrypted secrets: bound to their place and to the available keys.
import { describe, expect, it } from "vitest";
import { makeSealer } from "./seal.ts";
import { generateKey } from "./secret-key.ts";

describe("a sealer", () => {
  it("decrypts what it encrypted, for any text", () => {
    const seal = makeSealer(generateKey());
    for (const text of ["", "s3cret", "Grüße 🔑", "\u0000", "x".repeat(70_000)]) {
      const closed = seal.seal(text, "here");
      expect(seal.open(closed, "here")).toBe(text);
      if (text.length > 1) expect(closed).not.toContain(text);
    }
  });

  it("never encrypts a text the same way twice", () => {
    const seal = makeSealer(generateKey());
    expect(seal.seal("a", "here")).not.toBe(seal.seal("a", "here"));
  });

  it("does not decrypt in another place", () => {
    const seal = makeSealer(generateKey());
    expect(() => seal.open(seal.seal("a", "here"), "there")).toThrow("cannot be decrypted");
  });

  it("decrypts with an earlier key and encrypts with the current one", () => {
    const [old, current] = [generateKey(), generateKey()];
    const closed = makeSealer(old).seal("a", "here");
    const rotated = makeSealer(current, [old]);
    expect(rotated.open(closed, "here")).toBe("a");
    expect(makeSealer(current).open(rotated.seal("b", "here"), "here")).toBe("b");
    expect(() => makeSealer(current).open(closed, "here")).toThrow("cannot be decrypted");
  });

  it("rejects incomplete, changed or unencrypted values", () => {
    const seal = makeSealer(generateKey());
    const closed = seal.seal("a secret", "here");
    const last = closed.endsWith("A") ? "B" : "A";
    const wrong = [
      closed.slice(0, -4),
      `${closed.slice(0, -1)}${last}`,
      "",
      "a",
      "s1..",
      `s2${closed.slice(2)}`,
    ];
    for (const text of wrong) expect(() => seal.open(text, "here")).toThrow("cannot be decrypted");
  });
});
