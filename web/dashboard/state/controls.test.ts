// Where the values of controls come from, and how the address keeps them.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import {
  controlsOf,
  noPicks,
  type Picks,
  resolveControls,
  withInitialValues,
} from "../../../charts/config/control-values.ts";
import { describeControls, withControls } from "../../../charts/config/controls.ts";
import { addressWithPicks, picksOfAddress, withParent } from "./controls.ts";
import { readDashboard } from "./widgets.ts";

const position = { x: 0, y: 0, w: 3, h: 2 };
const widget = (id: string, type: string, config: JsonObject) => ({ id, type, position, config });
const { widgets } = readDashboard(
  {
    config: {
      widgets: [
        widget("status", "FILTER", { member: "orders.status", default: "paid" }),
        widget("region", "FILTER", {
          member: "orders.region",
          attribute: "region",
          attributeValue: "north",
          default: "south",
        }),
        widget("fixed", "FILTER", { member: "orders.year", default: 2026, disabled: true }),
        widget("grain", "TIME_GRAIN", { member: "orders.at", options: ["day", "month"] }),
        widget("by", "TIME_GRAIN", { member: "orders.paid_at", default: "month" }),
        widget("field", "FIELD", { member: "orders.city", options: ["orders.state"] }),
        widget("tabs", "CONTAINER", { tabs: [{ id: "one", title: "One", widget: "status" }] }),
        widget("parent", "PARENT", {
          options: [
            { title: "Open", set: { status: "open" }, clear: ["region"] },
            { title: "Reset", reset: ["status", "region"] },
          ],
        }),
        widget("locked", "PARENT", {
          disabled: true,
          default: 0,
          options: [
            { title: "Berlin", set: { field: "orders.city" } },
            { title: "State", set: { field: "orders.state" } },
          ],
        }),
      ],
    },
  },
  "abc",
);
const parameters = (entries: Readonly<Record<string, string>>) => new URLSearchParams(entries);
const resolve = (entries: Readonly<Record<string, string>> = {}) =>
  resolveControls({ widgets, picks: picksOfAddress(parameters(entries), widgets) });

function pickParent(picks: Picks): Picks {
  const parent = widgets.find(({ id }) => id === "parent");
  return parent === undefined ? picks : withParent(picks, parent, 0);
}

describe("the value of a control", () => {
  it("is the viewer's attribute before the default", () => {
    const { filters } = resolve();
    expect(filters.get("status")).toEqual({ operator: "equals", value: "paid" });
    expect(filters.get("region")).toEqual({ operator: "equals", value: "north" });
  });

  it("is none where the address clears it", () => {
    for (const text of ["null", '{"value":null}'])
      expect(resolve({ "f_orders.status": text }).filters.has("status")).toBe(false);
  });

  it("is that of the address before all others", () => {
    const { filters, grains, fields } = resolve({
      "f_orders.status": '{"value":["open","new"],"operator":"notEquals"}',
      "tg_orders.at": "month",
      "ms_orders.city": "orders.state",
    });
    expect(filters.get("status")).toEqual({ operator: "notEquals", value: ["open", "new"] });
    expect([grains.get("grain"), fields.get("field")]).toEqual(["month", "orders.state"]);
    expect([resolve().grains.get("by"), resolve({ "tg_orders.paid_at": "null" }).grains.get("by")])
      // A cleared control has not even its default.
      .toEqual(["month", undefined]);
  });

  it("ignores members without a control, values that are not offered, and locked controls", () => {
    const { filters, grains, fields } = resolve({
      "f_orders.secret": '{"value":1}',
      "f_orders.year": '{"value":1999}',
      "f_orders.status": "not json",
      "tg_orders.at": "hour",
      "ms_orders.city": "orders.secret",
      p_locked: "1",
    });
    expect([...filters.keys()]).toEqual(["status", "region", "fixed"]);
    expect(filters.get("fixed")).toEqual({ operator: "equals", value: 2026 });
    expect([...grains, ...fields]).toEqual([
      ["by", "month"],
      ["field", "orders.city"],
    ]);
  });

  it("is what a parent sets, until the viewer picks another", () => {
    const picks = pickParent({ ...noPicks, filters: { region: null } });
    const { filters } = resolveControls({ widgets, picks });
    expect(filters.get("status")).toEqual({ operator: "equals", value: "open" });
    expect(filters.has("region")).toBe(false);
    const picked = { ...picks, filters: { status: { operator: "equals", value: "new" } } };
    expect(resolveControls({ widgets, picks: picked }).filters.get("status")?.value).toBe("new");
  });
});

it("comes back from an address that it was written to, which keeps its other parameters", () => {
  const picks = {
    filters: { status: { operator: "contains", value: 'a"&=b' }, region: null },
    grains: { grain: "day", by: null },
    fields: { field: "orders.state" },
    tabs: { tabs: "one" },
    parents: { parent: 1 },
  };
  const address = addressWithPicks(parameters({ locale: "de-DE" }), widgets, picks);
  expect(address.get("locale")).toBe("de-DE");
  expect(picksOfAddress(new URLSearchParams(address.toString()), widgets)).toEqual(picks);
});

it.each([
  ["inDateRange", ["2026-01-06", null], "afterOrOnDate", "is on or after 2026-01-06"],
  ["inDateRange", [null, "2026-01-06"], "beforeOrOnDate", "is on or before 2026-01-06"],
  ["notInDateRange", ["2026-01-06", null], "beforeDate", "is before 2026-01-06"],
  ["between", [null, "7"], "lte", "is at most 7"],
] as const)("is open at one end: %s %j", (operator, value, comparison, words) => {
  const picks = { ...noPicks, filters: { status: { operator, value } } };
  const controls = controlsOf(widgets, resolveControls({ widgets, picks }));
  const { filters } = withControls({ measures: ["orders.count"] }, controls);
  const values = value.filter((end) => end !== null);
  const open = { member: "orders.status", operator: comparison, values };
  expect(describeControls(controls, () => "It")).toContain(`It ${words}`);
  expect(filters).toContainEqual(operator.startsWith("not") ? { or: [open] } : { and: [open] });
});

it("restricts nothing where a filter has no value", () => {
  const picks = {
    ...noPicks,
    filters: { status: { operator: "between", value: [null, null] }, region: null },
  };
  const controls = controlsOf(widgets, resolveControls({ widgets, picks }));
  expect(controls.filters.map(({ member }) => member)).toEqual(["orders.year"]);
});

it("adds the first values of a page to the controls of a notification, which come first", () => {
  const controlled = readDashboard(
    {
      config: {
        widgets: [
          widget("status", "FILTER", { member: "orders.status", default: "paid" }),
          widget("region", "FILTER", { member: "orders.region", default: "north" }),
          widget("grain", "TIME_GRAIN", { member: "orders.at", default: "month" }),
        ],
      },
    },
    "abc",
  ).widgets;
  const open = { member: "orders.status", operator: "equals", value: "open" };
  const controls = { filters: [open], timeGrains: [], memberSwitchers: [] };
  expect(withInitialValues(controlled, controls)).toEqual({
    filters: [{ member: "orders.region", operator: "equals", value: "north" }, open],
    timeGrains: [{ member: "orders.at", grain: "month" }],
    memberSwitchers: [],
  });
  const byDay = { ...controls, timeGrains: [{ grain: "day" }] };
  expect(withInitialValues(controlled, byDay).timeGrains).toEqual([{ grain: "day" }]);
});
