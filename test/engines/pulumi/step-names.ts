// What a run under the stand-in engine did, as tests read it.
import { expect } from "vitest";
import type { RunResult } from "./engine.ts";

/** The steps of a run that had no errors, as `create name`, sorted. */
export function stepNames({ errors, steps: all }: RunResult): readonly string[] {
  expect(errors).toEqual([]);
  return all.map(({ op, name }) => `${op} ${name}`).toSorted();
}
