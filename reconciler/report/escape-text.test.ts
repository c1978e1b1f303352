// Tests for escaping text that CI runners would execute as a command.
import { expect, it } from "vitest";
import { escapeInvisible, truncate } from "../../core/escape-text.ts";
import { jsonText } from "./json-text.ts";

it.each([
  ["::error file=a::b", "\\u{3a}:error file=a::b"],
  ["  ::stop-commands::x", "  \\u{3a}:stop-commands::x"],
  ["a ##[error]b", "a \\u{23}#[error]b"],
  ["##vso[task.setvariable variable=a]b", "\\u{23}#vso[task.setvariable variable=a]b"],
  ["##teamcity[message text='a']", "\\u{23}#teamcity[message text='a']"],
])("escapes %j", (text, expected) => {
  expect(escapeInvisible(text)).toBe(expected);
});

it.each(["a::b", "## heading", "C++ std::map", "[x](#anchor)"])("leaves %j alone", (text) => {
  expect(escapeInvisible(text)).toBe(text);
});

it("keeps the value of JSON, and no command in its text", () => {
  const value = { description: "##[error]x\n::error::y" };
  expect(jsonText(value)).not.toMatch(/##\[|^\s*::/mu);
  expect(JSON.parse(jsonText(value))).toEqual(value);
});

it("shortens a text only where that makes it shorter", () => {
  expect(truncate("a".repeat(25), 24)).toBe("a".repeat(25));
  expect(truncate("a".repeat(60), 24)).toBe(`${"a".repeat(24)}… (36 more)`);
});
