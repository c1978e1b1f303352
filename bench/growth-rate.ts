// Measures how the processor time of steps grows with the size of their input.
import { appendTo } from "../core/append-to.ts";

/** A step of a scene. The steps of a scene run in order. */
export interface GrowthStep {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  /** Number of runs, whose average counts; 1 if undefined. */
  readonly repeats?: number;
}

/** Steps over an input of one size. */
export interface OpenedScene {
  readonly steps: readonly GrowthStep[];
  readonly close: () => Promise<void>;
}

/** A scene at a small size and at a large one. */
export interface GrowthScene {
  readonly title: string;
  /** The small size. */
  readonly size: number;
  /**
   * How many times larger the large input is; {@link growthFactor} if undefined. Short steps need a larger factor, so
   * that the growth exceeds the noise.
   */
  readonly factor?: number;
  /** True if no step needs what the one before left. Further rounds then run only the steps that are not linear yet. */
  readonly isIndependent?: true;
  open(size: number): Promise<OpenedScene>;
}

/** The growth of one step in the round of its median growth: its processor time at each size, in milliseconds. */
export interface StepGrowth {
  readonly name: string;
  readonly small: number;
  readonly large: number;
  /** 1 is linear, 2 quadratic. */
  readonly exponent: number;
}

/** The default ratio between the large and the small input of a scene. */
export const growthFactor = 4;

/**
 * The largest exponent that counts as linear: sorting, caches and the garbage collector take a little more than linear
 * time.
 */
export const maxExponent = 1.2;

/** Maximum number of rounds. More than one is needed when other processes on the machine disturb some of them. */
const maxRounds = 5;

/**
 * Measures every step of a scene. Stops after the round by which the median growth of each step is linear.
 */
export async function measureGrowth(scene: GrowthScene): Promise<readonly StepGrowth[]> {
  const { size, factor = growthFactor } = scene;
  // The first runs compile the code. If the small run included that time, the growth would look too small.
  await runScene(scene, size, () => true);
  const measured = new Map<string, StepGrowth[]>();
  const isOpen = ({ name }: Pick<GrowthStep, "name">): boolean => {
    const median = medianOf(measured.get(name) ?? []);
    return median === undefined || !(median.exponent <= maxExponent);
  };
  for (let round = 1; ; round++) {
    // Both sizes of a round run one after the other: a machine that slows down for a minute slows both.
    const large = await runScene(scene, size * factor, isOpen);
    for (const [name, small] of await runScene(scene, size, isOpen)) {
      appendTo(measured, name, growthOf(name, { small, large: large.get(name) ?? NaN, factor }));
    }
    const all = [...measured.values()].flatMap((rounds) => medianOf(rounds) ?? []);
    if (round === maxRounds || !all.some(isOpen)) return all;
  }
}

/** Returns the median by exponent, and of two the larger one. */
function medianOf(rounds: readonly StepGrowth[]): StepGrowth | undefined {
  const sorted = rounds.toSorted((left, right) => left.exponent - right.exponent);
  return sorted[Math.floor(rounds.length / 2)];
}

function growthOf(
  name: string,
  { small, large, factor }: Readonly<Record<"small" | "large" | "factor", number>>,
): StepGrowth {
  const exponent = Math.log(large / small) / Math.log(factor);
  return { name, small, large, exponent };
}

/** Returns the processor time of each step in milliseconds. Of independent steps, runs only the open ones. */
async function runScene(
  scene: GrowthScene,
  size: number,
  isOpen: (step: GrowthStep) => boolean,
): Promise<ReadonlyMap<string, number>> {
  const { steps, close } = await scene.open(size);
  const needed = scene.isIndependent === true ? steps.filter(isOpen) : steps;
  const took = new Map<string, number>();
  try {
    for (const { name, run, repeats = 1 } of needed) {
      globalThis.gc?.();
      const before = process.cpuUsage();
      for (let done = 0; done < repeats; done++) await run();
      const { user, system } = process.cpuUsage(before);
      took.set(name, (user + system) / 1000 / repeats);
    }
  } finally {
    await close();
  }
  return took;
}
