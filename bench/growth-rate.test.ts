// Tests that the growth check distinguishes linear steps from quadratic ones.
import { expect, it } from "vitest";
import { type GrowthScene, maxExponent, measureGrowth } from "./growth-rate.ts";

/** Computes for as many turns as given. */
async function compute(turns: number): Promise<number> {
  let sum = 0;
  for (let turn = 0; turn < turns; turn++) sum = (sum * 31 + turn) % 1_000_003;
  return sum;
}

const scene: GrowthScene = {
  title: "a loop",
  size: 1500,
  open: async (size) => ({
    steps: [
      { name: "linear", run: () => compute(size * 1500) },
      { name: "quadratic", run: () => compute(size * size) },
    ],
    close: async () => undefined,
  }),
};

it("takes the median of the rounds where the first is disturbed", async () => {
  const turns = 1_000_000;
  let runs = 0;
  const disturbed: GrowthScene = {
    title: "a loop",
    size: 1,
    open: async (size) => ({
      // The runs of the large size are the second, the fourth and so on. The first of them is disturbed, or all but it.
      steps: [
        { name: "linear", run: () => compute(turns * size * (++runs === 2 ? 4 : 1)) },
        { name: "quadratic", run: () => compute(turns * size * (size > 1 && runs > 2 ? 4 : 1)) },
      ],
      close: async () => undefined,
    }),
  };
  const [linear, quadratic] = await measureGrowth(disturbed);
  expect(linear?.exponent).toBeLessThan(maxExponent);
  expect(quadratic?.exponent).toBeGreaterThan(1.6);
});

it("finds the step that grows with the square of its input, and no other", async () => {
  const [linear, quadratic] = await measureGrowth(scene);
  expect(linear?.exponent).toBeLessThan(maxExponent);
  expect(quadratic?.exponent).toBeGreaterThan(1.6);
});
