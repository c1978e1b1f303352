// Which charts a page asks for before it is drawn.
import { expect, it } from "vitest";
import { readWidgets } from "../../../charts/layout/widgets.ts";
import { idsInFirstView } from "./first-view.ts";

const chart = (id: string, x: number, y: number) => ({
  id,
  type: "CHART",
  position: { x, y, w: 6, h: 10 },
  config: {},
});
const content = readWidgets([
  chart("a", 0, 0),
  chart("b", 6, 0),
  chart("c", 0, 10),
  chart("d", 0, 20),
]);

it("are those whose upper edge is on the screen", () => {
  expect(idsInFirstView(content, { width: 1400, height: 500 })).toEqual(["a", "b", "c"]);
  expect(idsInFirstView(content, { width: 1400, height: 400 })).toEqual(["a", "b"]);
});

it("are fewer on a narrow page, where each takes the whole width", () => {
  expect(idsInFirstView(content, { width: 360, height: 430 })).toEqual(["a"]);
});

it("are none on a page without a size", () => {
  expect(idsInFirstView(content, { width: 0, height: 0 })).toEqual([]);
});
