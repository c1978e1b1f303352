// Which option of a PARENT the controls of a picture or a mail amount to.
import { expect, it } from "vitest";
import { readWidgets } from "../layout/widgets.ts";
import type { Controls } from "./controls.ts";
import { optionWithValues } from "./parent-options.ts";

const position = { x: 0, y: 0, w: 3, h: 2 };
const widget = (id: string, type: string, config: object) => ({ id, type, position, config });
const { widgets } = readWidgets([
  widget("parent", "PARENT", {
    options: [
      { title: "Everything", reset: ["region"] },
      { title: "North", set: { region: ["north"], grain: "week", field: "orders.total" } },
      { title: "South", set: { region: { operator: "notEquals", value: "north" } } },
      { title: "No region", clear: ["region", "grain"] },
    ],
  }),
  widget("region", "FILTER", { member: "orders.region" }),
  widget("grain", "TIME_GRAIN", { member: "orders.created_at" }),
  widget("field", "FIELD", { member: "orders.count", options: ["orders.total"] }),
] as never);
const [parent] = widgets;
const option = (controls: Partial<Controls>) =>
  parent &&
  optionWithValues(parent, widgets, {
    filters: [],
    timeGrains: [],
    memberSwitchers: [],
    ...controls,
  });

it("is the one whose values all controls have", () => {
  const filters = [{ member: "orders.region", value: ["north"] }];
  const timeGrains = [{ member: "orders.created_at", grain: "week" }];
  const memberSwitchers = [{ from: "orders.count", to: "orders.total" }];
  expect(option({ filters, timeGrains, memberSwitchers })).toBe("North");
  expect(option({ filters, timeGrains })).toBeUndefined();
  const others = [{ member: "orders.region", operator: "notEquals", value: "north" }];
  expect(option({ filters: others, timeGrains })).toBe("South");
  expect(option({})).toBe("No region");
  expect(option({ timeGrains })).toBeUndefined();
});
