// Tests that exported YAML keeps its values and holds no line that a CI runner would execute.
import { expect, it } from "vitest";
import { kinds } from "../../resources/index.ts";
import { parse } from "../manifest/parse.ts";
import { documentText } from "./files.ts";

const group = kinds.find(({ name }) => name === "UserGroup");

it.each([
  "first\n::error file=a::b\nlast",
  "##[error]done",
  "a\\##[group]b",
  "##vso[task.setvariable variable=a]b\nmore\n",
  `${"long text ".repeat(20)}\n  ::warning::x`,
])("writes %j so that no runner reads a command", (description) => {
  if (group === undefined) throw new Error("UserGroup is missing");
  const spec = { name: "::notice::x", description };
  const text = documentText({
    kind: group,
    name: "g",
    spec,
    missing: [],
    parentPath: "",
    key: "g",
  });
  expect(text).not.toMatch(/^\s*::|##[\w-]*\[/mu);
  expect(parse("", text).documents[0]?.value).toMatchObject({ spec });
});

it("writes other texts of several lines as blocks", () => {
  if (group === undefined) throw new Error("UserGroup is missing");
  const spec = { name: "g", description: "one\ntwo :: three\n" };
  const text = documentText({
    kind: group,
    name: "g",
    spec,
    missing: [],
    parentPath: "",
    key: "g",
  });
  expect(text).toContain("description: |\n");
});
