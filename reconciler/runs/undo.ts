// Taking a run back: planned from its before-images over just the objects that it touched, and applied like any plan.
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { runNamed } from "./history.ts";
import type { HeldLock, InventoryStore, JournalRecord } from "../inventory/store.ts";
import { loadAround } from "../manifest/load.ts";
import type { Applied, Entry, Inventory, Plan } from "../model.ts";
import { type Located, type Session, type Verdict, withSession } from "../session.ts";
import { type ApplyOptions, applySession } from "../apply-session.ts";
import { type WayBack, wayBack } from "./way-back.ts";

/** What {@link undo} asks beside. */
export interface UndoOptions extends Omit<ApplyOptions, "saved" | "adopt" | "replace"> {
  /** The run's id, or how it alone begins. */
  readonly run: string;
}

/**
 * Plans the way back from a run, has it approved, and carries it out. What cannot be undone is told in the plan. Mistakes in
 * documents other than the Stack are passed over: an incident does not wait for them to be mended. Fails with `not_found`
 * where the inventory remembers no such run, `refused` where what it changed is not kept any more.
 */
export async function undo(
  options: UndoOptions,
): Promise<Verdict<{ plan: Plan; applied: Applied | undefined } & Located>> {
  const loaded = await loadAround(options);
  return withSession<{ plan: Plan; applied: Applied | undefined }>(
    options,
    async (session, diagnostics) => {
      const inventory = await session.store.read();
      const run = runNamed(inventory.runs ?? [], options.run);
      if (run.changes === undefined) {
        throw new Failure("refused", `what run ${run.id} changed is not kept any more`, {
          remedy: "check out the revision before it, and apply that",
        });
      }
      const kinds = new Map(session.kinds.map((kind) => [kind.name, kind]));
      const place = { file: `run ${run.id}`, line: 1, column: 1 };
      const way = wayBack({ run, inventory, today: loaded.declared, kinds, place });
      return applySession(
        narrowedTo(session, way, inventory),
        { ...options, diagnostics },
        { notes: way.notes, undoes: run.id, owned: Object.keys(inventory.entries).length },
      );
    },
    loaded,
  );
}

/** The session of a stack that wishes for the way back and owns what that is about: whatever is not wished for was made by the run. */
function narrowedTo(session: Session, way: WayBack, { entries }: Inventory): Session {
  const { stack } = session.desired;
  const policy = { ...stack.policy, prune: true };
  const others = Object.entries(entries).filter(([at]) => !way.addresses.has(at));
  return {
    ...session,
    desired: {
      ...session.desired,
      stack: { ...stack, policy },
      wishes: way.wishes,
      narrowed: true,
    },
    store: narrowedStore(session.store, way),
    beyond: Object.fromEntries(others),
  };
}

/** The inventory with just these objects in it; what is written to it goes into the whole one. */
function narrowedStore(store: InventoryStore, way: WayBack): InventoryStore {
  return {
    ...store,
    read: async () => {
      const inventory = await store.read();
      return { ...inventory, entries: among(inventory.entries, way) };
    },
    lock: async (purpose) => {
      const lock = await store.lock(purpose);
      return narrowedLock(lock, await store.read(), way);
    },
  };
}

function among(entries: Inventory["entries"], { addresses }: WayBack): Inventory["entries"] {
  return Object.fromEntries(Object.entries(entries).filter(([at]) => addresses.has(at)));
}

function narrowedLock(lock: HeldLock, whole: Inventory, { addresses, fields }: WayBack): HeldLock {
  const kept = (address: string, entry: Entry): Entry => {
    const [before, names] = [whole.entries[address], fields.get(address)];
    return before === undefined || names === undefined ? entry : merged(before, entry, names);
  };
  const noted = (record: JournalRecord): JournalRecord =>
    record.phase === "run" || record.entry === undefined
      ? record
      : { ...record, entry: kept(record.address, record.entry) };
  return {
    info: lock.info,
    lost: lock.lost,
    journal: (records) => lock.journal(records.map(noted)),
    write: (inventory) => {
      const others = Object.entries(whole.entries).filter(([at]) => !addresses.has(at));
      const own = Object.entries(inventory.entries).map(
        ([at, one]) => [at, kept(at, one)] as const,
      );
      return lock.write({ ...inventory, entries: Object.fromEntries([...others, ...own]) });
    },
    release: () => lock.release(),
  };
}

/** The entry as it was, with what the way back has put into these fields. */
function merged(before: Entry, now: Entry, names: readonly string[]): Entry {
  const given: JsonObject = Object.fromEntries(
    names.map((name) => [name, now.lastApplied[name] ?? null]),
  );
  const { id, key, scope, pending, appliedAt } = now;
  const lastApplied = { ...before.lastApplied, ...given };
  return { ...before, id: id ?? before.id, key, scope, pending, appliedAt, lastApplied };
}
