// What is wrong in a dashboard whatever its data: names that its own widgets do not have, and values that they do not take.
import { expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { checkDashboard } from "./check-dashboard.ts";

const controls = [
  control("f-country", "FILTER", { member: "orders.country", default: "DE" }),
  control("grain", "TIME_GRAIN", { member: "orders.created_at", options: ["day", "month"] }),
  control("field", "FIELD", { member: "orders.count", options: ["orders.revenue"] }),
];

function control(id: string, type: string, config: JsonObject): JsonObject {
  return { id, type, position: { x: 0, y: 0, w: 0, h: 0 }, config };
}

function problems(...widgets: readonly JsonObject[]): readonly string[] {
  return checkDashboard({ widgets: [...controls, ...widgets] }).map(
    ({ path, message, remedy = "" }) =>
      `${path.replace("/widgets/3/config", "")} ${message} ${remedy}`,
  );
}

const parent = (option: JsonObject, more: JsonObject = {}) =>
  control("kind", "PARENT", { options: [{ title: "One", ...option }], ...more });

it("is nothing where a PARENT sets what its controls take", () => {
  const set = { "f-country": { operator: "notEquals", value: "DE" }, grain: "month" };
  expect(problems(parent({ set, clear: ["field"], reset: ["field"] }, { default: 0 }))).toEqual([]);
  expect(problems(parent({ set: { "f-country": null, field: "orders.count" } }))).toEqual([]);
});

it("is a control that the dashboard does not have", () => {
  expect(
    problems(parent({ set: { "f-contry": "DE" }, clear: ["grian"], reset: ["kind"] })),
  ).toEqual([
    '/options/0/set/f-contry of widget kind names f-contry, which is no control of the dashboard Did you mean "f-country"?',
    '/options/0/clear/0 of widget kind names grian, which is no control of the dashboard Did you mean "grain"?',
    "/options/0/reset/0 of widget kind names kind, which is no control of the dashboard ",
  ]);
});

it("is a control of two parents", () => {
  const other = control("other", "PARENT", { options: [{ title: "A", reset: ["grain"] }] });
  expect(problems(parent({ set: { grain: "day" } }), other)).toEqual([
    "/options/0/set/grain of widget kind names grain, which the PARENT other sets too A control has one PARENT.",
    "/widgets/4/config/options/0/reset/0 of widget other names grain, which the PARENT kind sets too A control has one PARENT.",
  ]);
});

it("is a value that a control does not take", () => {
  const set = {
    grain: "week",
    field: "orders.revenu",
    "f-country": { operator: "eqals", value: 1 },
  };
  expect(problems(parent({ set }, { default: 1 }))).toEqual([
    "/default of widget kind is not the number of an option, from 0 to 0 ",
    "/options/0/set/grain of widget kind is not an option of the TIME_GRAIN grain Use one of day, month.",
    "/options/0/set/field of widget kind is not an option of the FIELD field Did you mean orders.revenue? Use one of orders.count, orders.revenue.",
    '/options/0/set/f-country/operator of widget kind is not an operator of filters Did you mean "equals"?',
  ]);
  expect(problems(control("time", "TIME_GRAIN", { member: "a.b", default: "hour" }))).toEqual([
    "/default of widget time is not an option of the TIME_GRAIN time Use one of day, week, month, quarter, year.",
  ]);
  expect(problems(control("none", "FILTER", { member: "a.b", default: {} }))).toEqual([
    "/default of widget none has no value to compare with ",
  ]);
});

it("is a shape that no option of a PARENT has", () => {
  expect(problems(parent({ set: ["grain"] }))).toEqual([
    "/options/0/set of widget kind must be an object of values by widget ID ",
  ]);
  const many = Array.from({ length: 51 }, () => ({ title: "A" }));
  expect(problems(control("kind", "PARENT", { options: many }))).toEqual([
    "/options of widget kind has more than 50 options ",
  ]);
});

it("is a widget in a container that the dashboard does not have", () => {
  expect(problems(control("tabs", "CONTAINER", { tabs: [{ widget: "gone" }] }))).toEqual([
    " of widget tabs holds widget gone, which the dashboard does not have ",
  ]);
});

it("is a member of a style that there is not", () => {
  const styled = { ...control("text", "TEXT", { text: "Sales" }), style: { title: { font: "x" } } };
  expect(
    checkDashboard({ widgets: [styled] }).map(({ path, message }) => `${path} ${message}`),
  ).toEqual(["/widgets/0/style/title/font of widget text is not a member of the title of a style"]);
});
