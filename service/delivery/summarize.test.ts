// Tests the sentences in the summary of a dashboard.
import { expect, it } from "vitest";
import type { ResultValue } from "../engine/engine.ts";
import { lookOf, type ResultColumn } from "../../charts/index.ts";
import type { Picture, WidgetContent } from "./draw/picture-input.ts";
import { summarize } from "./summarize.ts";

const revenue: ResultColumn = {
  name: "orders.revenue",
  title: "Revenue",
  kind: "measure",
  type: "number",
};
const region: ResultColumn = {
  name: "orders.region",
  title: "Region",
  kind: "dimension",
  type: "string",
};
const day: ResultColumn = {
  name: "orders.day",
  title: "Day",
  kind: "timeDimension",
  type: "time",
  granularity: "day",
};

const summaryOf = (
  columns: readonly ResultColumn[],
  rows: readonly (readonly ResultValue[])[],
  { title = "Sales", isCut = false, now = "2026-07-01T00:00:00.000" } = {},
) => summaryOfContents({ kind: "chart", title, config: {}, result: { columns, rows, isCut }, now });

function summaryOfContents(...contents: readonly WidgetContent[]): readonly string[] {
  const widgets = contents.map((content, y) => ({ x: 0, y, w: 1, h: 1, content }));
  const look = lookOf({});
  const picture: Picture = { title: "", look, description: "", controls: [], footer: "", widgets };
  return summarize(picture);
}

it.each([
  ["a number", [revenue], [["1234.5"]], "Sales: Revenue is 1,234.5."],
  [
    "categories, with the rows without a value left out",
    [region, revenue],
    [
      ["north", "31"],
      ["west", null],
      ["south", "300"],
    ],
    "Sales: Revenue is highest for south (300) and lowest for north (31).",
  ],
  [
    "equal categories",
    [region, revenue],
    [
      ["a", 2],
      ["b", 2],
    ],
    "Sales: Revenue is 2 for each of 2 rows.",
  ],
  [
    "a series, whatever the order of its rows",
    [day, revenue],
    [
      ["2026-01-06T00:00:00.000", "30"],
      ["2026-01-05T00:00:00.000", "20"],
    ],
    "Sales: Revenue rose from 20 (Jan 5, 2026) to 30 (Jan 6, 2026), by 50%.",
  ],
  [
    "a series, with the row without a time left out",
    [day, revenue],
    [
      ["2026-01-05T00:00:00.000", "20"],
      [null, "7"],
      ["2026-01-06T00:00:00.000", "30"],
    ],
    "Sales: Revenue rose from 20 (Jan 5, 2026) to 30 (Jan 6, 2026), by 50%.",
  ],
  [
    "a series that falls from a negative value",
    [day, revenue],
    [
      ["2026-01-05T00:00:00.000", "-20"],
      ["2026-01-06T00:00:00.000", "-21"],
    ],
    "Sales: Revenue fell from -20 (Jan 5, 2026) to -21 (Jan 6, 2026), by 5.0%.",
  ],
  [
    "a series from zero",
    [day, revenue],
    [
      ["2026-01-05T00:00:00.000", "0"],
      ["2026-01-06T00:00:00.000", "4"],
    ],
    "Sales: Revenue rose from 0 (Jan 5, 2026) to 4 (Jan 6, 2026).",
  ],
  [
    "a series that does not change",
    [day, revenue],
    [
      ["2026-01-05T00:00:00.000", "4"],
      ["2026-01-06T00:00:00.000", "4"],
    ],
    "Sales: Revenue stayed at 4 (Jan 5, 2026 to Jan 6, 2026).",
  ],
] as const)("says what %s shows", (_, columns, rows, sentence) => {
  expect(summaryOf(columns, rows)).toEqual([sentence]);
});

it("says when rows are missing, and nothing of charts without data", () => {
  const rows = [
    ["a", 1],
    ["b", 2],
  ] as const;
  expect(summaryOf([region, revenue], rows, { title: "", isCut: true })).toEqual([
    "Revenue is highest for b (2) and lowest for a (1) in the first 2 rows.",
  ]);
  expect(summaryOf([region], [["a"]])).toEqual([]);
  expect(summaryOf([revenue], [])).toEqual([]);
  expect(summaryOf([revenue], [[null]])).toEqual([]);
  expect(summaryOfContents({ kind: "error", title: "Sales", message: "no" })).toEqual([]);
});

it("compares no period that still runs", () => {
  const rows = [
    ["2026-01-05T00:00:00.000", "20"],
    ["2026-01-06T00:00:00.000", "30"],
    ["2026-01-07T00:00:00.000", "1"],
  ] as const;
  const rose = "Sales: Revenue rose from 20 (Jan 5, 2026) to 30 (Jan 6, 2026), by 50%.";
  expect(summaryOf([day, revenue], rows, { now: "2026-01-07T23:59:59.999" })).toEqual([rose]);
  expect(summaryOf([day, revenue], rows, { now: "2026-01-08T00:00:00.000" })).toEqual([
    "Sales: Revenue fell from 20 (Jan 5, 2026) to 1 (Jan 7, 2026), by 95%.",
  ]);
  expect(summaryOf([day, revenue], rows.slice(2), { now: "2026-01-07T12:00:00.000" })).toEqual([
    "Sales: Revenue is 1 for Jan 7, 2026.",
  ]);
});
