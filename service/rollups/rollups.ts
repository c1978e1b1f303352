// Builds rollups in the background when a query could use them, a few concurrently, and finds those that are built.
import { isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { secretHash } from "../security/secret-hash.ts";
import { openRollupStore, type RollupStore, type StoredRollup } from "./rollup-store.ts";

/** A rollup that a query could use. */
export interface WantedRollup {
  /** Identifies the rollup and its tables. */
  readonly key: string;
  /** The state of the data; undefined while it is not known. */
  readonly state: string | undefined;
  /** Rows of other states that are built since then are used until there are newer ones. In milliseconds since 1970. */
  readonly usableSince: number;
  /** `cube.name`. */
  readonly id: string;
  /** Whose build it is: one at a time. */
  readonly group: string;
  /** Writes its rows to a new file, possibly with some of the previous ones. */
  readonly build: (
    file: string,
    signal: AbortSignal,
    previous: StoredRollup | undefined,
  ) => Promise<void>;
  /** Called when its build fails. */
  readonly onFailure: (reason: string) => void;
}

/** A rollup of known data. */
type KnownRollup = WantedRollup & { readonly state: string };

/** A build that did not end. */
interface FailedBuild extends Pick<WantedRollup, "id" | "group"> {
  /** Undefined for one that waits for another server. */
  readonly reason: string | undefined;
  /** When it may start again, in milliseconds since 1970. */
  readonly until: number;
}

/** The rollups of a server. */
export interface Rollups {
  /** Returns the rows; undefined until they are built, which starts if a build may run now. */
  find(wanted: WantedRollup): StoredRollup | undefined;
  /** Records that the state of the data cannot be read. */
  fail(wanted: WantedRollup, error: unknown): void;
  /** Returns why the last builds of a group failed, by the rollup's `cube.name`. */
  failures(group: string): ReadonlyMap<string, string>;
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
  /** The last builds that failed, by key. */
  const failed = new Map<string, FailedBuild>();
  const stopping = new AbortController();
  const run = async (key: string, wanted: KnownRollup) => {
    const { state, build } = wanted;
    const version = { key, state: secretHash(state), builtAt: now() };
    try {
      const previous = store().find(key);
      await store().add(version, (file) => build(file, stopping.signal, previous));
      failed.delete(key);
    } catch (error) {
      if (stopping.signal.aborted) return;
      // Another server builds the same, and this one afterwards.
      if (isFailure(error, "locked")) pause(key, wanted, limits.rollupRefreshMs);
      else fail(key, wanted, error);
    }
  };
  const isFailed = (key: string) => (failed.get(key)?.until ?? -Infinity) > now();
  const pause = (key: string, { id, group }: WantedRollup, ms: number, reason?: string) => {
    failed.delete(key);
    failed.set(key, { id, group, reason, until: now() + ms });
    const [oldest] = failed.keys();
    if (failed.size > failuresMax && oldest !== undefined) failed.delete(oldest);
  };
  const fail = (key: string, wanted: WantedRollup, error: unknown) => {
    if (isFailed(key)) return;
    const reason = isFailure(error) ? error.message : "an internal error";
    const isPassing = isFailure(error, "unavailable");
    pause(key, wanted, isPassing ? limits.rollupRefreshMs : limits.rollupRetryMs, reason);
    wanted.onFailure(reason);
  };
  const start = (key: string, wanted: KnownRollup) => {
    const { group } = wanted;
    const isFull = building.has(group) || building.size >= limits.rollupsBuilding;
    // A query that comes later asks again.
    if (isFull || isFailed(key) || stopping.signal.aborted) return;
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
      const { state, usableSince } = wanted;
      if (state !== undefined) {
        if (stored?.state === secretHash(state)) return stored;
        start(key, { ...wanted, state });
      }
      return stored && stored.builtAt >= usableSince ? stored : undefined;
    },
    fail: (wanted, error) => fail(secretHash(wanted.key), wanted, error),
    failures: (group) =>
      new Map(
        [...failed.values()].flatMap((one) =>
          one.group === group && one.reason !== undefined ? [[one.id, one.reason]] : [],
        ),
      ),
    remove: ({ key }) => store().remove(secretHash(key)),
    async close() {
      stopping.abort();
      await Promise.all(building.values());
      opened?.close();
    },
  };
}
