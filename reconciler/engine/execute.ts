// Executes the changes of a plan layer by layer: journals each, calls the API, reports each outcome. Estimates use the same writes.
import { Failure, failureFrom, isFailure } from "../../core/errors.ts";
import { type Kind, kindsByName, type ObjectWrite } from "../../core/kind/kind.ts";
import type { Lifecycle } from "../../lifecycle/lifecycle.ts";
import { lostAnswerCodes } from "../../lifecycle/execute.ts";
import type { FailedResult, Result } from "../../lifecycle/results.ts";
import type { Verb, WriteTask } from "../../lifecycle/steps.ts";
import type { InventoryUpdater } from "./inventory-updater.ts";
import type { Change, LiveState, Outcome, ProgressEvent } from "../model/index.ts";
import { boundedBatches } from "./batches.ts";
import { fieldNames, observedObjectOf } from "./observe.ts";
import type { SecretSinks } from "./secret-sinks.ts";

/** Dependencies of {@link executeChanges}. */
export interface ExecutionContext {
  readonly lifecycle: Lifecycle;
  readonly updater: InventoryUpdater;
  readonly sinks: SecretSinks;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** The live state that the preconditions were checked against. */
  readonly live: LiveState;
  readonly signal: AbortSignal | undefined;
  /** Receives an event for each outcome. */
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
}

/** Executes `changes` in order. A failure skips only the changes that depend on it. */
export async function executeChanges(
  changes: readonly Change[],
  context: ExecutionContext,
): Promise<Outcome[]> {
  const outcomes = new Map<string, Outcome>();
  const { length: total } = changes;
  const settle: Execution["settle"] = (change, failure, how) => {
    const { address, action } = change;
    const result = how === "skipped" ? how : failure === undefined ? "done" : "failed";
    const outcome: Outcome = {
      address,
      action,
      result,
      failure: failureSummary(failure),
      ...(how === "partial" && { partial: true }),
    };
    outcomes.set(address, outcome);
    if (result !== "done") context.updater.unclaim(address);
    const { size: done } = outcomes;
    const { layer } = change;
    context.progress?.({ event: "change", address, action, result, done, total, layer });
  };
  const run: Execution = {
    ...context,
    settle,
    hasFailed: (address) => isUnmet(outcomes.get(address)),
  };
  const writes = changes.filter((change) => change.cascadedBy === undefined);
  // If a record cannot be written, the run ends and keeps its outcomes: closing the inventory reports it.
  const unrecorded = await failureFrom(async () => {
    await context.updater.invalidate(changes);
    for (const group of batchesOf(writes)) await executeGroup(group, run);
  });
  // A change whose begin could not be recorded was not sent.
  for (const change of writes) {
    if (unrecorded !== undefined && !outcomes.has(change.address))
      settle(change, undefined, "skipped");
  }
  for (const change of changes) {
    if (change.cascadedBy !== undefined)
      settleCascaded(change, outcomes.get(change.cascadedBy), run);
  }
  await failureFrom(() => context.updater.flush());
  return changes
    .map((change) => outcomes.get(change.address))
    .filter((outcome) => outcome !== undefined);
}

interface Execution extends ExecutionContext {
  /** Reports the outcome of a change: done without a failure. `partial` means that a part of it was written. */
  readonly settle: (change: Change, failure?: Failure, how?: "skipped" | "partial") => void;
  readonly hasFailed: (address: string) => boolean;
}

function isUnmet(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && outcome.result !== "done";
}

/** Returns the members of a failure that an outcome contains. */
export function failureSummary(failure: Failure | undefined): Outcome["failure"] {
  if (failure === undefined) return undefined;
  const { code, message, remedy } = failure;
  return { code, message, ...(remedy !== undefined && { remedy }) };
}

/** Returns why a run stopped: a record that could not be written, or the server. Undefined if it did not. */
export function stopFailure(
  outcomes: readonly Outcome[],
  { updater, lifecycle }: Pick<ExecutionContext, "updater" | "lifecycle">,
): Failure | undefined {
  const reason: unknown = updater.unrecorded.reason;
  const isLeft = outcomes.some(({ result }) => result !== "done");
  return isLeft && isFailure(reason) ? reason : lifecycle.stopped();
}

/** Groups changes of one layer, kind and action into batches of bounded size. */
export function batchesOf(changes: readonly Change[]): Change[][] {
  const groups = Map.groupBy(changes, ({ layer, kind, action, desired }) =>
    JSON.stringify([desired === undefined, layer, kind, action]),
  );
  return [...groups.values()].flatMap((group) => boundedBatches(group, (change) => change.desired));
}

async function executeGroup(group: readonly Change[], run: Execution): Promise<void> {
  const ready: Change[] = [];
  for (const change of group) {
    if (isStopped(run) || change.dependsOn.some(run.hasFailed))
      run.settle(change, undefined, "skipped");
    else ready.push(change);
  }
  const [first] = ready;
  const kind = first === undefined ? undefined : run.kinds.get(first.kind);
  if (first === undefined) return;
  if (kind === undefined || first.action === "forget") return forget(ready, run);
  switch (first.action) {
    case "create":
      return create(kind, ready, run);
    case "replace":
      return replace(kind, ready, run);
    case "delete":
      return remove(kind, ready, run);
    default:
      return update(kind, ready, run);
  }
}

function isStopped({ signal, lifecycle }: Execution): boolean {
  return signal?.aborted === true || lifecycle.stopped() !== undefined;
}

function forget(changes: readonly Change[], run: Execution): void {
  for (const change of changes) {
    if (change.movedTo === undefined && change.abandoned === undefined) removeSecret(change, run);
    run.updater.remove(change.address);
    run.settle(change);
  }
}

function settleCascaded(change: Change, parent: Outcome | undefined, run: Execution): void {
  if (isUnmet(parent) || parent === undefined) return run.settle(change, undefined, "skipped");
  removeSecret(change, run);
  run.updater.remove(change.address);
  run.settle(change);
}

async function create(kind: Kind, changes: readonly Change[], run: Execution): Promise<void> {
  await run.updater.beginCreates(changes);
  await run.lifecycle.create(kind, writesOf("create", changes, { ...run, kind }), {
    signal: run.signal,
    onResult: onEachResult(changes, (change, result) => finishCreate(change, result, run)),
  });
}

/** Returns whether the object may exist, so that its entry stays pending. */
function mayExist(result: Result): boolean {
  return result.ok || result.created || lostAnswerCodes.has(result.failure.code);
}

/** Stores the generated secret before the object is recorded; returns the failure if that is impossible. */
function keepSecret(
  change: Change,
  { generatedSecret: generated }: Result,
  run: Execution,
): Failure | undefined {
  if (generated === undefined || change.secretTo === undefined) return undefined;
  try {
    run.updater.secretStored(change.address, run.sinks.put(change.secretTo.file, generated));
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Removes the stored secret of a deleted object. Returns the file if it is kept because it may have other contents. */
function removeSecret({ address }: Change, { updater, sinks }: Execution): string | undefined {
  const sink = updater.entry(address)?.secretTo;
  return sink === undefined || sinks.remove(sink) ? undefined : sink.file;
}

function finishCreate(change: Change, result: Result, run: Execution): void {
  // The entry stays pending, so that the next run replaces the object.
  const unkept = keepSecret(change, result, run);
  if (unkept !== undefined) return run.settle(change, unkept, "partial");
  if (result.ok) {
    run.updater.done(change, undefined);
    return run.settle(change);
  }
  // An earlier attempt may have left a pending entry. With it the next plan would adopt an object that may belong to someone else.
  if (result.isOwnerUncertain) run.updater.remove(change.address);
  else if (!mayExist(result)) run.updater.restore(change.address);
  settleFailed(change, result, run);
}

async function update(kind: Kind, changes: readonly Change[], run: Execution): Promise<void> {
  const finish = (change: Change, result: Result): void => {
    if (!result.ok) {
      if (result.partial) run.updater.partlyDone(change, result.written);
      return settleFailed(change, result, run);
    }
    run.updater.done(change, change.id);
    run.settle(change);
  };
  const writing = changes.filter((change) => change.fields.length > 0);
  for (const change of changes) if (change.fields.length === 0) finish(change, { ok: true });
  if (writing.length === 0) return;
  await run.lifecycle.update(kind, writesOf("update", writing, { ...run, kind }), {
    signal: run.signal,
    onResult: onEachResult(writing, finish),
  });
}

async function remove(kind: Kind, changes: readonly Change[], run: Execution): Promise<void> {
  await run.lifecycle.delete(kind, writesOf("delete", changes, { ...run, kind }), {
    signal: run.signal,
    onResult: onEachResult(changes, (change, result) => {
      if (!result.ok) return settleFailed(change, result, run);
      removeSecret(change, run);
      run.updater.remove(change.address);
      run.settle(change);
    }),
  });
}

/**
 * Deletes, then creates. Deletes only objects whose creation, as far as the read shows, would succeed. The old entry remains until its object is
 * deleted; a failed delete skips the create.
 */
async function replace(kind: Kind, changes: readonly Change[], run: Execution): Promise<void> {
  const { lifecycle, signal } = run;
  const creates = writesOf("create", changes, { ...run, kind });
  const failing = await lifecycle.failingCreates(kind, creates, { signal });
  const ready = changes.filter((_, index) => !failing.has(index));
  for (const [index, change] of changes.entries()) {
    const failure = failing.get(index);
    if (failure !== undefined) settleFailed(change, { failure, partial: false }, run);
  }
  const recreates: Change[] = [];
  const leftFiles = new Map<Change, string>();
  await lifecycle.delete(kind, writesOf("delete", ready, { ...run, kind }), {
    signal,
    onResult: onEachResult(ready, (change, result) => {
      if (result.ok) {
        const file = removeSecret(change, run);
        if (file !== undefined) leftFiles.set(change, file);
        recreates.push(change);
      } else settleFailed(change, result, run);
    }),
  });
  if (recreates.length === 0) return;
  const unrecorded = await failureFrom(() => run.updater.beginCreates(recreates));
  if (unrecorded !== undefined) {
    for (const change of recreates) {
      run.updater.remove(change.address);
      const leftFile = leftFiles.get(change);
      settleDeleted(change, unrecorded, { run, mayExist: false, leftFile });
    }
    throw unrecorded;
  }
  await lifecycle.create(kind, writesOf("create", recreates, { ...run, kind }), {
    signal,
    onResult: onEachResult(recreates, (change, result) => {
      if (result.ok || result.generatedSecret !== undefined)
        return finishCreate(change, result, run);
      const isUnknown = mayExist(result);
      if (!isUnknown) run.updater.remove(change.address);
      const leftFile = leftFiles.get(change);
      const { failure, isOwnerUncertain } = result;
      settleDeleted(change, failure, { run, mayExist: isUnknown, isOwnerUncertain, leftFile });
    }),
  });
}

/** A replacement that failed after its delete. */
interface FailedReplacement {
  readonly run: Execution;
  readonly mayExist: boolean;
  readonly isOwnerUncertain?: FailedResult["isOwnerUncertain"];
  /** The file with the secret of the deleted object, if that is left. */
  readonly leftFile: string | undefined;
}

/**
 * Settles a replacement that failed after its delete: it counts as failed instead of skipped, regardless of the cause.
 */
function settleDeleted(change: Change, cause: Failure, how: FailedReplacement): void {
  const { code, message } = cause;
  const state = how.mayExist ? "may be missing or incomplete" : "could not be created";
  const ownedState = how.isOwnerUncertain ? "has no certain owner" : state;
  const why = `the former object was deleted, and the new one ${ownedState}: ${message}`;
  const remedy = deletedRemedy(change, cause, how);
  const failure = new Failure(code, why, { cause, ...(remedy !== "" && { remedy }) });
  how.run.settle(change, failure, "partial");
}

function deletedRemedy(
  { kind }: Change,
  { code, remedy }: Failure,
  { run, mayExist: isUnknown, leftFile }: FailedReplacement,
): string {
  const left = leftFile && `${leftFile} may still hold the secret of the deleted object.`;
  const parts =
    isUnknown && run.kinds.get(kind)?.generatedSecret !== undefined
      ? ["The next apply replaces it, because its secret was not stored."]
      : [remedy, nextApply(code, isUnknown)];
  return [...parts, left].filter((part) => part !== undefined).join(" ");
}

/** Explains what the next apply does. It refuses an object that is in the way of the new one. */
function nextApply(code: Failure["code"], isUnknown: boolean): string | undefined {
  if (isUnknown) return "The next apply completes it.";
  return code === "conflict" ? undefined : "The next apply creates it.";
}

/** Settles a change that failed, or that a stopped run did not begin. */
function settleFailed(
  change: Change,
  { failure, partial }: Pick<FailedResult, "failure" | "partial">,
  run: Execution,
): void {
  const isAborted = isFailure(failure, "aborted");
  if (partial) run.settle(change, isAborted ? incompleteFailure(failure) : failure, "partial");
  else if (isAborted) run.settle(change, undefined, "skipped");
  else run.settle(change, failure);
}

/** Returns the failure of a write that was stopped between its calls. */
function incompleteFailure(cause: Failure): Failure {
  const { code, message } = cause;
  return new Failure(code, `a part of it was written, and the rest was not: ${message}`, {
    cause,
    remedy: "The next apply writes the rest.",
  });
}

function onEachResult(changes: readonly Change[], then: (change: Change, result: Result) => void) {
  return (index: number, result: Result): void => {
    const change = changes[index];
    if (change !== undefined) then(change, result);
  };
}

/** Returns the writes of a verb for these changes, which were planned against `live`. */
function writesOf(
  verb: Verb,
  changes: readonly Change[],
  { kind, live }: { readonly kind: Kind; readonly live: LiveState },
): readonly ObjectWrite[] {
  return changes.map((change) => {
    const { desired = {}, fields } = change;
    if (verb === "create")
      return { spec: desired, live: undefined, changed: new Set(fieldNames(desired)) };
    const observed = observedObjectOf(kind, change, live);
    if (verb === "delete")
      return { spec: observed?.spec ?? {}, live: observed, changed: new Set<string>() };
    return { spec: desired, live: observed, changed: new Set(fields.map(({ field }) => field)) };
  });
}

const verbsOf: Partial<Record<Change["action"], readonly Verb[]>> = {
  create: ["create"],
  update: ["update"],
  adopt: ["update"],
  replace: ["delete", "create"],
  delete: ["delete"],
};

/** Returns the tasks of these changes, for estimates and preflight. Changes that can share calls share a task. */
export function tasksOf(
  changes: readonly Change[],
  kinds: readonly Kind[],
  live: LiveState = new Map(),
): readonly WriteTask[] {
  const byName = kindsByName(kinds);
  const called = changes.filter((change) => change.cascadedBy === undefined);
  const groups = Map.groupBy(called, ({ kind, action, layer }) => `${kind} ${action} ${layer}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const kind = first === undefined ? undefined : byName.get(first.kind);
    if (first === undefined || kind === undefined) return [];
    return (verbsOf[first.action] ?? []).map((verb) => ({
      kind,
      verb,
      writes: writesOf(verb, group, { kind, live }),
    }));
  });
}
