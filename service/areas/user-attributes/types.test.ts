// The defaults of attributes, as access policies read them.
import { expect, it } from "vitest";
import { defaultOf } from "./types.ts";

it.each([
  ["string", "EMEA", "EMEA"],
  ["string", " [1] ", " [1] "],
  ["number", "2.5e1", 25],
  ["boolean", "true", true],
  ["boolean", "false", false],
  ["string_array", "a, b", ["a", "b"]],
  ["string_array", '["a, b", "\\u00e9"]', ["a, b", "é"]],
  ["string_array", "[]", []],
  ["number_array", "1, -2.5", [1, -2.5]],
  ["number_array", "[1, 2]", [1, 2]],
  ["number", null, undefined],
  // Stored before the service checked the form.
  ["number", "many", undefined],
  ["boolean", "yes", undefined],
  ["number_array", "1, many", undefined],
])("the default of a %s that is written %j is %j", (type, text, value) => {
  expect(defaultOf(type, text)).toEqual(value);
});
