// The names of categories below bars.
import { expect, it } from "vitest";
import { labelWidth, nameLabels } from "./category-labels.ts";

it.each([
  [40, "Series", 560],
  [40, "Series", 200],
  [5, "A name of a store that is long", 150],
  [3, "Unbreakable_name_of_a_category", 120],
])("%i names of %s… have room on %i pixels, and none ends outside", (count, name, width) => {
  const names = Array.from({ length: count }, (_, at) => `${name} ${at}`);
  const { texts, hidden } = nameLabels(names, width);
  const band = width / count;
  const ends = texts.flatMap((text, at) => {
    const center = (at + 0.5) * band;
    const half = labelWidth(text) / 2;
    return text === "" ? [] : [[center - half, center + half] as const];
  });
  expect(ends.length).toBeGreaterThan(0);
  expect(hidden).toBe(count - ends.length);
  expect(ends.at(-1)?.[1]).toBeLessThanOrEqual(width + 0.01);
  for (const [at, [start]] of ends.entries()) {
    if (at > 0) expect(start).toBeGreaterThan(ends[at - 1]?.[1] ?? Infinity);
  }
});
