// Generates reproducible random numbers from a seed, and random stacks of every kind.
import fc from "fast-check";
import { referencesOf } from "../../../core/kind/references.ts";
import { kindNamed } from "../../conformance/registry-cases.ts";
import { everyKind, everyKindChanged } from "../../support/every-kind.ts";
import type { Doc } from "../../support/test-stack.ts";
import { anyStack } from "../../support/arbitrary-stacks.ts";

/** Draws numbers. */
export interface Random {
  /** Returns an integer from 0 to below `count`. */
  below(count: number): number;
  /** Returns true with this probability. */
  chance(of: number): boolean;
}

/** Returns the same numbers for the same seed, from a 32-bit mixing generator, which is sufficient for choices. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: (count) => Math.floor(next() * count), chance: (of) => next() < of };
}

/** Returns a stack without missing references. Two thirds of the stacks are made from the examples of every kind. */
export function randomStack(random: Random): readonly Doc[] {
  if (random.chance(1 / 3)) {
    const [drawn = []] = fc.sample(anyStack, { seed: random.below(2 ** 31), numRuns: 1 });
    return drawn;
  }
  const chosen = everyKind.flatMap((doc, at) => {
    if (random.chance(0.2)) return [];
    return [random.chance(0.5) ? doc : (everyKindChanged[at] ?? doc)];
  });
  return withoutDangling(chosen);
}

function withoutDangling(documents: readonly Doc[]): readonly Doc[] {
  const declared = new Set(documents.map(({ kind, name }) => `${kind}/${name}`));
  const kept = documents.filter(({ kind, spec }) =>
    referencesOf(kindNamed(kind), spec).every(
      (one) => one.external || declared.has(`${one.kind}/${one.value}`),
    ),
  );
  return kept.length === documents.length ? kept : withoutDangling(kept);
}
