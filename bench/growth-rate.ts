// Measures how the processor time of steps grows with the size of their input, and fails where it grows faster.
import { appendTo } from "../core/append-to.ts";
import { formatMs, printTable } from "./report.ts";

/** A step of a scene. The steps of a scene run in order. */
export interface GrowthStep {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

/** Steps over an input of a small size, and of one {@link factor} times as large. */
export interface GrowthScene {
  readonly title: string;
  /** The small size. */
  readonly size: number;
  open(size: number): Promise<{
    readonly steps: readonly GrowthStep[];
    readonly close?: () => Promise<void>;
  }>;
}

/** The growth of one step in the round of its median growth: its processor time at each size, in milliseconds. */
interface StepGrowth {
  readonly name: string;
  readonly small: number;
  readonly large: number;
  /** 1 is linear, 2 quadratic. */
  readonly exponent: number;
}

const factor = 4;

/** The largest exponent that counts as linear: sorting, caches and the garbage collector take a little more. */
const maxExponent = 1.2;

/** Maximum number of rounds. More than one is needed when other processes on the machine disturb some of them. */
const maxRounds = 5;

/** Measures and prints every step, and sets the exit code of the process. */
export async function checkGrowth(scenes: readonly GrowthScene[]): Promise<void> {
  let failed = 0;
  for (const scene of scenes) {
    const grown = await measureGrowth(scene);
    failed += grown.filter(isTooFast).length;
    printTable(`${scene.title}: ${scene.size} and ${scene.size * factor} objects`, [
      ["", "small", "large", "exponent"],
      ...grown.map((step) => [
        step.name,
        formatMs(step.small),
        formatMs(step.large),
        `${step.exponent.toFixed(2)}${isTooFast(step) ? " FAILED" : ""}`,
      ]),
    ]);
  }
  if (failed > 0)
    console.log(`\n${failed} steps grow faster than their input to the ${maxExponent}`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function isTooFast({ exponent }: StepGrowth): boolean {
  return !(exponent <= maxExponent);
}

/** Stops after the round by which the median growth of each step is linear. */
async function measureGrowth(scene: GrowthScene): Promise<readonly StepGrowth[]> {
  // The first runs compile the code. If the small run included that time, the growth would look too small.
  await runScene(scene, scene.size);
  const measured = new Map<string, StepGrowth[]>();
  for (let round = 1; ; round++) {
    // Both sizes of a round run one after the other: a machine that slows down for a minute slows both.
    const largeTimes = await runScene(scene, scene.size * factor);
    for (const [name, small] of await runScene(scene, scene.size)) {
      const large = largeTimes.get(name) ?? NaN;
      const exponent = Math.log(large / small) / Math.log(factor);
      appendTo(measured, name, { name, small, large, exponent });
    }
    const medians = [...measured.values()].map(medianGrowth);
    if (round === maxRounds || !medians.some(isTooFast)) return medians;
  }
}

/** Returns the median by exponent, and of two the larger one. */
function medianGrowth(rounds: readonly StepGrowth[]): StepGrowth {
  const sorted = rounds.toSorted((left, right) => left.exponent - right.exponent);
  return sorted[Math.floor(rounds.length / 2)] as StepGrowth;
}

/** Returns the processor time of each step in milliseconds. */
async function runScene(scene: GrowthScene, size: number): Promise<ReadonlyMap<string, number>> {
  const { steps, close } = await scene.open(size);
  const took = new Map<string, number>();
  try {
    for (const { name, run } of steps) {
      globalThis.gc?.();
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      took.set(name, (user + system) / 1000);
    }
  } finally {
    await close?.();
  }
  return took;
}
