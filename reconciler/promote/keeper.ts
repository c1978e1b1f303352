// Where the record of a pipeline is kept: an inventory of its own beside the stack's, with a lock that one promotion holds to its end.
import type { Stores } from "../inventory/open.ts";
import type { InventoryStore } from "../inventory/store.ts";
import { parseRecord, type PipelineRecord } from "./record.ts";

/** No name of a stack holds this character, so no stack's own inventory is met. */
export const mark = "@promotions";

/** The store of the records of a stack's pipelines. */
export function recordStore({ beside }: Pick<Stores, "beside">): Promise<InventoryStore> {
  return beside(mark);
}

/** The record of a pipeline as it was written last. */
export async function readRecord(store: InventoryStore, pipeline: string): Promise<PipelineRecord> {
  const { pipelines = {} } = await store.read();
  return parseRecord(
    Object.hasOwn(pipelines, pipeline) ? pipelines[pipeline] : undefined,
    pipeline,
  );
}

/** A record that this process alone may change until it is released. */
export interface HeldRecord {
  readonly record: PipelineRecord;
  /** Aborted when the lock is lost. */
  readonly lost: AbortSignal;
  /** Writes it whole, or after a crash not at all. */
  write(record: PipelineRecord): Promise<void>;
  release(): Promise<void>;
}

/** Takes the lock of a stack's pipelines. Fails with `locked` while somebody else promotes. */
export async function holdRecord(
  store: InventoryStore,
  pipeline: string,
  purpose: string,
): Promise<HeldRecord> {
  const lock = await store.lock(purpose);
  try {
    let inventory = await store.read();
    let record = await readRecord(store, pipeline);
    return {
      get record() {
        return record;
      },
      lost: lock.lost,
      write: async (next) => {
        inventory = await lock.write({
          ...inventory,
          pipelines: { ...inventory.pipelines, [pipeline]: next },
        });
        record = next;
      },
      release: () => lock.release(),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** A record that is changed in memory only, to see what would become of it. */
export async function dryRecord(store: InventoryStore, pipeline: string): Promise<HeldRecord> {
  let record = await readRecord(store, pipeline);
  return {
    get record() {
      return record;
    },
    lost: new AbortController().signal,
    write: (next) => {
      record = next;
      return Promise.resolve();
    },
    release: () => Promise.resolve(),
  };
}
