// The inventory while it changes: every step journalled before and after its call, written whole at the end.
import type { Kind } from "../../core/kind.ts";
import type { Fingerprints } from "../../core/fingerprints.ts";
import type { InventoryLock, JournalRecord } from "../inventory/store.ts";
import type { Change, Entry, Inventory, RunRecord, SecretSink } from "../model/index.ts";
import { metadataAfter } from "../model/windows/window-subjects.ts";
import { entryFor } from "../inventory/entry.ts";
import { boundedBatches } from "./batches.ts";
import { trimRuns } from "./run-record.ts";
import { entriesRenamedWith } from "./parent-renames.ts";

/** What a run does to the inventory. */
export interface InventoryUpdater {
  /** The entry at an address, as of now. */
  entry(address: string): Entry | undefined;
  /** Forgets what fields hold that changes before theirs are going to empty, until they are written again; on disk before it resolves. */
  invalidate(changes: readonly Change[]): Promise<void>;
  /** Marks creates as begun; on disk before it resolves. */
  beginCreates(changes: readonly Change[]): Promise<void>;
  /** The secret that a create was given is on disk, under this mark. */
  secretStored(address: string, mark: string): void;
  /** The object of `change` is as wished. */
  done(change: Change, id: string | undefined): void;
  /** The object is gone, or is no longer ours to keep track of. */
  remove(address: string): void;
  /** Puts back what the entry was before {@link InventoryUpdater.beginCreates}. */
  restore(address: string): void;
  /** Everything told so far is on disk when it resolves. */
  flush(): Promise<void>;
  /** Notes that a run begins; on disk before it resolves. */
  beginRun(run: RunRecord): Promise<void>;
  /** Writes the inventory whole, with the run that ends where there is one, and empties the journal. */
  close(run?: RunRecord): Promise<Inventory>;
}

/** How a ledger is opened. */
export interface InventoryUpdaterOptions {
  readonly lock: InventoryLock;
  readonly inventory: Inventory;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly origin: string;
  readonly fingerprints: Fingerprints;
  readonly now: () => Date;
}

/** A ledger over an inventory that this process holds the lock of. */
export function openInventoryUpdater(parts: InventoryUpdaterOptions): InventoryUpdater {
  const { lock, inventory, origin, kinds } = parts;
  const entries = new Map(Object.entries(inventory.entries));
  const known = byId(entries.values());
  const before = new Map<string, Entry | undefined>();
  const made = entryBuilder(parts);
  const queue = journalQueue(lock);
  /** What the plan knows of the secret or, where that was minted since, what we know. */
  const sinkOf = ({ address, secretTo }: Change): SecretSink | undefined =>
    secretTo?.mark === undefined ? secretTo && entries.get(address)?.sink : secretTo;
  const note = (address: string, entry: Entry | undefined): void => {
    if (entry === undefined) entries.delete(address);
    else entries.set(address, entry);
    queue.add({ phase: "done", address, entry });
  };

  return {
    entry: (address) => entries.get(address),
    invalidate: async (changes) => {
      for (const change of changes) {
        const entry = entries.get(change.address);
        const doubtful = entry && withoutInvalidated(entry, change);
        if (doubtful !== undefined) note(change.address, doubtful);
      }
      await queue.written();
    },
    beginCreates: async (changes) => {
      const records = changes.flatMap((change) => pendingRecord(change, made) ?? []);
      await queue.written();
      await lock.journal(records);
      for (const { address, entry } of records) {
        before.set(address, entries.get(address));
        entries.set(address, entry);
      }
    },
    secretStored: (address, mark) => {
      const entry = entries.get(address);
      if (entry?.sink !== undefined) note(address, { ...entry, sink: { ...entry.sink, mark } });
    },
    done: (change, id) => {
      const is = made(change, id, sinkOf(change));
      const was = id === undefined ? undefined : known.get(`${change.kind} ${id}`);
      note(change.address, is);
      if (is === undefined || was === undefined || was.key === is.key) return;
      known.set(`${change.kind} ${id}`, is);
      // Else a run that ends here would leave what is in it recorded under a name that nothing has any more.
      for (const [at, entry] of entriesRenamedWith(entries, kinds, { before: was, after: is }))
        note(at, entry);
    },
    remove: (address) => note(address, undefined),
    restore: (address) => note(address, before.get(address)),
    flush: () => queue.written(),
    beginRun: async (run) => {
      const batches = boundedBatches(runRecords(run), (record) => record);
      for (const batch of batches) await lock.journal(batch);
    },
    close: async (run) => {
      await queue.written();
      const now = { ...inventory, origin, entries: Object.fromEntries(entries) };
      return lock.write(withEndedRun(now, run));
    },
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
  made: ReturnType<typeof entryBuilder>,
): Extract<JournalRecord, { phase: "pending" }> | undefined {
  const entry = made(change, undefined, change.secretTo);
  if (entry === undefined) return undefined;
  return { phase: "pending", address: change.address, entry: { ...entry, pending: true } };
}

/** Without what is lost: what is not recorded is unknown, so that the next plan writes it where it cannot be read. */
function withoutInvalidated(entry: Entry, { fields }: Change): Entry | undefined {
  const lost = new Set(fields.flatMap(({ reason, field }) => (reason === "reference-replaced" ? field : [])));
  if (lost.size === 0) return undefined;
  const left = <T>(members: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(members).filter(([name]) => !lost.has(name.split("/")[0] ?? name)),
    );
  const { lastApplied, fingerprints } = entry;
  return { ...entry, lastApplied: left(lastApplied), fingerprints: left(fingerprints) };
}

/** Records on their way to the journal: those that come while a write is under way share the next one. */
function journalQueue(lock: InventoryLock) {
  const waiting: JournalRecord[] = [];
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
      flushing.catch(() => undefined);
    },
    /** Resolves when all that was added so far is on disk; fails where it could not be written. */
    written: () => flushing,
  };
}

/** What the inventory is to say of the object of a change; undefined where the change wishes for none. */
function entryBuilder({ kinds, fingerprints, now }: InventoryUpdaterOptions) {
  return (change: Change, id: string | undefined, sink?: SecretSink): Entry | undefined => {
    const kind = kinds.get(change.kind);
    if (kind === undefined || change.desired === undefined) return undefined;
    const { name, desired: spec, guards } = change;
    const historicalNames = metadataAfter(change);
    const kept = { sink, guards, historicalNames, at: now().toISOString() };
    return entryFor({ kind, name, spec, id, fingerprints, pending: false, ...kept });
  };
}
