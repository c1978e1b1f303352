// Edits of a list in a manifest: items that stay keep their lines.
import { expect, it } from "vitest";
import { itemEdits } from "./update.ts";

const at = ["spec", "roles"];
const edits = (written: readonly string[], live: readonly string[], isSet = false) =>
  itemEdits(at, { written, live, isSet });

it("removes items from the last to the first, so that positions stay valid, then appends", () => {
  expect(edits(["a", "b", "c", "d"], ["a", "d", "e"])).toEqual([
    { path: [...at, "2"], value: undefined },
    { path: [...at, "1"], value: undefined },
    { path: [...at, "2"], value: "e" },
  ]);
});

it("writes the whole list if the order changed, unless order has no meaning", () => {
  expect(edits(["a", "b"], ["b", "a"])).toEqual([{ path: at, value: ["b", "a"] }]);
  expect(edits(["a", "b"], ["b", "a"], true)).toEqual([]);
  expect(edits(["a", "b"], ["c", "a"])).toEqual([{ path: at, value: ["c", "a"] }]);
  expect(edits(["a", "b"], ["c", "a"], true)).toEqual([
    { path: [...at, "1"], value: undefined },
    { path: [...at, "1"], value: "c" },
  ]);
});

it("writes the whole list if no item stays", () => {
  expect(edits(["a"], ["b"])).toEqual([{ path: at, value: ["b"] }]);
});
