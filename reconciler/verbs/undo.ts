// Undoes a run: makes a plan from the values before and after its changes, and applies it.
import { Failure } from "../../core/errors.ts";
import { kindsByName } from "../../core/kind/kind.ts";
import { makeUndoPlan, stillDeclaredWarning, type UndoPlan } from "../history/undo-plan.ts";
import type { InventoryStore } from "../inventory/store.ts";
import { loadTolerant } from "../manifest/load.ts";
import type { ApplyResult, Inventory, Plan, RunRecord } from "../model/index.ts";
import { type ApplyOptions, applySession } from "./apply-session.ts";
import { findRun } from "./history.ts";
import { type ObjectLocations, type Session, type VerbResult, withSession } from "./session.ts";

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
      const inventory = await session.store.read();
      const { kinds, desired } = session;
      const run = findRun(inventory.runs ?? [], options.run, desired.stack);
      assertUndoable(run);
      const undoPlan = makeUndoPlan({ ...loaded, run, inventory, kinds: kindsByName(kinds) });
      const done = await applySession(
        undoSession(session, undoPlan, inventory),
        { ...options, diagnostics },
        { undoOf: run.id, notes: undoPlan.notes },
      );
      // With errors, only a part of the manifests is known.
      const isWhole = !diagnostics.some(({ code }) => code === "errors-ignored");
      if (!done.ok || done.applied === undefined || !isWhole) return done;
      const repeated = stillDeclaredWarning(done.applied, undoPlan, desired);
      return { ...done, diagnostics: [...done.diagnostics, ...repeated] };
    },
    loaded,
  );
}

function assertUndoable({ id, verb, changes }: RunRecord): void {
  const isMove = verb === "move";
  if (changes !== undefined && !isMove) return;
  const why = isMove ? "it moved the inventory" : "its changes are no longer stored";
  throw new Failure("refused", `run ${id} cannot be undone: ${why}`, {
    remedy: isMove
      ? "Move it back: `svc inventory move --help` lists the moves."
      : "Check out the previous revision and apply it.",
  });
}

/**
 * Returns the session of a stack that declares only the restored objects, and removes those that the run created. Until
 * it is locked, it has the inventory from which the undo was planned.
 */
function undoSession(session: Session, undoPlan: UndoPlan, inventory: Inventory): Session {
  const { desired, store } = session;
  const { objects, covered, changedSince } = undoPlan;
  const stack = { ...desired.stack, policy: { ...desired.stack.policy, prune: true } };
  let planned: Inventory | undefined = inventory;
  const undoStore: InventoryStore = {
    ...store,
    read: async () => planned ?? (await store.read()),
    lock: (purpose, origin) => {
      planned = undefined;
      return store.lock(purpose, origin);
    },
  };
  const restored = { ...desired, stack, objects, covered, changedSince };
  return { ...session, desired: restored, store: undoStore };
}
