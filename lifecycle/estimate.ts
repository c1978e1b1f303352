// Estimates the calls of writes, and returns the operations that they need. Reads and writes nothing.
import type { ApiDiscovery } from "../client/api-discovery.ts";
import type { Kind, Prerequisite } from "../core/kind/kind.ts";
import type { Operation } from "../core/operation/operation.ts";
import { prerequisiteKey, scopesOf } from "./lifecycle.ts";
import { callBatchesOf, type IndexedWrite } from "./call-batches.ts";
import { createStepPlanner, type Verb, type WriteStep, type WriteTask } from "./steps.ts";

/** Estimated number of calls. */
interface Cost {
  /** Reads that the writes require. A list counts as one call. */
  readonly readCalls: number;
  readonly writeCalls: number;
}

/** Estimates the calls of these tasks from the operations that the server offers. Reads and writes nothing. */
export function estimate(discovery: ApiDiscovery, tasks: readonly WriteTask[]): Cost {
  const planSteps = createStepPlanner(discovery);
  const prerequisites = new Map<Prerequisite, Set<string>>();
  let readCalls = 0;
  let writeCalls = 0;
  for (const { kind, verb, writes } of tasks) {
    const { steps } = planSteps(kind, verb, writes);
    for (const { binding, writes: indexed } of steps) {
      if (binding.prerequisite !== undefined)
        countPrerequisiteReads(prerequisites, binding.prerequisite, indexed);
      writeCalls += callBatchesOf(binding, indexed).length;
      for (const { write } of indexed) writeCalls += binding.preparation?.calls(write) ?? 0;
    }
    readCalls += rereadsOf(kind, verb, steps);
  }
  for (const keys of prerequisites.values()) readCalls += keys.size;
  return { readCalls, writeCalls };
}

/** Counts the collections that a create reads again: before an upsert, and after the objects are created. */
function rereadsOf(kind: Kind, verb: Verb, steps: readonly WriteStep[]): number {
  if (verb !== "create") return 0;
  const upserts = steps.filter(({ creates, binding }) => creates && binding.upserts !== undefined);
  const before = upserts.flatMap((step) => step.writes);
  const after = steps.filter(({ creates }) => !creates).flatMap((step) => step.writes);
  return scopesOf(kind, before).length + scopesOf(kind, [...before, ...after]).length;
}

/** Returns the operations that these tasks call, given the operations that the server offers. */
export function operationsOf(
  discovery: ApiDiscovery,
  tasks: readonly WriteTask[],
): ReadonlySet<Operation> {
  const planSteps = createStepPlanner(discovery);
  const bindings = tasks.flatMap(({ kind, verb, writes }) =>
    planSteps(kind, verb, writes).steps.map(({ binding }) => binding),
  );
  return new Set(
    bindings.flatMap(({ operation, preparation }) => [
      ...(preparation?.operations ?? []),
      operation,
    ]),
  );
}

function countPrerequisiteReads(
  prerequisites: Map<Prerequisite, Set<string>>,
  prerequisite: Prerequisite,
  indexed: readonly IndexedWrite[],
): void {
  const keys = prerequisites.get(prerequisite) ?? new Set();
  prerequisites.set(prerequisite, keys);
  for (const { write } of indexed) keys.add(prerequisiteKey(prerequisite, write.spec));
}
