// Paths of a commit may contain tabs and line ends, which Git prints unescaped.
import { expect, it } from "vitest";
import { parseTreeEntries } from "./tree-entries.ts";

it("the entries of a commit are parsed with every character of their paths", () => {
  const [one, two] = ["a".repeat(40), "b".repeat(64)];
  const nul = "\0";
  const output = `100644 blob ${one}      12\ta\tb\n c${nul}040000 tree ${two}       -\td${nul}`;
  expect(parseTreeEntries(output)).toEqual([
    { mode: "100644", hash: one, bytes: 12, path: "a\tb\n c" },
    { mode: "040000", hash: two, bytes: 0, path: "d" },
  ]);
  expect(parseTreeEntries(`120000 blob ${one}\tl\0`)).toEqual([
    { mode: "120000", hash: one, bytes: 0, path: "l" },
  ]);
  expect(parseTreeEntries("")).toEqual([]);
});
