// Divides the objects that a rollout changes into batches.
import type { Stage } from "./pipeline.ts";
import type { Rollout } from "./record.ts";

/** Returns how many objects may change together. A rollback changes all of them. */
export function objectsPerBatch(
  { batchSize }: Pick<Stage, "batchSize">,
  total: number,
  cause: Rollout["cause"],
): number {
  if (cause === "rollback") return Math.max(1, total);
  if ("count" in batchSize) return batchSize.count;
  return Math.max(1, Math.floor((total * batchSize.percent) / 100));
}

/** Divides addresses into batches, in order. */
export function batchesOf(addresses: readonly string[], size: number): readonly string[][] {
  return Array.from({ length: Math.ceil(addresses.length / size) }, (_, index) =>
    addresses.slice(index * size, (index + 1) * size),
  );
}
