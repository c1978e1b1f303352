// Widgets that are outside the grid of a dashboard, or on each other.
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { type DeclaredWidget, layoutProblems } from "./check-layout.ts";

const messages = (widgets: readonly Omit<DeclaredWidget, "path">[]) =>
  layoutProblems(widgets.map((widget, index) => ({ ...widget, path: `/widgets/${index}` }))).map(
    ({ path, message }) => [path, message],
  );
const at = (
  id: string,
  [x, y, w, h]: readonly [number, number, number, number],
  config?: JsonObject,
) => {
  const type = config === undefined ? "CHART" : "CONTAINER";
  return { id, members: { type, position: { x, y, w, h }, ...(config && { config }) } };
};

it("are named, unless a container holds them or they take no space", () => {
  expect(
    messages([
      at("a", [0, 0, 6, 4]),
      at("b", [6, 0, 6, 4]),
      at("wide", [8, 4, 6, 2]),
      at("c", [5, 3, 2, 2]),
      at("none", [0, 0, 0, 4]),
      at("held", [0, 0, 6, 4]),
      at("tabs", [0, 10, 12, 4], { tabs: [{ widget: "held" }] }),
    ]),
  ).toEqual([
    ["/widgets/2/position", "of widget wide ends at column 14 of 12"],
    ["/widgets/3/position", "of widget c covers widget a"],
  ]);
});

it("are containers in themselves, or in more than four others", () => {
  const nested = ["1", "2", "3", "4", "5"].map((id) =>
    at(id, [0, 0, 12, 4], { widgets: [String(Number(id) + 1)] }),
  );
  expect(
    messages([
      at("a", [0, 4, 12, 4], { layout: "grid", widgets: ["b"] }),
      at("b", [0, 0, 12, 4], { tabs: [{ widget: "a" }, { widget: "b" }] }),
      ...nested,
      at("6", [0, 0, 12, 4]),
    ]),
  ).toEqual([
    ["/widgets/1/config", "of widget b cannot hold widget a"],
    ["/widgets/1/config", "of widget b cannot hold widget b"],
    ["/widgets/5/config", "of widget 4 cannot hold widget 5"],
  ]);
});

it("are named in the grid of a container too", () => {
  expect(
    messages([
      at("grid", [0, 0, 6, 4], { layout: "grid", widgets: ["a", "b"] }),
      at("a", [0, 0, 8, 4]),
      at("b", [6, 2, 8, 4]),
      at("stack", [6, 0, 6, 4], { widgets: ["c", "d"] }),
      at("c", [0, 0, 20, 4]),
      at("d", [0, 0, 20, 4]),
    ]),
  ).toEqual([
    ["/widgets/2/position", "of widget b ends at column 14 of 12"],
    ["/widgets/2/position", "of widget b covers widget a"],
  ]);
});
