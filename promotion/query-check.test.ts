// Tests which results of a query verify a version.
import { expect, it } from "vitest";
import { compareAnswer, type QueryCheck } from "./query-check.ts";

const data = [
  { "orders.status": "paid", "orders.count": "12", "orders.first": null },
  { "orders.status": "open", "orders.count": "3.0", "orders.first": true },
];

it.each<[string, QueryCheck["expect"], string]>([
  ["rows", { rows: { min: 2, max: 2 } }, "answered 2 rows as expected"],
  ["too few rows", { rows: { min: 3 } }, "answered 2 rows, expected at least 3"],
  ["too many rows", { rows: { max: 1 } }, "answered 2 rows, expected at most 1"],
  ["numbers", { values: { "orders.count": { min: 3, max: 12 } } }, "answered 2 rows as expected"],
  [
    "a small number",
    { values: { "orders.count": { min: 4 } } },
    "row 2: orders.count is 3.0, expected at least 4",
  ],
  [
    "a large number",
    { values: { "orders.count": { max: 11 } } },
    "row 1: orders.count is 12, expected at most 11",
  ],
  [
    "a number as text",
    { values: { "orders.count": { equals: 12 } } },
    "row 2: orders.count is 3.0, expected 12",
  ],
  [
    "another text",
    { values: { "orders.status": { equals: "paid" } } },
    'row 2: orders.status is open, expected "paid"',
  ],
  [
    "null",
    { values: { "orders.first": { equals: null } } },
    "row 2: orders.first is true, expected null",
  ],
  [
    "no number",
    { values: { "orders.status": { min: 0 } } },
    "row 1: orders.status is paid, expected a number",
  ],
  [
    "a member that the rows lack",
    { values: { "orders.total": { min: 0 } } },
    "row 1: orders.total is missing",
  ],
])("compares %s", (_, expected, message) => {
  const passed = message.endsWith("as expected");
  expect(compareAnswer({ data }, expected)).toEqual({ passed, message });
});

it("expects a row unless the number of rows is given", () => {
  const values = { "orders.count": { min: 1 } };
  expect(compareAnswer({ data: [] }, { values })).toMatchObject({ passed: false });
  expect(compareAnswer({ data: [] }, { values, rows: { max: 0 } })).toMatchObject({ passed: true });
  expect(compareAnswer({ data: { members: [], dataset: [] } }, { values }).passed).toBe(false);
});
