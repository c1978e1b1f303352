// Divides writes among bindings and calls: which objects one call creates, changes or deletes.
import type { VerbCapability } from "../core/kind/capability.ts";
import { canonical, type JsonObject } from "../core/json.ts";
import type { Binding, ObjectWrite } from "../core/kind/kind.ts";

/** A write with its index in the caller's list. */
export interface IndexedWrite {
  readonly index: number;
  readonly write: ObjectWrite;
}

/** A binding with the writes that it executes. */
export interface BindingShare {
  readonly binding: Binding;
  readonly writes: readonly IndexedWrite[];
}

/** Returns the batches of a binding for these writes, in order. */
export function callBatchesOf(
  binding: Binding,
  indexed: readonly IndexedWrite[],
): readonly (readonly IndexedWrite[])[] {
  const { max } = binding.batch;
  const groupBy = [...binding.batch.groupBy, ...(binding.prerequisite?.dependsOn ?? [])];
  if (max <= 1) return indexed.map((one) => [one]);
  const groups = Map.groupBy(indexed, ({ write }) => groupOf(groupBy, write.spec));
  return [...groups.values()].flatMap((members) => chunks(members, max));
}

/** Divides creates or deletes among the offered bindings: a batch takes the first alternative that costs less than `binding`. */
export function cheapestShares(
  { binding, alternatives }: VerbCapability,
  writes: readonly IndexedWrite[],
): readonly BindingShare[] {
  const shares: BindingShare[] = [];
  let left = writes;
  for (const alternative of alternatives) {
    const cheaper = callBatchesOf(alternative, left).filter(
      (batch) => alternative.batch.cost < binding.batch.cost * callBatchesOf(binding, batch).length,
    );
    const taken = new Set(cheaper.flat());
    if (taken.size > 0) shares.push({ binding: alternative, writes: [...taken] });
    left = left.filter((write) => !taken.has(write));
  }
  return left.length > 0 ? [{ binding, writes: left }, ...shares] : shares;
}

function groupOf(groupBy: readonly string[], spec: JsonObject): string {
  return canonical(groupBy.map((name) => spec[name] ?? null));
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(list.length / size);
  return Array.from({ length: count }, (_, at) => list.slice(at * size, (at + 1) * size));
}
