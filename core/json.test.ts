// Tests of JSON as the server and the client read it.
import { expect, it } from "vitest";
import { parseObject } from "./json.ts";

it.each([
  ['{"a": 1}', { a: 1 }],
  ["[1]", {}],
  ["null", {}],
  ["<html>", {}],
  ["", {}],
])("reads the object in %j, and an empty one from any other text", (text, object) => {
  expect(parseObject(text)).toEqual(object);
});
