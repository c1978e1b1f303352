// Where large numbers and what belongs to them are drawn.
import { describe, expect, it } from "vitest";
import { amount, day, dayAt, draw, result } from "../../test/support/chart-samples.ts";
import type { ChartModel, NumberModel } from "../index.ts";
import { textWidth } from "../scales/text-width.ts";

type Size = readonly [number, number];

function numbersOf(model: ChartModel): readonly NumberModel[] {
  if (model.kind !== "number") throw new Error(model.kind);
  return model.numbers;
}

const course = (size: Size) => {
  const rows = [
    [dayAt(0), "100"],
    [dayAt(1), "320"],
  ];
  const [width, height] = size;
  return numbersOf(draw(result([day, amount], rows), { chart: "number" }, { width, height }));
};
const several = (count: number, [width, height]: Size) => {
  const columns = Array.from({ length: count }, (_, at) => ({ ...amount, name: `orders.n${at}` }));
  const table = result(columns, [columns.map(() => "12345678.25")]);
  return numbersOf(draw(table, { chart: "number" }, { width, height }));
};

/** Returns the height of everything that is drawn in the box of a number. */
const heightOf = ({ size, hasLabel, comparison, sparkline }: NumberModel) =>
  size * 1.2 + (hasLabel ? 18 : 0) + (comparison ? 18 : 0) + (sparkline.length > 1 ? 32 : 0);

describe("numbers", () => {
  it("give up their course, their comparison and their label, in this order", () => {
    const shown = (height: number) => {
      const [number] = course([240, height]);
      return [number?.hasLabel, number?.comparison !== undefined, number?.sparkline.length === 2];
    };
    expect(shown(120)).toEqual([true, true, true]);
    expect(shown(80)).toEqual([true, true, false]);
    expect(shown(50)).toEqual([true, false, false]);
    expect(shown(20)).toEqual([false, false, false]);
  });

  it("keep their labels in a narrow tile", () => {
    expect(several(3, [155, 84]).map(({ hasLabel }) => hasLabel)).toEqual([true, true, true]);
  });

  it.each<Size>([
    [61, 20],
    [90, 60],
    [155, 84],
    [240, 120],
    [900, 300],
  ])("are inside a space of %i by %i, and not on each other", (width, height) => {
    for (const numbers of [
      course([width, height]),
      several(3, [width, height]),
      several(6, [width, height]),
    ]) {
      for (const [at, number] of numbers.entries()) {
        const { box, size, text } = number;
        expect(heightOf(number)).toBeLessThanOrEqual(box.height + 0.01);
        expect(textWidth(text, size)).toBeLessThanOrEqual(box.width + 0.01);
        expect(box.x + box.width).toBeLessThanOrEqual(width + 0.01);
        expect(box.y + box.height).toBeLessThanOrEqual(height + 0.01);
        const others = numbers.slice(at + 1).map((other) => other.box);
        const covered = others.filter(
          (other) =>
            other.x < box.x + box.width - 0.01 &&
            box.x < other.x + other.width - 0.01 &&
            other.y < box.y + box.height - 0.01 &&
            box.y < other.y + other.height - 0.01,
        );
        expect(covered).toEqual([]);
      }
    }
  });
});
