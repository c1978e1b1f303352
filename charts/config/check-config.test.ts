// What is wrong in the configuration of a chart.
import { expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { checkChartConfig, checkControlConfig } from "./check-config.ts";

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
    ["/stacking", 'must be none, stacked or percent: "yes"'],
    ["/colors", 'must be a list of colors such as #6929c4: ["#zz"]'],
    ["/formats/orders.amount", 'must be a format such as .1% or %d.%m.%Y: "nice"'],
    ["/y/0/member", 'must be a member such as orders.amount: "amount"'],
    ["/y/0/axis", 'must be left or right: "top"'],
    ["/totals", 'must be true or false: "all"'],
  ]);
});

it("is an option that the type does not use", () => {
  expect(problems({ chart: "pie", stacking: "stacked", sparkline: true })).toEqual([
    ["/stacking", "has no effect on a pie chart"],
    ["/sparkline", "has no effect on a pie chart"],
  ]);
});

it("is nothing for lists of members and objects, which are drawn", () => {
  const columns = ["orders.region", { member: "orders.amount", link: "https://acme.example" }];
  expect(problems({ chart: "table", columns, sort: ["orders.region"] })).toEqual([]);
  expect(problems({ chart: "bar", y: ["orders.count", { member: "orders.amount" }] })).toEqual([]);
  expect(problems({ chart: "table", columns: ["region"], sort: [1] })).toEqual([
    ["/columns/0", 'must be a member such as orders.amount, or an object: "region"'],
    ["/sort/0", "must be a text, or an object: 1"],
  ]);
});

it("is a link that pages do not open", () => {
  const link = (url: JsonValue) =>
    problems({ chart: "table", columns: [{ member: "a.b", link: url }] });
  expect(link("https://acme.example/{a.b}?x={value}")).toEqual([]);
  expect(link({ url: "mailto:{value}", label: "Write" })).toEqual([]);
  expect(link("/embed/dashboard/sales")).toEqual([
    [
      "/columns/0/link",
      'must be an address such as https://example.com/{orders.id}: "/embed/dashboard/sales"',
    ],
  ]);
  expect(link({ url: "javascript:alert(1)" })).toEqual([
    [
      "/columns/0/link/url",
      'must be an address such as https://example.com/{orders.id}: "javascript:alert(1)"',
    ],
  ]);
});

it("is an option that a control does not have, or a value that it does not take", () => {
  const found = (type: string, config: JsonObject) =>
    checkControlConfig(type, config).map(({ path, message }) => `${path} ${message}`);
  const member = "orders.status";
  expect(found("FILTER", { member, default: { value: ["paid"] }, multiple: false })).toEqual([]);
  expect(found("FILTER", { member, defualt: "paid", disabled: "yes" })).toEqual([
    "/defualt is not an option of a FILTER",
    '/disabled must be true or false: "yes"',
  ]);
  expect(found("TIME_GRAIN", { member, options: ["day"], default: "day" })).toEqual([]);
  expect(found("FIELD", { member, options: [member, "region"] })).toEqual([
    '/options must be a member such as orders.amount, or a list of them: ["orders.status","region"]',
  ]);
  const options = [{ title: "All", clear: ["a"], reset: ["b"], set: { c: null } }];
  expect(found("PARENT", { title: "Show", options, default: 0 })).toEqual([]);
  expect(found("PARENT", { options: [{ titel: "All" }] })).toEqual([
    "/options/0/titel is not an option of a PARENT",
  ]);
});
