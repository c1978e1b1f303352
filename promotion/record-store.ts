// Stores the record of a pipeline in an inventory beside the stack's, with two locks: a promotion holds one to its end,
// and every write takes the other for a moment, so that people can approve and hold while a promotion runs.
import { setTimeout as pause } from "node:timers/promises";
import type { Diagnostic } from "../core/diagnostics.ts";
import { Failure, isFailure } from "../core/errors.ts";
import { equal, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import {
  type HeldResult,
  holdLocks,
  promotionLockStore,
  recordStore,
  releaseOnFailure,
  type Stores,
  type InventoryLock,
  type InventoryStore,
} from "../reconciler/sessions.ts";
import { parseRecord, type PipelineRecord, type StageRecord } from "./record.ts";

/** Reads the record of a pipeline. */
export async function readRecord(store: InventoryStore, pipeline: string): Promise<PipelineRecord> {
  const { pipelines = {} } = await store.read();
  return parseRecord(
    Object.hasOwn(pipelines, pipeline) ? pipelines[pipeline] : undefined,
    pipeline,
  );
}

/** Changes a record, from its current state. */
export type RecordUpdate = (now: PipelineRecord) => PipelineRecord;

/**
 * Changes the record of a pipeline in one step and returns the result, with a warning if the lock could not be released.
 * Writes nothing if `change` returns the record itself.
 * Waits for other writers. Fails with `locked`, naming the other writer, after a bounded time.
 */
export async function updateRecord(
  store: InventoryStore,
  { pipeline, purpose }: { readonly pipeline: string; readonly purpose: string },
  change: RecordUpdate,
): Promise<HeldResult<PipelineRecord>> {
  return holdLocks(async (hold) => {
    const lock = await hold(lockWithRetry(store, purpose));
    const now = await readRecord(store, pipeline);
    const next = change(now);
    if (next === now) return now;
    const inventory = await store.read();
    await lock.write({ ...inventory, pipelines: { ...inventory.pipelines, [pipeline]: next } });
    return next;
  });
}

async function lockWithRetry(store: InventoryStore, purpose: string): Promise<InventoryLock> {
  const end = performance.now() + limits.recordWaitMs;
  for (;;) {
    try {
      return await store.lock(purpose);
    } catch (error) {
      if (!isFailure(error, "locked") || performance.now() >= end) throw error;
      await pause(Math.random() * limits.recordPauseMs);
    }
  }
}

/** The record of a running promotion. Manual actions may change it at the same time. */
export interface LockedRecord {
  /** The record as last read or written. */
  readonly record: PipelineRecord;
  /** Aborts when the lock is lost. */
  readonly lost: AbortSignal;
  /** A warning if the lock of the last update could not be released. */
  readonly warnings: readonly Diagnostic[];
  /** Reads the record again, to see manual actions. */
  refresh(): Promise<void>;
  /** Changes the record atomically. */
  update(change: RecordUpdate): Promise<void>;
  release(): Promise<void>;
}

/** Takes the promotion lock of a stack. Fails with `locked`, naming the holder, while another promotion runs. */
export async function lockRecord(
  stores: Pick<Stores, "companionStore">,
  pipeline: string,
): Promise<LockedRecord> {
  const store = await recordStore(stores);
  const purpose = `promote ${pipeline}`;
  const lock = await (await promotionLockStore(stores)).lock(purpose);
  let record = await releaseOnFailure(lock, () => readRecord(store, pipeline));
  let warnings: readonly Diagnostic[] = [];
  return {
    get record() {
      return record;
    },
    get warnings() {
      return warnings;
    },
    lost: lock.lost,
    refresh: async () => {
      record = await readRecord(store, pipeline);
    },
    update: async (change) => {
      const known = promotionFields(record);
      const { result, unreleased } = await updateRecord(store, { pipeline, purpose }, (now) => {
        if (lock.lost.aborted) throw lock.lost.reason;
        if (!equal(promotionFields(now), known)) throw concurrentRunError(pipeline);
        return change(now);
      });
      record = result;
      warnings = unreleased;
    },
    release: () => lock.release(),
  };
}

/** Returns the fields that only a promotion writes. A run whose lease expired finds them changed. */
function promotionFields({ stages, history }: PipelineRecord): JsonValue {
  const acts = ([name, { rollout, verified }]: [string, StageRecord]) => [name, rollout, verified];
  const done = Object.entries(stages).filter(([, one]) => one.rollout ?? one.verified[0]);
  return JSON.parse(JSON.stringify([done.map(acts), history])) as JsonValue;
}

function concurrentRunError(pipeline: string): Failure {
  return new Failure("locked", `another run has continued ${pipeline} in the meantime`, {
    remedy: "Run the same command again to continue from there.",
  });
}

/** Returns a record that is changed in memory only, for a dry run. */
export async function dryRunRecord(
  stores: Pick<Stores, "companionStore">,
  pipeline: string,
): Promise<LockedRecord> {
  let record = await readRecord(await recordStore(stores), pipeline);
  return {
    get record() {
      return record;
    },
    lost: new AbortController().signal,
    warnings: [],
    refresh: () => Promise.resolve(),
    update: (change) => {
      record = change(record);
      return Promise.resolve();
    },
    release: () => Promise.resolve(),
  };
}
