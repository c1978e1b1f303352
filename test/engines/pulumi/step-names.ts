// Formats the steps of a run for assertions.
import { expect } from "vitest";
import type { RunResult } from "./engine.ts";

/** Returns the steps of a run without errors, as `create name`, sorted. */
export function stepNames({ errors, steps: all }: RunResult): readonly string[] {
  expect(errors).toEqual([]);
  return all.map(({ op, name }) => `${op} ${name}`).toSorted();
}
