// The colors of categories.
import { expect, it } from "vitest";
import { categoryColors } from "./colors.ts";

const light = { scheme: "light" } as const;
const colorsOf = (names: readonly string[]) =>
  new Map(categoryColors(names, light).map((color, at) => [names[at], color]));

it("depend on the names, not on their order or on the other charts", () => {
  const names = ["north", "south", "east", "west", "paid", "open"];
  const colors = colorsOf(names);
  expect(colorsOf(names.toReversed())).toEqual(new Map([...colors].toReversed()));
  const alone = names.filter((name) => colorsOf([name]).get(name) === colors.get(name));
  // Only "north" has the color of an earlier name.
  expect(alone).toEqual(["south", "east", "west", "paid", "open"]);
});

it("are different in a chart as long as there are colors, and the same for the same name", () => {
  const names = Array.from({ length: 12 }, (_, at) => `region ${at}`);
  expect(new Set(categoryColors(names, light)).size).toBe(12);
  expect(categoryColors([...names, "region 12"], light)).toHaveLength(13);
  expect(new Set(categoryColors(["paid", "paid"], light)).size).toBe(1);
});
