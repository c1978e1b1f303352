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
const boxes = (widgets: readonly object[], isNarrow: boolean) => {
  const { placed, columns } = layoutOf(widgetsOf(widgets), { isNarrow });
  return placed.map(({ widget, place: { x, y, w, h } }) => [
    widget.id,
    `${x}+${w}/${columns}`,
    `${y}+${h}`,
  ]);
};

it("divides the width among 12 columns, or more if widgets need them, and leaves out empty rows", () => {
  const widgets = [chart("a", [0, 0, 6, 4]), chart("b", [6, 0, 6, 4]), chart("c", [0, 20, 12, 2])];
  expect(boxes(widgets, false)).toEqual([
    ["a", "0+6/12", "0+4"],
    ["b", "6+6/12", "0+4"],
    ["c", "0+12/12", "4+2"],
  ]);
  expect(boxes([chart("wide", [4, 0, 12, 4])], false)).toEqual([["wide", "4+12/16", "0+4"]]);
});

it("puts widgets below each other in reading order on a narrow page", () => {
  const widgets = [chart("right", [6, 0, 6, 4]), chart("left", [0, 0, 6, 20])];
  expect(boxes(widgets, true)).toEqual([
    ["left", "0+1/1", "0+9"],
    ["right", "0+1/1", "9+5"],
  ]);
});

it("uses the places of a width where a widget has them", () => {
  const widgets = [
    chart("a", [0, 0, 12, 4], { responsiveLayouts: { sm: { y: 9, h: 6 } } }),
    chart("b", [0, 4, 12, 5], { responsiveLayouts: { sm: { y: 0.5 } } }),
  ];
  expect(boxes(widgets, true).map(([id]) => id)).toEqual(["b", "a"]);
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
