// Updates the inventory during a run: begins the run, journals before and after each call, and writes it at the end.
import type { Kind } from "../../core/kind/kind.ts";
import type { Fingerprints } from "../../core/spec/fingerprints.ts";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { firstNames } from "../../core/text/first-names.ts";
import type { InventoryLock, JournalRecord } from "../inventory/store.ts";
import { observedFields } from "./adopted-fields.ts";
import { observedObjectOf } from "./observe.ts";
import type {
  Change,
  Entry,
  Inventory,
  LiveState,
  Outcome,
  RunRecord,
  SecretSink,
} from "../model/index.ts";
import { formerAddressesOf, withMovedEntries } from "../model/stack-index.ts";
import { metadataAfter } from "../model/window-subjects.ts";
import { entryFor } from "../inventory/entry.ts";
import { boundedBatches } from "./batches.ts";
import { trimRuns } from "../inventory/journal.ts";
import { RenamableEntries } from "../model/parent-renames.ts";
import { beginRun, endRun, type RunStart } from "./run-record.ts";

/** The inventory operations of a run. */
export interface InventoryUpdater {
  /** The id of the run. */
  readonly runId: string;
  /** Aborts, with the failure as its reason, once a record could not be made durable: no write may follow. */
  readonly unrecorded: AbortSignal;
  /** Returns the current entry at an address. */
  entry(address: string): Entry | undefined;
  /** Drops recorded values that earlier changes will empty; durable before it resolves. */
  invalidate(changes: readonly Change[]): Promise<void>;
  /** Drops the entry of an adopted object of whose change nothing was written. */
  unclaim(address: string): void;
  /** Marks creates as pending; durable before it resolves. */
  beginCreates(changes: readonly Change[]): Promise<void>;
  /** Records that the generated secret is stored, with its fingerprint. */
  secretStored(address: string, fingerprint: string): void;
  /** Records that the change is done. */
  done(change: Change, id: string | undefined): void;
  /** Records the fields that a failed update wrote. */
  partlyDone(change: Change, fields: ReadonlySet<string>): void;
  /** Removes the entry of a deleted or forgotten object. */
  remove(address: string): void;
  /** Restores the entry from before {@link InventoryUpdater.beginCreates}. */
  restore(address: string): void;
  /** Resolves when all records so far are durable. */
  flush(): Promise<void>;
  /**
   * Writes the inventory with the outcomes of the run and everything that the journal could not record; then empties the
   * journal.
   */
  close(outcomes: readonly Outcome[]): Promise<Inventory>;
}

/** Options of {@link openInventoryUpdater}. */
export interface InventoryUpdaterOptions {
  readonly lock: InventoryLock;
  readonly inventory: Inventory;
  /** The changes of the run, with the secrets of the manifests. */
  readonly changes: readonly Change[];
  /** The live state that they were planned from. */
  readonly live: LiveState;
  /** Who makes the run, and what it does. */
  readonly run: Pick<RunStart, "verb" | "author" | "undoOf">;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly origin: string;
  readonly fingerprints: Fingerprints;
  readonly now: () => Date;
  /** The fields whose live values the run keeps, by address: they stay recorded as they were. None if left out. */
  readonly keptFields?: ReadonlyMap<string, ReadonlySet<string>>;
  /** The only fields that the run writes, by address: everything else stays recorded as it was. All if left out. */
  readonly restoredFields?: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Begins a run in an inventory whose lock this process holds: moves entries to their new addresses, and records the
 * adopted objects and the run; durable before it resolves. Fails with `stale`, and records nothing, if another stack owns
 * one of the adopted objects by now.
 */
export async function openInventoryUpdater(
  options: InventoryUpdaterOptions,
): Promise<InventoryUpdater> {
  const begun = await begin(options);
  const context = updaterContext(options, begun);
  const { entries, note, queue } = context;
  return {
    runId: begun.record.id,
    unrecorded: queue.failed,
    entry: (address) => entries.get(address),
    invalidate: async (changes) => {
      for (const change of changes) {
        const entry = entries.get(change.address);
        const doubtful = entry && withoutInvalidated(entry, change);
        if (doubtful !== undefined) note(change.address, doubtful);
      }
      await queue.written();
    },
    unclaim: (address) => {
      const entry = begun.claimed[address];
      if (entry !== undefined && entries.get(address) === entry) note(address, undefined);
    },
    ...createOperations(context),
    done: doneRecorder(context),
    partlyDone: (change, fields) => {
      const entry = entries.get(change.address);
      const written = context.buildEntry(change, change.id);
      if (entry !== undefined && written !== undefined)
        note(change.address, withFieldsOf(written, entry, fields));
    },
    remove: (address) => note(address, undefined),
    flush: () => queue.written(),
    close: async (outcomes) => {
      await queue.ended();
      const { record, inventory } = begun;
      const idOf = (address: string) => entries.get(address)?.id;
      const ended = endRun(record, outcomes, { time: options.now(), idOf });
      return options.lock.write({
        ...inventory,
        origin: options.origin,
        entries: Object.fromEntries(entries),
        runs: trimRuns(inventory.runs, ended),
      });
    },
  };
}

/** An inventory with a run that began. */
interface BegunRun {
  /** With the entries at their new addresses, as it was written. */
  readonly inventory: Inventory;
  /** The entries of the adopted objects, by address. */
  readonly claimed: Readonly<Record<string, Entry>>;
  readonly record: RunRecord;
}

/**
 * Entries that move and claims are written together with the run: the journal could end between two entries that
 * exchange their addresses, the undo of an earlier run finds its objects only by the record of each move, and no claim
 * may outlive a run that failed to begin.
 */
async function begin(options: InventoryUpdaterOptions): Promise<BegunRun> {
  const { lock, changes, origin, run, now, fingerprints } = options;
  const inventory = withMovedEntries(options.inventory, formerAddressesOf(changes));
  const claimed = claimedEntries(changes, { ...options, inventory });
  const hasClaims = Object.keys(claimed).length > 0;
  const start = { ...options, ...run, inventory, fingerprint: fingerprints.of, time: now() };
  const record = beginRun(start);
  if (inventory === options.inventory && !hasClaims) {
    for (const batch of boundedBatches(runRecords(record), (entry) => entry))
      await lock.journal(batch);
    return { inventory, claimed, record };
  }
  const runs = trimRuns(inventory.runs, record);
  const entries = { ...inventory.entries, ...claimed };
  const begun = { ...inventory, origin, entries, runs };
  if (!hasClaims) return { inventory: await lock.write(begun), claimed, record };
  const result = await lock.claim(begun, { entries: claimed });
  if ("owners" in result) throw ownedByOthersError(result.owners);
  return { inventory: result.written, claimed, record };
}

interface UpdaterContext extends InventoryUpdaterOptions {
  /** The current entries by address. */
  readonly entries: RenamableEntries;
  readonly buildEntry: ReturnType<typeof entryBuilder>;
  readonly queue: ReturnType<typeof journalQueue>;
  /** Replaces or drops the entry at an address and queues its record. */
  readonly note: (address: string, entry: Entry | undefined) => void;
}

function updaterContext(
  options: InventoryUpdaterOptions,
  { inventory, claimed }: BegunRun,
): UpdaterContext {
  const begun = { ...inventory.entries, ...claimed };
  const entries = new RenamableEntries(Object.entries(begun), options.kinds);
  const queue = journalQueue(options.lock);
  const note = (address: string, entry: Entry | undefined): void => {
    if (entry === undefined) entries.delete(address);
    else entries.set(address, entry);
    queue.add({ phase: "done", address, entry });
  };
  return { ...options, entries, buildEntry: entryBuilder(options), queue, note };
}

/** True for a change that makes an existing object the stack's; an adoption can need a replacement. */
export function isAdoption(
  { action, address, id }: Change,
  entries: Inventory["entries"],
): boolean {
  const isUnowned = !Object.hasOwn(entries, address);
  return action === "adopt" || (action === "replace" && isUnowned && id !== undefined);
}

/** Returns the entries of the adopted objects before their first update: the declared members with their live values. */
function claimedEntries(
  changes: readonly Change[],
  options: InventoryUpdaterOptions,
): Inventory["entries"] {
  const { live, kinds, inventory } = options;
  const buildEntry = entryBuilder(options);
  const claimed = changes.flatMap((change): (readonly [string, Entry])[] => {
    const kind = kinds.get(change.kind);
    if (kind === undefined || !isAdoption(change, inventory.entries)) return [];
    const observed = observedObjectOf(kind, change, live);
    if (observed === undefined) return [];
    const desired = observedFields(kind, change, observed.spec);
    const entry = buildEntry({ ...change, desired }, observed.id);
    return entry === undefined ? [] : [[change.address, entry]];
  });
  return Object.fromEntries(claimed);
}

/** Returns the operations on objects that the run creates. */
function createOperations({
  entries,
  buildEntry,
  queue,
  note,
}: UpdaterContext): Pick<InventoryUpdater, "beginCreates" | "secretStored" | "restore"> {
  const before = new Map<string, Entry | undefined>();
  return {
    beginCreates: async (changes) => {
      const records = changes.flatMap((change) => pendingRecord(change, buildEntry) ?? []);
      for (const record of records) queue.add(record);
      await queue.written();
      for (const { address, entry } of records) {
        before.set(address, entries.get(address));
        entries.set(address, entry);
      }
    },
    secretStored: (address, fingerprint) => {
      const entry = entries.get(address);
      if (entry?.secretTo !== undefined)
        note(address, { ...entry, secretTo: { ...entry.secretTo, fingerprint } });
      // Otherwise the next run would replace the object, as if its secret was lost.
      void queue.written();
    },
    restore: (address) => note(address, before.get(address)),
  };
}

/** Returns the operation that records a done change, also in the entries under a renamed parent. */
function doneRecorder({
  entries,
  buildEntry,
  note,
  keptFields,
  restoredFields,
}: UpdaterContext): InventoryUpdater["done"] {
  const recorded = byId(entries.values());
  /** The sink in the plan or, for a secret generated in this run, in the entry. */
  const sinkOf = ({ address, secretTo }: Change): SecretSink | undefined =>
    secretTo?.fingerprint === undefined ? secretTo && entries.get(address)?.secretTo : secretTo;
  return (change, id) => {
    const was = id === undefined ? undefined : recorded.get(`${change.kind} ${id}`);
    const before = was ?? entries.get(change.address);
    const written = buildEntry(change, id, sinkOf(change));
    const is =
      written && before
        ? mergedEntry(before, written, {
            kept: keptFields?.get(change.address),
            restored: restoredFields?.get(change.address),
          })
        : written;
    note(change.address, is);
    if (is === undefined || was === undefined || was.key === is.key) return;
    recorded.set(`${change.kind} ${id}`, is);
    // Otherwise a run that stops here would leave entries under the old parent name.
    for (const [entryAddress, entry] of entries.rename({ before: was, after: is })) {
      note(entryAddress, entry);
      // A later rename of this object starts from its key below the new name.
      recorded.set(`${entry.kind} ${entry.id}`, entry);
    }
  };
}

/** One record for the run and one a change, so that no record grows with the run. */
function runRecords({ changes = [], ...run }: RunRecord): readonly JournalRecord[] {
  return [
    { phase: "run", run: { ...run, changes: [] } },
    ...changes.map((change): JournalRecord => ({ phase: "run-change", run: run.id, change })),
  ];
}

function byId(entries: Iterable<Entry>): Map<string, Entry> {
  return new Map([...entries].map((entry) => [`${entry.kind} ${entry.id}`, entry]));
}

function pendingRecord(
  change: Change,
  buildEntry: ReturnType<typeof entryBuilder>,
): Extract<JournalRecord, { phase: "pending" }> | undefined {
  const entry = buildEntry(change, undefined, change.secretTo);
  if (entry === undefined) return undefined;
  return { phase: "pending", address: change.address, entry: { ...entry, pending: true } };
}

function ownedByOthersError(owners: ReadonlyMap<string, string>): Failure {
  const list = firstNames([...owners].map(([address, stack]) => `${address} (stack ${stack})`));
  return new Failure("stale", `other stacks own objects that the plan adopts: ${list}`, {
    details: { owners: Object.fromEntries([...owners].slice(0, limits.placesNamed)) },
    remedy: "Nothing was written; declare each object in one stack only and plan again.",
  });
}

/** Drops the values that the change empties: an unrecorded value is unknown, so that the next plan writes it. */
function withoutInvalidated(entry: Entry, { fields }: Change): Entry | undefined {
  const lost = new Set(
    fields.flatMap(({ reason, field }) => (reason === "reference-replaced" ? field : [])),
  );
  if (lost.size === 0) return undefined;
  return { ...entry, ...recordedOf(entry, (field) => !lost.has(field)) };
}

/** Returns the entry after a change that writes a part of an object. */
function mergedEntry(
  before: Entry,
  written: Entry,
  {
    kept = new Set(),
    restored,
  }: Readonly<Record<"kept" | "restored", ReadonlySet<string> | undefined>>,
): Entry {
  if (restored === undefined) return withFieldsOf(before, written, kept);
  const { id, key, scope, pending, appliedAt } = written;
  const fields = new Set([...restored].filter((field) => !kept.has(field)));
  return { ...withFieldsOf(written, before, fields), id, key, scope, pending, appliedAt };
}

/** Returns an entry with the recorded values of these fields of another one. */
function withFieldsOf(from: Entry, to: Entry, fields: ReadonlySet<string>): Entry {
  const recorded = recordedOf(to, (field) => !fields.has(field));
  const kept = recordedOf(from, (field) => fields.has(field));
  return {
    ...to,
    lastApplied: { ...recorded.lastApplied, ...kept.lastApplied },
    fingerprints: { ...recorded.fingerprints, ...kept.fingerprints },
  };
}

/** Returns the recorded values and fingerprints of some fields of an entry. */
function recordedOf(
  { lastApplied, fingerprints }: Entry,
  isWanted: (field: string) => boolean,
): Pick<Entry, "lastApplied" | "fingerprints"> {
  const some = <T>(members: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(members).filter(([name]) => isWanted(name.split("/")[0] ?? name)),
    );
  return { lastApplied: some(lastApplied), fingerprints: some(fingerprints) };
}

/**
 * Queues journal records, and writes them together: when someone waits for them, and when many wait. Those that arrive
 * during a write share the next one. No record follows one that could not be written.
 */
function journalQueue(lock: InventoryLock) {
  const waiting: JournalRecord[] = [];
  const failing = new AbortController();
  let flushing: Promise<void> = Promise.resolve();
  let isScheduled = false;
  const flush = async (): Promise<void> => {
    isScheduled = false;
    const records = waiting.splice(0);
    if (records.length > 0) await lock.journal(records);
  };
  const written = (): Promise<void> => {
    if (isScheduled) return flushing;
    isScheduled = true;
    flushing = flushing.then(flush);
    flushing.catch((error: unknown) => failing.abort(error));
    return flushing;
  };
  return {
    add(record: JournalRecord): void {
      waiting.push(record);
      if (waiting.length >= limits.journalDelayRecords) void written();
    },
    failed: failing.signal,
    /** Resolves when all queued records are durable; rejects if they could not be written. */
    written,
    /** Resolves when no write is in progress. What waits is dropped. */
    ended: () => flushing.catch(() => undefined),
  };
}

/** Builds the entry of a change; undefined if the change has no desired object. */
function entryBuilder({ kinds, fingerprints, now }: InventoryUpdaterOptions) {
  const time = sharedTimes(now);
  return (change: Change, id: string | undefined, secretTo?: SecretSink): Entry | undefined => {
    const kind = kinds.get(change.kind);
    if (kind === undefined || change.desired === undefined) return undefined;
    const { name, desired: spec, lifecycle } = change;
    const kept = { secretTo, lifecycle, metadata: metadataAfter(change), appliedAt: time() };
    return entryFor({ kind, name, spec, id, fingerprints, pending: false, ...kept });
  };
}

/**
 * Returns the time as text: the same one for all entries of a millisecond, because a run keeps the times of many
 * objects.
 */
function sharedTimes(now: () => Date): () => string {
  let last = "";
  return () => {
    const text = now().toISOString();
    if (text !== last) last = text;
    return last;
  };
}
