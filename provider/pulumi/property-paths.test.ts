import { expect, it } from "vitest";
import { isSameOrAncestor, parsePropertyPath } from "./property-paths.ts";

it.each([
  ["displayName", "displayName", true],
  ['["displayName"]', "displayName", true],
  ["*", "displayName", true],
  ["filters[*].value", "filters[3].value[0]", true],
  ["filters[0]", "filters[0].member", true],
  ["filters[0]", "filters[1].member", false],
  ["displayName.part", "displayName", false],
  ['labels["a.b"]', 'labels["a.b"]', true],
  ["labels.a", 'labels["a.b"]', false],
])("the path %s covers %s: %s", (path, other, covers) => {
  expect(isSameOrAncestor(parsePropertyPath(path), parsePropertyPath(other))).toBe(covers);
});
