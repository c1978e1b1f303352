// Tests for escaping text that CI runners would execute as a command.
import { expect, it } from "vitest";
import {
  escapeInvisible,
  escapeLines,
  hasRunnerCommand,
  truncate,
} from "../../core/text/escape-text.ts";
import { jsonLine, jsonText } from "./json-text.ts";

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

it("escapes each line of a text, and keeps its line breaks", () => {
  const text = "error: x\n  ::error::y\n::add-mask::z a::b\u001b\n";
  const escaped = "error: x\n  \\u{3a}:error::y\n\\u{3a}:add-mask::z a::b\\u{1b}\n";
  expect(escapeLines(text)).toBe(escaped);
  expect([hasRunnerCommand(text), hasRunnerCommand(text), hasRunnerCommand(escaped)]).toEqual([
    true,
    true,
    false,
  ]);
});

it("keeps the value of a line of JSON, and no command in its text", () => {
  const value = { description: "##vso[a]x\n::error::y\u202e" };
  expect(jsonLine(value)).not.toMatch(/##|\u202e|\n./u);
  expect(JSON.parse(jsonLine(value))).toEqual(value);
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
