// Where the record of a pipeline is kept, an inventory of its own beside the stack's, and the two locks: one that a promotion
// holds to its end, so that no two act, and one for the moment of writing, so that people can have their say meanwhile.
import { setTimeout as pause } from "node:timers/promises";
import { Failure, isFailure } from "../core/errors.ts";
import { equal, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import type { Stores } from "../reconciler/inventory/open-stores.ts";
import type { InventoryLock, InventoryStore } from "../reconciler/inventory/store.ts";
import { parseRecord, type PipelineRecord, type StageRecord } from "./record.ts";

/** No name of a stack holds these characters, so no stack's own inventory is met. */
export const storeSuffixes = { record: "@promotions", running: "@promoting" } as const;

/** The store of the records of a stack's pipelines. */
export function recordStore({
  companionStore: beside,
}: Pick<Stores, "companionStore">): Promise<InventoryStore> {
  return beside(storeSuffixes.record);
}

/** What holds nothing but the lock of whoever promotes. */
export function promotionLockStore({
  companionStore: beside,
}: Pick<Stores, "companionStore">): Promise<InventoryStore> {
  return beside(storeSuffixes.running);
}

/** The record of a pipeline as it was written last. */
export async function readRecord(store: InventoryStore, pipeline: string): Promise<PipelineRecord> {
  const { pipelines = {} } = await store.read();
  return parseRecord(
    Object.hasOwn(pipelines, pipeline) ? pipelines[pipeline] : undefined,
    pipeline,
  );
}

/** One step of a record, made from what it says at that moment. */
export type RecordUpdate = (now: PipelineRecord) => PipelineRecord;

/**
 * Changes the record of a pipeline in one step, and answers what it says then; whoever else writes it is waited for. Fails
 * with `locked`, naming them, where that takes longer than a write ever does.
 */
export async function updateRecord(
  store: InventoryStore,
  { pipeline, purpose }: { readonly pipeline: string; readonly purpose: string },
  change: RecordUpdate,
): Promise<PipelineRecord> {
  const lock = await lockWithRetry(store, purpose);
  try {
    const next = change(await readRecord(store, pipeline));
    const inventory = await store.read();
    await lock.write({ ...inventory, pipelines: { ...inventory.pipelines, [pipeline]: next } });
    return next;
  } finally {
    await lock.release();
  }
}

async function lockWithRetry(store: InventoryStore, purpose: string): Promise<InventoryLock> {
  const end = Date.now() + limits.recordWaitMs;
  for (;;) {
    try {
      return await store.lock(purpose);
    } catch (error) {
      if (!isFailure(error, "locked") || Date.now() >= end) throw error;
      await pause(Math.random() * limits.recordPauseMs);
    }
  }
}

/** A record of which a promotion does what it does; others may put their words into it meanwhile. */
export interface LockedRecord {
  /** As it was seen last. */
  readonly record: PipelineRecord;
  /** Aborted when the right to promote is lost. */
  readonly lost: AbortSignal;
  /** Sees what others have said meanwhile. */
  refresh(): Promise<void>;
  /** Writes it whole, or after a crash not at all. */
  update(change: RecordUpdate): Promise<void>;
  release(): Promise<void>;
}

/** Takes the right to promote a stack's pipelines. Fails with `locked`, naming who, while somebody else promotes. */
export async function lockRecord(
  stores: Pick<Stores, "companionStore">,
  pipeline: string,
): Promise<LockedRecord> {
  const store = await recordStore(stores);
  const purpose = `promote ${pipeline}`;
  const lock = await (await promotionLockStore(stores)).lock(purpose);
  try {
    let record = await readRecord(store, pipeline);
    return {
      get record() {
        return record;
      },
      lost: lock.lost,
      refresh: async () => {
        record = await readRecord(store, pipeline);
      },
      update: async (change) => {
        const known = promotionFields(record);
        record = await updateRecord(store, { pipeline, purpose }, (now) => {
          if (lock.lost.aborted) throw lock.lost.reason;
          if (!equal(promotionFields(now), known)) throw concurrentRunError(pipeline);
          return change(now);
        });
      },
      release: () => lock.release(),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** What nobody but a promotion writes: whoever slept through the end of their lease finds it changed. */
function promotionFields({ stages, history }: PipelineRecord): JsonValue {
  const acts = ([name, { rollout, verified }]: [string, StageRecord]) => [name, rollout, verified];
  const done = Object.entries(stages).filter(([, one]) => one.rollout ?? one.verified[0]);
  return JSON.parse(JSON.stringify([done.map(acts), history])) as JsonValue;
}

function concurrentRunError(pipeline: string): Failure {
  return new Failure("locked", `another run has gone on with ${pipeline} meanwhile`, {
    remedy: "promote again: it goes on from there",
  });
}

/** A record that is changed in memory only, to see what would become of it. */
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
    refresh: () => Promise.resolve(),
    update: (change) => {
      record = change(record);
      return Promise.resolve();
    },
    release: () => Promise.resolve(),
  };
}
