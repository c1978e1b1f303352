// Sealed secrets: they open in their own place under a key that is here, and nowhere else.
import { describe, expect, it } from "vitest";
import { makeSeal } from "./seal.ts";
import { freshKey } from "./secret-key.ts";

describe("a seal", () => {
  it("opens what it closed, whatever the text", () => {
    const seal = makeSeal(freshKey());
    for (const text of ["", "s3cret", "Grüße 🔑", "\u0000", "x".repeat(70_000)]) {
      const closed = seal.close(text, "here");
      expect(seal.open(closed, "here")).toBe(text);
      if (text.length > 1) expect(closed).not.toContain(text);
    }
  });

  it("never closes a text the same way twice", () => {
    const seal = makeSeal(freshKey());
    expect(seal.close("a", "here")).not.toBe(seal.close("a", "here"));
  });

  it("does not open in another place", () => {
    const seal = makeSeal(freshKey());
    expect(() => seal.open(seal.close("a", "here"), "there")).toThrow("cannot be opened");
  });

  it("opens under an earlier key, and closes under the current one", () => {
    const [old, current] = [freshKey(), freshKey()];
    const closed = makeSeal(old).close("a", "here");
    const rotated = makeSeal(current, [old]);
    expect(rotated.open(closed, "here")).toBe("a");
    expect(makeSeal(current).open(rotated.close("b", "here"), "here")).toBe("b");
    expect(() => makeSeal(current).open(closed, "here")).toThrow("cannot be opened");
  });

  it("refuses what is torn, changed or not sealed at all", () => {
    const seal = makeSeal(freshKey());
    const closed = seal.close("a secret", "here");
    const last = closed.endsWith("A") ? "B" : "A";
    const wrong = [
      closed.slice(0, -4),
      `${closed.slice(0, -1)}${last}`,
      "",
      "a",
      "s1..",
      `s2${closed.slice(2)}`,
    ];
    for (const text of wrong) expect(() => seal.open(text, "here")).toThrow("cannot be opened");
  });
});
