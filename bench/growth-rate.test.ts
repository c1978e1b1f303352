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
  size: 2500,
  open: async (size) => ({
    steps: [
      { name: "linear", run: () => compute(size * 2500) },
      { name: "quadratic", run: () => compute(size * size) },
    ],
    close: async () => undefined,
  }),
};

it("finds the step that grows with the square of its input, and no other", async () => {
  const [linear, quadratic] = await measureGrowth(scene);
  expect(linear?.exponent).toBeLessThan(maxExponent);
  expect(quadratic?.exponent).toBeGreaterThan(1.6);
});
