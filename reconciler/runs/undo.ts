// Taking a run back: planned from its before-images over just the objects that it touched, and applied like any plan.
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { runNamed } from "./history.ts";
import type { HeldLock, InventoryStore, JournalRecord } from "../inventory/store.ts";
import { loadAround } from "../manifest/load.ts";
import type { Applied, Entry, Inventory, Plan } from "../model.ts";
import { goneAlong } from "../planning/whereabouts.ts";
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
        narrowedTo(session, { ...way, kinds }, inventory),
        { ...options, diagnostics },
        { notes: way.notes, undoes: run.id, owned: Object.keys(inventory.entries).length },
      );
    },
    loaded,
  );
}

interface Narrowing extends WayBack {
  /** By name. */
  readonly kinds: ReadonlyMap<string, Kind>;
}

/** The session of a stack that wishes for the way back and owns what that is about: whatever is not wished for was made by the run. */
function narrowedTo(session: Session, way: Narrowing, { entries }: Inventory): Session {
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
function narrowedStore(store: InventoryStore, way: Narrowing): InventoryStore {
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

/** Plays what is journalled over the whole inventory, so that what is named by an object that gets its name back goes along. */
function narrowedLock(lock: HeldLock, whole: Inventory, { fields, kinds }: Narrowing): HeldLock {
  const entries = new Map(Object.entries(whole.entries));
  const put = (record: JournalRecord): JournalRecord[] => {
    if (record.phase === "run") return [record];
    const { address, entry } = record;
    if (entry === undefined) {
      entries.delete(address);
      return [record];
    }
    const [was, names] = [entries.get(address), fields.get(address)];
    const is = was === undefined || names === undefined ? entry : merged(was, entry, names);
    entries.set(address, is);
    const along =
      was === undefined || !isRenamed(was, is) ? [] : goneAlong(entries, kinds, { was, is });
    const others = [...along].map(([at, one]): JournalRecord => {
      entries.set(at, one);
      return { phase: "done", address: at, entry: one };
    });
    return [{ ...record, entry: is }, ...others];
  };
  return {
    info: lock.info,
    lost: lock.lost,
    journal: (records) => lock.journal(records.flatMap(put)),
    // All that the session changed in it was journalled before.
    write: (inventory) => lock.write({ ...inventory, entries: Object.fromEntries(entries) }),
    release: () => lock.release(),
  };
}

function isRenamed(was: Entry, is: Entry): boolean {
  return was.id !== undefined && was.id === is.id && was.key !== is.key;
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
