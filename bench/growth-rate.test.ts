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

it("repeats only those of independent steps that are not linear yet", async () => {
  const counts = { linear: 0, quadratic: 0 };
  const step = (name: keyof typeof counts, turns: number) => ({
    name,
    run: () => compute(turns * 300 * Math.sign(++counts[name])),
  });
  await measureGrowth({
    title: "a loop",
    size: 1000,
    isIndependent: true,
    open: async (size) => ({
      steps: [step("linear", size), step("quadratic", (size * size) / 100)],
      close: async () => undefined,
    }),
  });
  // The first run, and both sizes of five rounds.
  expect(counts.quadratic).toBe(11);
  expect(counts.linear).toBeLessThan(11);
});

it("counts the average of repeated runs", async () => {
  const [step] = await measureGrowth({
    title: "a loop",
    size: 1,
    open: async (size) => ({
      steps: [{ name: "linear", run: () => compute(size * 1e6), repeats: size === 1 ? 4 : 1 }],
      close: async () => undefined,
    }),
  });
  expect(step?.exponent).toBeGreaterThan(0.6);
});
