// Updates the inventory during a run: journals before and after each call, and writes it at the end.
import type { Kind } from "../../core/kind/kind.ts";
import type { Fingerprints } from "../../core/spec/fingerprints.ts";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { firstNames } from "../../core/text/first-names.ts";
import type { ClaimRecord, InventoryLock, JournalRecord } from "../inventory/store.ts";
import { observedFields } from "./adopted-fields.ts";
import { observedObjectOf } from "./observe.ts";
import type { Change, Entry, Inventory, LiveState, RunRecord, SecretSink } from "../model/index.ts";
import { metadataAfter } from "../model/window-subjects.ts";
import { entryFor } from "../inventory/entry.ts";
import { boundedBatches } from "./batches.ts";
import { trimRuns } from "../inventory/journal.ts";
import { RenamableEntries } from "../model/parent-renames.ts";

/** The inventory operations of a run. */
export interface InventoryUpdater {
  /** Aborts, with the failure as its reason, once a record could not be made durable: no write may follow. */
  readonly unrecorded: AbortSignal;
  /** Returns the current entry at an address. */
  entry(address: string): Entry | undefined;
  /** Drops recorded values that earlier changes will empty; durable before it resolves. */
  invalidate(changes: readonly Change[]): Promise<void>;
  /**
   * Records the existing objects of these changes as owned by the stack. Fails with `stale`, and records none, if another
   * stack owns one of them by now.
   */
  claim(changes: Iterable<Change>, live: LiveState): Promise<void>;
  /** Drops the entry of a claimed object of whose change nothing was written. */
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
  /** Records the start of a run; durable before it resolves. */
  beginRun(run: RunRecord): Promise<void>;
  /**
   * Writes the inventory with the ended run, if any, and everything that the journal could not record; then empties the
   * journal.
   */
  close(run?: RunRecord): Promise<Inventory>;
}

/** Options of {@link openInventoryUpdater}. */
export interface InventoryUpdaterOptions {
  readonly lock: InventoryLock;
  readonly inventory: Inventory;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly origin: string;
  readonly fingerprints: Fingerprints;
  readonly now: () => Date;
  /** The fields whose live values the run keeps, by address: they stay recorded as they were. None if left out. */
  readonly keptFields?: ReadonlyMap<string, ReadonlySet<string>>;
  /** The only fields that the run writes, by address: everything else stays recorded as it was. All if left out. */
  readonly restoredFields?: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Opens an updater for an inventory whose lock this process holds. */
export function openInventoryUpdater(parts: InventoryUpdaterOptions): InventoryUpdater {
  const { lock, inventory, origin } = parts;
  const context = updaterContext(parts);
  const { entries, note, queue } = context;
  return {
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
    ...claimOperations(context),
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
    beginRun: async (run) => {
      const batches = boundedBatches(runRecords(run), (record) => record);
      for (const batch of batches) await lock.journal(batch);
    },
    close: async (run) => {
      await queue.ended();
      const now = { ...inventory, origin, entries: Object.fromEntries(entries) };
      return lock.write(withEndedRun(now, run));
    },
  };
}

interface UpdaterContext extends InventoryUpdaterOptions {
  /** The current entries by address. */
  readonly entries: RenamableEntries;
  readonly buildEntry: ReturnType<typeof entryBuilder>;
  readonly queue: ReturnType<typeof journalQueue>;
  /** Replaces or drops the entry at an address and queues its record. */
  readonly note: (address: string, entry: Entry | undefined) => void;
}

function updaterContext(parts: InventoryUpdaterOptions): UpdaterContext {
  const entries = new RenamableEntries(Object.entries(parts.inventory.entries), parts.kinds);
  const queue = journalQueue(parts.lock);
  const note = (address: string, entry: Entry | undefined): void => {
    if (entry === undefined) entries.delete(address);
    else entries.set(address, entry);
    queue.add({ phase: "done", address, entry });
  };
  return { ...parts, entries, buildEntry: entryBuilder(parts), queue, note };
}

/** Returns the operations on objects that the stack adopts. */
function claimOperations({
  lock,
  origin,
  kinds,
  entries,
  buildEntry,
  queue,
  note,
}: UpdaterContext): Pick<InventoryUpdater, "claim" | "unclaim"> {
  const claimed = new Map<string, Entry>();
  return {
    claim: async (changes, live) => {
      const claims: ClaimRecord[] = [];
      for (const change of changes) {
        const claim = claimRecord(change, { live, kinds, buildEntry });
        if (claim !== undefined) claims.push(claim);
      }
      if (claims.length === 0) return;
      await queue.written();
      const owners = await lock.claim(origin, claims);
      if (owners.size > 0) throw ownedByOthersError(owners);
      for (const { address, entry } of claims) {
        claimed.set(address, entry);
        entries.set(address, entry);
      }
    },
    unclaim: (address) => {
      const entry = claimed.get(address);
      if (entry !== undefined && entries.get(address) === entry) note(address, undefined);
    },
  };
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
  const known = byId(entries.values());
  /** The sink in the plan or, for a secret generated in this run, in the entry. */
  const sinkOf = ({ address, secretTo }: Change): SecretSink | undefined =>
    secretTo?.fingerprint === undefined ? secretTo && entries.get(address)?.secretTo : secretTo;
  return (change, id) => {
    const was = id === undefined ? undefined : known.get(`${change.kind} ${id}`);
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
    known.set(`${change.kind} ${id}`, is);
    // Otherwise a run that stops here would leave entries under the old parent name.
    for (const [at, entry] of entries.rename({ before: was, after: is })) {
      note(at, entry);
      // A later rename of this object starts from its key below the new name.
      known.set(`${entry.kind} ${entry.id}`, entry);
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

function withEndedRun(now: Inventory, run: RunRecord | undefined): Inventory {
  return run === undefined ? now : { ...now, runs: trimRuns(now.runs, run) };
}

function pendingRecord(
  change: Change,
  buildEntry: ReturnType<typeof entryBuilder>,
): Extract<JournalRecord, { phase: "pending" }> | undefined {
  const entry = buildEntry(change, undefined, change.secretTo);
  if (entry === undefined) return undefined;
  return { phase: "pending", address: change.address, entry: { ...entry, pending: true } };
}

interface ClaimContext {
  readonly live: LiveState;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly buildEntry: ReturnType<typeof entryBuilder>;
}

/** The entry of an object before its first update: the declared members with their live values. */
function claimRecord(
  change: Change,
  { live, kinds, buildEntry }: ClaimContext,
): ClaimRecord | undefined {
  const kind = kinds.get(change.kind);
  const observed = kind && observedObjectOf(kind, change, live);
  if (kind === undefined || observed === undefined) return undefined;
  const desired = observedFields(kind, change, observed.spec);
  const entry = buildEntry({ ...change, desired }, observed.id);
  return entry && { phase: "done", address: change.address, entry };
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
  const own = recordedOf(to, (field) => !fields.has(field));
  const kept = recordedOf(from, (field) => fields.has(field));
  return {
    ...to,
    lastApplied: { ...own.lastApplied, ...kept.lastApplied },
    fingerprints: { ...own.fingerprints, ...kept.fingerprints },
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

/** Queues journal records: those that arrive during a write share the next one. No record follows one that could not be written. */
function journalQueue(lock: InventoryLock) {
  const waiting: JournalRecord[] = [];
  const failing = new AbortController();
  let flushing: Promise<void> = Promise.resolve();
  let scheduled = false;
  const flush = async (): Promise<void> => {
    scheduled = false;
    const records = waiting.splice(0);
    if (records.length > 0) await lock.journal(records);
  };
  return {
    add(record: JournalRecord): void {
      waiting.push(record);
      if (scheduled) return;
      scheduled = true;
      flushing = flushing.then(flush);
      flushing.catch((error: unknown) => failing.abort(error));
    },
    failed: failing.signal,
    /** Resolves when all queued records are durable; rejects if they could not be written. */
    written: () => flushing,
    /** Resolves when no write is in progress. */
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
    const historicalNames = metadataAfter(change);
    const kept = { secretTo, lifecycle, historicalNames, at: time() };
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
