// Widgets that are outside the grid of a dashboard, or on each other.
import { expect, it } from "vitest";
import { layoutWarnings } from "./layout-warnings.ts";

const messages = (widgets: Parameters<typeof layoutWarnings>[0]) =>
  layoutWarnings(widgets).map(({ path, message }) => [path, message]);
const at = (
  id: string,
  [x, y, w, h]: readonly [number, number, number, number],
  config?: Record<string, unknown>,
) => {
  const position = { x, y, w, h };
  if (config === undefined) return { id, type: "CHART" as const, position };
  return { id, type: "CONTAINER" as const, position, config };
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
    [
      "/dashboard/widgets/2/position",
      "widget wide ends at column 14 of 12, so all columns become narrower",
    ],
    ["/dashboard/widgets/3/position", "widget c covers widget a"],
  ]);
});
