// What a run under the stand-in engine did, as tests read it.
import { expect } from "vitest";
import type { Ran } from "./engines.ts";

/** The steps of a run that had no errors, as `create name`, sorted. */
export function steps({ errors, steps: all }: Ran): readonly string[] {
  expect(errors).toEqual([]);
  return all.map(({ op, name }) => `${op} ${name}`).toSorted();
}
