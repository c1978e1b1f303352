// Tests that a failing property is reported with its seed, path and a counterexample, however long each run takes.
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { assertProperty } from "./assert-property.ts";

const runs = {
  numRuns: 100,
  seed: 7,
  interruptAfterTimeLimit: 60_000,
  endOnFailure: false,
} as const;

it("reports a smaller counterexample of a quick property", async () => {
  const small = fc.asyncProperty(fc.nat(1_000_000), async (value) => value < 9);
  const checked = assertProperty(small, { ...runs, markInterruptAsFailure: true });
  await expect(checked).rejects.toThrow(/seed: 7, path: "\d+:[\d:]+".*\nCounterexample: \[9\]/u);
  const whole = assertProperty(small, {
    ...runs,
    markInterruptAsFailure: true,
    endOnFailure: true,
  });
  await expect(whole).rejects.toThrow(/seed: 7, path: "\d+"/u);
});

it("ends to shrink a slow property at the bound, with what it has", async () => {
  const slow = fc.asyncProperty(fc.array(fc.nat(), { minLength: 50 }), async () => {
    await sleep(20);
    throw new Error("it always fails");
  });
  const started = performance.now();
  const checked = assertProperty(slow, { ...runs, markInterruptAsFailure: true }, 300);
  await expect(checked).rejects.toThrow(/seed: 7, path: "0(?::\d+)+"/u);
  expect(performance.now() - started).toBeLessThan(30_000);
});

it("passes over nothing: too few runs are a failure", async () => {
  const hanging = fc.asyncProperty(fc.nat(), () => sleep(60_000));
  const within = { interruptAfterTimeLimit: 200, markInterruptAsFailure: true } as const;
  await expect(assertProperty(hanging, { ...runs, ...within })).rejects.toThrow(/interrupted/iu);
});
