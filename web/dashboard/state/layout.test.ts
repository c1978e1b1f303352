// Where widgets are drawn: on 12 columns, and below each other on a narrow page.
import { expect, it } from "vitest";
import { layoutOf } from "./layout.ts";
import { readDashboard } from "./widgets.ts";

const chart = (id: string, [x, y, w, h]: readonly [number, number, number, number], more = {}) => ({
  id,
  type: "CHART",
  position: { x, y, w, h },
  ...more,
});
const widgetsOf = (widgets: readonly object[]) =>
  readDashboard({ config: { widgets: widgets as never } }, "abc").top;
const boxes = (widgets: readonly object[], width: number) =>
  layoutOf(widgetsOf(widgets), width).placed.map(({ widget, left, top, width: own, height }) => [
    widget.id,
    Math.round(left),
    top,
    Math.round(own),
    height,
  ]);

it("divides the width among 12 columns with gaps, and leaves out empty rows", () => {
  const widgets = [chart("a", [0, 0, 6, 4]), chart("b", [6, 0, 6, 4]), chart("c", [0, 20, 12, 2])];
  expect(boxes(widgets, 1184)).toEqual([
    ["a", 0, 0, 584, 176],
    ["b", 600, 0, 584, 176],
    ["c", 0, 192, 1184, 80],
  ]);
});

it("puts widgets below each other in reading order on a narrow page", () => {
  const widgets = [chart("right", [6, 0, 6, 4]), chart("left", [0, 0, 6, 20])];
  expect(boxes(widgets, 328)).toEqual([
    ["left", 0, 0, 328, 416],
    ["right", 0, 432, 328, 224],
  ]);
});

it("uses the places of a width where a widget has them", () => {
  const widgets = [
    chart("a", [0, 0, 12, 4], { responsiveLayouts: { sm: { y: 9, h: 6 } } }),
    chart("b", [0, 4, 12, 5], { responsiveLayouts: { sm: { y: "first" } } }),
  ];
  expect(boxes(widgets, 400).map(([id]) => id)).toEqual(["b", "a"]);
});

it("draws each widget once, in the first container that names it", () => {
  const container = (id: string, held: readonly string[]) => ({
    ...chart(id, [0, 0, 12, 4]),
    type: "CONTAINER",
    config: { layout: "grid", widgets: held },
  });
  const { top, children } = readDashboard(
    {
      config: {
        widgets: [
          container("one", ["a", "one"]),
          container("two", ["a"]),
          chart("a", [0, 0, 4, 4]),
        ],
      },
    },
    "abc",
  );
  expect(top.map(({ id }) => id)).toEqual(["one", "two"]);
  expect([...children].map(([id, held]) => [id, held.map((one) => one.id)])).toEqual([
    ["one", ["a"]],
    ["two", []],
  ]);
});
