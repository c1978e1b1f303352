// Builds rollups in the background when a query could use them, a few concurrently, and finds those that are built.
import { isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { secretHash } from "../security/secret-hash.ts";
import { openRollupStore, type RollupStore, type StoredRollup } from "./rollup-store.ts";

/** A rollup that a query could use. */
export interface WantedRollup {
  /** Identifies the rollup and its tables. */
  readonly key: string;
  /** The state of the data. Rows of another state are not used. */
  readonly state: string;
  /** Whose build it is: one at a time. */
  readonly group: string;
  /** Writes its rows to a new file. */
  readonly build: (file: string, signal: AbortSignal) => Promise<void>;
  /** Called when its build fails. */
  readonly onFailure: (reason: string) => void;
}

/** The rollups of a server. */
export interface Rollups {
  /** Returns the rows; undefined until they are built, which starts if a build may run now. */
  find(wanted: WantedRollup): StoredRollup | undefined;
  /** Removes rows that cannot be read. They are built again. */
  remove(wanted: Pick<WantedRollup, "key">): void;
  /** Stops builds. */
  close(): Promise<void>;
}

/** Options of rollups. */
export interface RollupOptions {
  /** The folder of their files; undefined for one that exists as long as the server. */
  readonly folder: string | undefined;
  /** Megabytes of all files; 0 to build none. */
  readonly megabytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Failed builds that are remembered. */
const failuresMax = 1000;

/** Opens the rollups of a server. */
export function openRollups({ folder, megabytes, now }: RollupOptions): Rollups {
  let opened: RollupStore | undefined;
  // On first use: another server can hold the folder when this one starts.
  const store = () =>
    (opened ??= openRollupStore({ folder, maxBytes: megabytes * 1024 * 1024, now }));
  /** The builds that run, by group. */
  const building = new Map<string, Promise<void>>();
  /** When builds failed, by key. */
  const failed = new Map<string, number>();
  const stopping = new AbortController();
  const run = async (key: string, { state, build, onFailure }: WantedRollup) => {
    const version = { key, state: secretHash(state), builtAt: now() };
    try {
      await store().add(version, (file) => build(file, stopping.signal));
      failed.delete(key);
    } catch (error) {
      if (stopping.signal.aborted) return;
      failed.delete(key);
      failed.set(key, now());
      const [oldest] = failed.keys();
      if (failed.size > failuresMax && oldest !== undefined) failed.delete(oldest);
      onFailure(isFailure(error) ? error.message : "an internal error");
    }
  };
  const start = (key: string, wanted: WantedRollup) => {
    const { group } = wanted;
    const isFull = building.has(group) || building.size >= limits.rollupsBuilding;
    const isFailed = (failed.get(key) ?? -Infinity) + limits.rollupRetryMs > now();
    // A query that comes later asks again.
    if (isFull || isFailed || stopping.signal.aborted) return;
    building.set(
      group,
      run(key, wanted).finally(() => building.delete(group)),
    );
  };
  return {
    find(wanted) {
      if (megabytes === 0) return undefined;
      const key = secretHash(wanted.key);
      const stored = store().find(key);
      if (stored?.state === secretHash(wanted.state)) return stored;
      start(key, wanted);
      return undefined;
    },
    remove: ({ key }) => store().remove(secretHash(key)),
    async close() {
      stopping.abort();
      await Promise.all(building.values());
      opened?.close();
    },
  };
}
