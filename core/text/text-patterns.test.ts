// Patterns and formats of strings, and their descriptions.
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../test/support/cpu-time.ts";
import {
  describedPatterns,
  describePattern,
  isIri,
  trimmedPattern,
  unreservedNamePattern,
} from "./text-patterns.ts";

describe("an address", () => {
  it.each([
    "https://example.com/a.png",
    "https://bücher.example/größe?q=é#ü",
    "http://例え.テスト/画像.svg",
    "https://example.com/%C3%BC",
    "mailto:a@b.example",
  ])("is %s", (text) => expect(isIri(text)).toBe(true));

  it.each([
    "",
    "example.com/a.png",
    "/a.png",
    "https://",
    "https://exa mple.com/",
    "https://example.com/a b.png",
    " https://example.com/",
    "https://example.com/\u0085",
    "https://example.com/%zz",
    "https://example.com/<a>",
    "https://[::1/a.png",
  ])("is not %j", (text) => expect(isIri(text)).toBe(false));
});

describe("a pattern", () => {
  it.each([
    ["a", true],
    ["a b", true],
    ["a\nb", true],
    // The minimum length decides whether an empty text is valid.
    ["", true],
    [" ", false],
    [" a", false],
    ["a ", false],
    ["a\u00a0", false],
    ["\ufeffa", false],
  ])("of names takes %j: %s", (text, taken) => {
    expect(new RegExp(trimmedPattern, "u").test(text)).toBe(taken);
    expect(new RegExp(unreservedNamePattern, "u").test(text)).toBe(taken);
    expect(new RegExp(unreservedNamePattern, "u").test(`system:${text}`)).toBe(false);
  });

  it("is described in words if it is a known one, else quoted", () => {
    expect(describePattern(trimmedPattern)).toBe("must not start or end with white space");
    expect(describePattern("^a$")).toBeUndefined();
  });

  it.each(describedPatterns())("%s is described by examples that match it", (pattern, text) => {
    const [, examples = ""] = /such as ([^;]+)/u.exec(text) ?? [];
    for (const example of examples.split(/,? or |, /u).filter((one) => one !== "")) {
      expect(new RegExp(pattern, "u").test(example.replaceAll('"', "")), example).toBe(true);
    }
  });

  it("of names is quick, however long the text and whatever its end", () => {
    const took = cpuMs(() => {
      for (const end of ["x", " "])
        new RegExp(trimmedPattern, "u").test(`x${" ".repeat(1e6)}${end}`);
    });
    expect(took).toBeLessThan(1000);
  });
});
