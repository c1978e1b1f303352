// What is wrong in the configuration of a chart.
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { checkChartConfig } from "./check-config.ts";

const problems = (config: JsonObject) =>
  checkChartConfig({ title: "Sales", query: {}, ...config }).map(({ path, message }) => [
    path,
    message,
  ]);

it("is nothing for options that the type uses", () => {
  expect(
    problems({
      chart: "bar",
      stacking: "percent",
      y: [{ member: "orders.amount", axis: "right", type: "line", format: "$,.2f" }],
      breakdown: "orders.region",
      formats: { "orders.at": "%d.%m.%Y", "orders.amount": ".1%" },
      axes: { left: { title: "Revenue", min: 0 } },
    }),
  ).toEqual([]);
  expect(problems({ chart: "kpi", comparison: { with: "previous", good: "down" } })).toEqual([]);
  expect(problems({ y: ["orders.amount", "orders.count"], sort: "-orders.amount" })).toEqual([]);
});

it("is an unknown option, at its place", () => {
  expect(problems({ staking: "percent", axes: { left: { titel: "x" } } })).toEqual([
    ["/staking", "is not an option of a chart"],
    ["/axes/left/titel", "is not an option of a chart"],
  ]);
});

it("is a value that an option does not take", () => {
  expect(
    problems({
      stacking: "yes",
      colors: ["#zz"],
      formats: { "orders.amount": "nice" },
      y: [{ member: "amount", axis: "top" }],
      totals: "all",
    }),
  ).toEqual([
    ["/stacking", "must be none, stacked or percent"],
    ["/colors", "must be a list of colors such as #6929c4"],
    ["/formats/orders.amount", "must be a format such as .1% or %d.%m.%Y"],
    ["/y/0/member", "must be a member such as orders.amount"],
    ["/y/0/axis", "must be left or right"],
    ["/totals", "must be true or false"],
  ]);
});

it("is an option that the type does not use", () => {
  expect(problems({ chart: "pie", stacking: "stacked", sparkline: true })).toEqual([
    ["/stacking", "has no effect on a pie chart"],
    ["/sparkline", "has no effect on a pie chart"],
  ]);
});
