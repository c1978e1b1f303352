// Undoes a run: makes a plan from the values before and after its changes, and applies it.
import { Failure } from "../core/errors.ts";
import { kindsByName } from "../core/kind/kind.ts";
import { type AppliedPlan, applyIfApproved, type ApplyOptions, propose } from "./apply.ts";
import { makeUndoPlan, stillDeclaredWarning, type UndoPlan } from "./history/undo-plan.ts";
import { loadTolerant } from "./manifest/load.ts";
import type { RunRecord } from "./model/index.ts";
import { findRun } from "./verbs/history.ts";
import { objectLocations, openSession, type Session, type VerbResult } from "./verbs/session.ts";

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
export async function undo(options: UndoOptions): Promise<VerbResult<AppliedPlan>> {
  const loaded = await loadTolerant(options);
  const opened = await openSession(options, loaded);
  if (!opened.ok) return opened;
  await using session = opened.session;
  const { desired, kinds, store } = session;
  const inventory = await store.read();
  const run = findRun(inventory.runs ?? [], options.run, desired.stack);
  assertUndoable(run);
  const undoPlan = makeUndoPlan({ ...loaded, run, inventory, kinds: kindsByName(kinds) });
  const { notes } = undoPlan;
  const undoing = { ...session, desired: desiredStateOf(undoPlan, session) };
  const proposed = await propose(undoing, { ...options, inventory }, { undoOf: run.id, notes });
  if (!proposed.ok) return proposed;
  const { proposal } = proposed;
  const applied = await applyIfApproved(proposal, options);
  // With errors, only a part of the manifests is known.
  const isWhole = !session.diagnostics.some(({ code }) => code === "errors-ignored");
  const repeated = applied && isWhole ? stillDeclaredWarning(applied, undoPlan, desired) : [];
  const diagnostics = [...session.diagnostics, ...(applied?.warnings ?? []), ...repeated];
  return { ok: true, plan: proposal.plan, applied, diagnostics, ...objectLocations(desired) };
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

/** Returns the state of a stack that declares only the restored objects, and removes those that the run created. */
function desiredStateOf(
  { objects, undoScope, changedAfterRun }: UndoPlan,
  { desired }: Session,
): Session["desired"] {
  const stack = { ...desired.stack, policy: { ...desired.stack.policy, prune: true } };
  return { ...desired, stack, objects, undoScope, changedAfterRun };
}
