// The rows of a long table that are drawn.
import { expect, it } from "vitest";
import { windowOf } from "./table-window.ts";

const rows = ["a", "a", "a", "b", "b"].map((group, at, all) => ({
  cells: [
    {
      text: group,
      value: group,
      rowSpan: all[at - 1] === group ? 0 : all.filter((one) => one === group).length,
    },
    { text: String(at), value: at },
  ],
}));
const drawn = (from: number, to: number) =>
  windowOf(rows, from, to).map(({ cells }) =>
    cells.map(({ text, rowSpan }) => (rowSpan === undefined ? text : `${text} ${rowSpan}`)),
  );

it("repeat the name of their group, which covers them alone", () => {
  expect(drawn(0, 5)).toEqual([
    ["a 3", "0"],
    ["a 0", "1"],
    ["a 0", "2"],
    ["b 2", "3"],
    ["b 0", "4"],
  ]);
  expect(drawn(1, 4)).toEqual([
    ["a 2", "1"],
    ["a 0", "2"],
    ["b 1", "3"],
  ]);
  expect(drawn(2, 3)).toEqual([["a 1", "2"]]);
});
