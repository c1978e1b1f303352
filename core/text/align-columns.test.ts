// Tests for tables in text.
import { expect, it } from "vitest";
import { alignColumns } from "./align-columns.ts";
import { displayWidth, fitText } from "./display-width.ts";

it("aligns by the columns of a terminal", () => {
  expect(
    alignColumns([
      ["a", "b"],
      ["日本", "1"],
      ["é", "2"],
    ]),
  ).toEqual(["a     b", "日本  1", "é     2"]);
});

it("shortens the widest columns, so that every line fits", () => {
  const rows = [
    ["ID", "NAME", "DESCRIPTION"],
    ["1", "quarterly revenue", "what the finance team reads each quarter"],
    ["2", "売上".repeat(10), "短い"],
  ];
  const lines = alignColumns(rows, 40);
  expect(lines).toEqual([
    "ID  NAME               DESCRIPTION",
    "1   quarterly revenue  what the finance…",
    "2   売上売上売上売上…  短い",
  ]);
  for (const width of [12, 20, 40, 60]) {
    for (const line of alignColumns(rows, width))
      expect(displayWidth(line)).toBeLessThanOrEqual(width);
  }
});

it("shortens by whole characters", () => {
  expect(fitText("👩‍👩‍👧‍👦 family", 4)).toBe("👩‍👩‍👧‍👦…");
  expect(fitText("日本語", 4)).toBe("日…");
  expect(fitText("日本", 4)).toBe("日本");
});
