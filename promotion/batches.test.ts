// The batches of a rollout by number and by share, and the one batch of a rollback.
import { expect, it } from "vitest";
import { batchesOf, objectsPerBatch } from "./batches.ts";

it.each([
  [{ count: 2 }, "candidate", [["a", "b"], ["c", "d"], ["e"]]],
  [{ percent: 50 }, "requested", [["a", "b"], ["c", "d"], ["e"]]],
  [{ percent: 1 }, "candidate", [["a"], ["b"], ["c"], ["d"], ["e"]]],
  [{ count: 1 }, "rollback", [["a", "b", "c", "d", "e"]]],
] as const)("a batch size of %j divides a %s", (batchSize, cause, expected) => {
  const size = objectsPerBatch({ batchSize }, 5, cause);
  expect(batchesOf(["a", "b", "c", "d", "e"], size)).toEqual(expected);
});
