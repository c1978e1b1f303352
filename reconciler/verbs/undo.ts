// Undoes a run: computes a plan from the previous values of the objects it changed, and applies it.
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { findRun } from "./history.ts";
import { moveNotUndoneError } from "../history/inventory-moves.ts";
import { releaseOnFailure } from "../inventory/release-locks.ts";
import type { InventoryLock, InventoryStore, JournalRecord } from "../inventory/store.ts";
import { loadTolerant, type TolerantLoad } from "../manifest/load.ts";
import type { ApplyResult, Entry, Inventory, Plan } from "../model/index.ts";
import { RenamableEntries } from "../model/parent-renames.ts";
import { type ObjectLocations, type Session, type VerbResult, withSession } from "./session.ts";
import { type ApplyOptions, type UndoContext, applySession } from "./apply-session.ts";
import { repeatedByApply } from "../history/still-declared.ts";
import { emptyUndoNote, type UndoPlan, makeUndoPlan } from "../history/undo-plan.ts";

/** Additional options of {@link undo}. */
export interface UndoOptions extends Omit<
  ApplyOptions,
  "savedPlan" | "adopt" | "replace" | "targets"
> {
  /** Id of the run, or a unique prefix. */
  readonly run: string;
}

/**
 * Plans an undo, has it approved, and applies it. The plan reports changes that cannot be undone. Errors in documents
 * other than the Stack are ignored, because an incident cannot wait for their fix. Fails with `not_found` for an
 * unknown run, `refused` if its changes are no longer stored.
 */
export async function undo(
  options: UndoOptions,
): Promise<VerbResult<{ plan: Plan; applied: ApplyResult | undefined } & ObjectLocations>> {
  const loaded = await loadTolerant(options);
  return withSession<{ plan: Plan; applied: ApplyResult | undefined }>(
    options,
    async (session, diagnostics) => {
      const prepared = prepareUndo(session, await session.store.read(), {
        id: options.run,
        declaredMetadata: loaded.declared,
      });
      const done = await applySession(
        prepared.session,
        { ...options, diagnostics },
        prepared.context,
      );
      if (!done.ok || done.applied === undefined) return done;
      const repeated = repeatedByApply(done.applied, prepared.undoPlan, loaded);
      return { ...done, diagnostics: [...done.diagnostics, ...repeated] };
    },
    loaded,
  );
}

interface RunToUndo {
  /** Id of the run, or a unique prefix. */
  readonly id: string;
  readonly declaredMetadata: TolerantLoad["declared"];
}

/** Plans the undo. The result does not refer to an inventory, whose runs may be large. */
function prepareUndo(
  session: Session,
  inventory: Inventory,
  { id, declaredMetadata }: RunToUndo,
): { readonly session: Session; readonly context: UndoContext; readonly undoPlan: UndoPlan } {
  const run = findRun(inventory.runs ?? [], id, session.desired.stack);
  if (run.verb === "move") throw moveNotUndoneError(run, session.desired.stack);
  if (run.changes === undefined) {
    throw new Failure("refused", `the changes of run ${run.id} are no longer stored`, {
      remedy: "Check out the previous revision and apply it.",
    });
  }
  const kinds = kindsByName(session.kinds);
  const place = { file: `run ${run.id}`, line: 1, column: 1 };
  const undoPlan = makeUndoPlan({ run, inventory, declaredMetadata, kinds, place });
  return {
    undoPlan,
    session: scopedSession(session, { ...undoPlan, kinds }, inventory),
    context: {
      notes: undoPlan.notes,
      emptyNote: emptyUndoNote({ id: run.id, changes: undoPlan.changes }, undoPlan.notes),
      undoOf: run.id,
      ownedCount: Object.keys(inventory.entries).length,
    },
  };
}

interface UndoScope extends UndoPlan {
  /** By name. */
  readonly kinds: ReadonlyMap<string, Kind>;
}

/**
 * The session of a stack that declares the previous state and owns just those objects. The run created all objects that
 * it does not declare.
 */
function scopedSession(session: Session, undoPlan: UndoScope, inventory: Inventory): Session {
  const { stack } = session.desired;
  const policy = { ...stack.policy, prune: true };
  const others = Object.entries(inventory.entries).filter(([at]) => !undoPlan.addresses.has(at));
  return {
    ...session,
    desired: {
      ...session.desired,
      stack: { ...stack, policy },
      objects: undoPlan.desiredObjects,
      partial: true,
      changedSince: undoPlan.changedSince,
    },
    store: scopedStore(session.store, undoPlan, inventory),
    otherEntries: Object.fromEntries(others),
  };
}

/**
 * The inventory restricted to these objects; writes go to the whole inventory. The first read after the start, and
 * after the lock, returns the inventory that was read there: each copy of an inventory with large runs costs memory.
 */
function scopedStore(
  store: InventoryStore,
  undoPlan: UndoScope,
  inventoryAtStart: Inventory,
): InventoryStore {
  let unused: Inventory | undefined = inventoryAtStart;
  return {
    ...store,
    read: async () => {
      const inventory = unused ?? (await store.read());
      unused = undefined;
      return { ...inventory, entries: scopedEntries(inventory.entries, undoPlan) };
    },
    lock: async (purpose) => {
      const lock = await store.lock(purpose);
      const whole = await releaseOnFailure(lock, () => store.read());
      unused = whole;
      return scopedLock(lock, whole.entries, undoPlan);
    },
  };
}

function scopedEntries(
  entries: Inventory["entries"],
  { addresses }: UndoPlan,
): Inventory["entries"] {
  return Object.fromEntries(Object.entries(entries).filter(([at]) => addresses.has(at)));
}

/** Replays the journal onto the whole inventory, so that objects inside a renamed object follow. */
function scopedLock(
  lock: InventoryLock,
  whole: Inventory["entries"],
  { fields, kinds }: UndoScope,
): InventoryLock {
  const entries = new RenamableEntries(Object.entries(whole), kinds);
  const put = (record: JournalRecord): JournalRecord[] => {
    if (!("address" in record)) return [record];
    const { address, entry } = record;
    if (entry === undefined) {
      entries.delete(address);
      return [record];
    }
    const [was, names] = [entries.get(address), fields.get(address)];
    const is = was === undefined || names === undefined ? entry : mergeFields(was, entry, names);
    entries.set(address, is);
    const renamed =
      was === undefined || !isRenamed(was, is) ? [] : entries.rename({ before: was, after: is });
    const others = [...renamed].map(([at, one]): JournalRecord => {
      return { phase: "done", address: at, entry: one };
    });
    return [{ ...record, entry: is }, ...others];
  };
  return {
    info: lock.info,
    lost: lock.lost,
    journal: (records) => lock.journal(records.flatMap(put)),
    claim: async (origin, claims, from) => {
      const owners = await lock.claim(origin, claims, from);
      if (owners.size === 0) for (const { address, entry } of claims) entries.set(address, entry);
      return owners;
    },
    // All changes of the session were journaled before, and none moves an entry.
    write: (inventory) => lock.write({ ...inventory, entries: Object.fromEntries(entries) }),
    release: () => lock.release(),
  };
}

function isRenamed(was: Entry, is: Entry): boolean {
  return was.id !== undefined && was.id === is.id && was.key !== is.key;
}

/** Returns the entry with the fields that the undo wrote. */
function mergeFields(before: Entry, now: Entry, names: readonly string[]): Entry {
  const given: JsonObject = Object.fromEntries(
    names.map((name) => [name, now.lastApplied[name] ?? null]),
  );
  const { id, key, scope, pending, appliedAt } = now;
  const lastApplied = { ...before.lastApplied, ...given };
  return { ...before, id: id ?? before.id, key, scope, pending, appliedAt, lastApplied };
}
