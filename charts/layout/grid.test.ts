// Where widgets are drawn: on 12 columns, and below each other on a narrow page.
import { expect, it } from "vitest";
import { layoutOf } from "./grid.ts";
import { paperParts } from "./paper.ts";
import { readWidgets, unplaced } from "./widgets.ts";

const chart = (id: string, [x, y, w, h]: readonly [number, number, number, number], more = {}) => ({
  id,
  type: "CHART",
  position: { x, y, w, h },
  ...more,
});
const container = (
  id: string,
  place: readonly [number, number, number, number],
  config: object,
) => ({ ...chart(id, place), type: "CONTAINER", config });
const boxes = (widgets: readonly object[], isNarrow: boolean) => {
  const tree = readWidgets(widgets as never);
  const { placed, columns } = layoutOf(tree.top, { width: isNarrow ? 700 : 1200, tree });
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
    ["left", "0+2/2", "0+9"],
    ["right", "0+2/2", "9+5"],
  ]);
});

it("puts two controls beside each other on a narrow page", () => {
  const control = (id: string, x: number, h: number) => ({
    ...chart(id, [x, 0, 2, h], { config: {} }),
    type: "FILTER",
  });
  const more = [
    chart("a", [0, 3, 12, 5]),
    { ...control("d", 0, 1), position: { x: 0, y: 9, w: 2, h: 1 } },
  ];
  expect(
    boxes([control("a", 0, 1), control("b", 2, 2), control("c", 4, 1), ...more], true),
  ).toEqual([
    ["a", "0+1/2", "0+1"],
    ["b", "1+1/2", "0+2"],
    ["c", "0+2/2", "2+1"],
    ["a", "0+2/2", "3+5"],
    ["d", "0+2/2", "8+1"],
  ]);
});

it("keeps a large number low on a narrow page", () => {
  const config = { chart: "number" };
  const widgets = [chart("a", [0, 0, 3, 3], { config }), chart("b", [3, 0, 3, 9], { config })];
  expect(boxes(widgets, true).map(([, , rows]) => rows)).toEqual(["0+3", "3+4"]);
});

it("gives a text the rows that it takes on a narrow page, and its own where only the page knows them", () => {
  const text = (content: string, h: number) => ({
    ...chart("a", [0, 0, 4, h], { config: { text: content } }),
    type: "TEXT",
  });
  const rowsOf = (content: string, h: number) => boxes([text(content, h)], true)[0]?.[2];
  expect(
    rowsOf("## Sales\n\nIn **one** line, with a [link](https://example.com/a/long/path).", 6),
  ).toBe("0+2");
  expect(rowsOf("word ".repeat(200), 2)).toBe("0+6");
  expect(rowsOf("word ".repeat(2000), 2)).toBe("0+9");
  expect(rowsOf("![A picture](https://example.com/a.png)", 6)).toBe("0+6");
  expect(rowsOf("| a |\n| - |", 5)).toBe("0+5");
});

it("uses the places of a width where a widget has them", () => {
  const widgets = [
    chart("a", [0, 0, 12, 4], { responsiveLayouts: { sm: { y: 9, h: 6 } } }),
    chart("b", [0, 4, 12, 5], { responsiveLayouts: { sm: { y: 0.5 } } }),
  ];
  expect(boxes(widgets, true).map(([id]) => id)).toEqual(["b", "a"]);
});

const heldBy = (widgets: readonly object[]) => {
  const { top, children } = readWidgets(widgets as never);
  const namesOf = (list: typeof top) =>
    list.map(({ id, type }) => (type === unplaced ? `not ${id}` : id));
  return {
    top: namesOf(top),
    ...Object.fromEntries([...children].map(([id, list]) => [id, namesOf(list)])),
  };
};

it("draws each widget once, in the first container that names it", () => {
  expect(
    heldBy([
      container("one", [0, 0, 12, 4], { layout: "grid", widgets: ["a"] }),
      container("two", [0, 4, 12, 4], { widgets: ["a"] }),
      chart("a", [0, 0, 4, 4]),
    ]),
  ).toEqual({ top: ["one", "two"], one: ["a"], two: [] });
});

it("keeps a place for containers that would hold themselves", () => {
  const holding = (id: string, ...widgets: readonly string[]) =>
    container(id, [0, 0, 12, 4], { widgets });
  expect(heldBy([holding("self", "self", "a"), chart("a", [0, 0, 4, 4])])).toEqual({
    top: ["self"],
    self: ["not self", "a"],
  });
  expect(heldBy([holding("one", "two"), holding("two", "three"), holding("three", "one")])).toEqual(
    {
      top: ["one"],
      one: ["two"],
      two: ["three"],
      three: ["not one"],
    },
  );
});

it("makes a container as high as the grid in it, and moves what is below it, not what is beside it", () => {
  const widgets = [
    container("grid", [0, 0, 8, 4], { layout: "grid", widgets: ["a", "b"] }),
    chart("a", [0, 0, 12, 4]),
    chart("b", [0, 4, 12, 5]),
    chart("beside", [8, 0, 4, 4]),
    chart("below", [0, 4, 12, 3]),
  ];
  expect(boxes(widgets, false)).toEqual([
    ["grid", "0+8/12", "0+9"],
    ["beside", "8+4/12", "0+4"],
    ["below", "0+12/12", "9+3"],
  ]);
});

const paper = (widgets: readonly object[]) => {
  const { parts } = paperParts(readWidgets(widgets as never), 1136);
  return parts.map(({ place: { x, y, w, h }, content, inside }) => [
    "tab" in content ? `tab ${content.tab}` : content.widget.id,
    `${x}+${w}`,
    `${y}+${h}`,
    inside.map(({ id }) => id).join("/"),
  ]);
};

it("draws a stack on paper as equal shares, and the tabs of a container one after the other", () => {
  const tabs = [
    { title: "One", widget: "a" },
    { title: "Two", widget: "stack" },
    { widget: "gone" },
  ];
  const widgets = [
    container("tabs", [0, 0, 6, 5], { tabs }),
    chart("a", [0, 0, 1, 1]),
    container("stack", [0, 0, 1, 1], { widgets: ["b", "c", "d", "hidden"] }),
    ...["b", "c", "d"].map((id) => chart(id, [0, 0, 1, 1])),
    chart("hidden", [0, 0, 0, 0]),
    chart("below", [0, 5, 12, 3]),
  ];
  expect(paper(widgets)).toEqual([
    ["tab One", "0+6", "0+1", "tabs"],
    ["a", "0+6", "1+4", "tabs"],
    ["tab Two", "0+6", "5+1", "tabs"],
    ["b", "0+2", "6+4", "tabs/stack"],
    ["c", "2+2", "6+4", "tabs/stack"],
    ["d", "4+2", "6+4", "tabs/stack"],
    ["below", "0+12", "10+3", ""],
  ]);
});

it("draws the grid of a container on paper as the page does: of 12 columns, or narrow", () => {
  const held = [chart("a", [0, 0, 6, 5]), chart("b", [6, 0, 6, 5])];
  const grid = (w: number) =>
    container("grid", [0, 0, w, 5], { layout: "grid", widgets: ["a", "b"] });
  expect(paper([grid(9), ...held])).toEqual([
    ["a", "0+4.5", "0+5", "grid"],
    ["b", "4.5+4.5", "0+5", "grid"],
  ]);
  expect(paper([grid(6), ...held])).toEqual([
    ["a", "0+6", "0+5", "grid"],
    ["b", "0+6", "5+5", "grid"],
  ]);
});

it("keeps a place on paper for a container that is deeper than four others", () => {
  const nested = ["1", "2", "3", "4", "5"].map((id) =>
    container(id, [0, 0, 12, 4], { widgets: [String(Number(id) + 1)] }),
  );
  expect(paper([...nested, chart("6", [0, 0, 12, 4])])).toEqual([["5", "0+12", "0+4", "1/2/3/4"]]);
});
