// The pages of the web that values of a result lead to.
import { expect, it } from "vitest";
import type { ChartValue, ResultTable } from "../index.ts";
import { addressQuery, withAddresses } from "./addresses.ts";

const link = (name: string, isDashboard = false) => ({
  name,
  label: name,
  isDashboard,
  isSameTab: false,
});
const dimension = (name: string) =>
  ({ name, title: name, kind: "dimension", type: "string" }) as const;
const result: ResultTable = {
  columns: [
    { ...dimension("v.who"), links: [link("board", true), link("a"), link("b")] },
    dimension("v.city"),
    { name: "v.count", title: "Count", kind: "measure", type: "number" },
  ],
  rows: [
    ["Ann", "Oslo", 2],
    ["Ann", null, 1],
    ["Bo", "Oslo", 5],
  ],
  isCut: false,
};
const members = ["v.who", "v.city", "v.who___link_a_url", "v.who___link_b_url"];
const answer = (rows: readonly ChartValue[][], isCut = false): ResultTable => ({
  columns: members.map((name) => dimension(name)),
  rows,
  isCut,
});

it("are asked for with the dimensions and the rows of the result", () => {
  const filters = [{ member: "v.x", operator: "set" }];
  expect(addressQuery({ filters, measures: ["v.count"], limit: 3 }, result)).toEqual({
    dimensions: members,
    filters,
    timeDimensions: [],
  });
  expect(addressQuery({}, { ...result, columns: result.columns.slice(1) })).toBeUndefined();
});

it("are those of the first link with one safe address for the dimensions of the row", () => {
  const a = "https://x.example/a?q=1";
  const found = withAddresses(
    result,
    answer([
      ["Ann", "Oslo", "javascript:alert(1)", a],
      ["Ann", null, "https://x.example/1", a],
      ["Ann", null, "https://x.example/2", a],
      ["Bo", "Oslo", "mailto:bo@x.example", null],
    ]),
  );
  expect(found.addresses).toEqual({ "v.who": [a, a, null] });
  expect(found.rows).toBe(result.rows);
});

it("are left out where the answer could have more of them", () => {
  const rows = [["Ann", "Oslo", "https://x.example/1", null]];
  expect(withAddresses(result, answer(rows, true)).addresses).toBeUndefined();
});
