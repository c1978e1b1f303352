// The verbs of the reconciler, each one library call with a typed result; whoever prints them adds nothing of its own.
import { type Diagnostic, hasErrors } from "../core/diagnostics.ts";
import type { Failure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { readablePart } from "../core/record.ts";
import { applyPlan } from "./apply.ts";
import { authorOf } from "./author.ts";
import { budgetOf, overBudget } from "./budget.ts";
import { closedFailure, openingOf } from "./windows/closed.ts";
import { sightOf } from "./carry-out.ts";
import { fingerprintsWith } from "../core/fingerprints.ts";
import { openLedger } from "./ledger.ts";
import type { Applied, Author, Change, Live, Plan } from "./model.ts";
import { adoptedIn, mustBeFor, mustEqual, replacedIn } from "./saved.ts";
import { checkedPlan, mustBePermitted } from "./preflight.ts";
import {
  type Located,
  planSession,
  type Session,
  type Verdict,
  type VerbOptions,
  withSession,
} from "./session.ts";
import { type Judge, judged, mustKeep, type Severity } from "./policy/rule.ts";
import { findUnmanaged, type Unmanaged } from "./unmanaged.ts";

/** What {@link plan} takes beside what every verb does. */
export interface PlanOptions extends VerbOptions {
  /** What else is held against a plan: its diagnostics stand in the plan after those of its own. */
  readonly judge?: Judge | undefined;
}

/** Compares the stack with the server, and holds the plan against policies. Writes nothing anywhere. */
export async function plan(options: PlanOptions): Promise<Verdict<{ plan: Plan } & Located>> {
  return withSession<{ plan: Plan }>(options, async (session, diagnostics) => {
    const made = await checkedPlan(session, { ...options, diagnostics });
    if (!made.ok) return made;
    return { ok: true, plan: judged(made.plan, options.judge), diagnostics };
  });
}

/** What {@link drift} came to. */
export interface Drift {
  readonly plan: Plan;
  /** What exists that nobody declared; undefined where that was not asked. */
  readonly unmanaged: readonly Unmanaged[] | undefined;
}

/** The differences of a plan; with `unmanaged`, also what lives on the server and nobody declared. Writes nothing anywhere. */
export async function drift(
  options: VerbOptions & { readonly unmanaged?: boolean | undefined },
): Promise<Verdict<Drift & Located>> {
  return withSession<Drift>(options, async (session, diagnostics) => {
    const planned = await planSession(session, { ...options, diagnostics });
    if (!planned.ok || options.unmanaged !== true) {
      return planned.ok ? { ...planned, unmanaged: undefined } : planned;
    }
    const before = session.client.stats.calls;
    const found = await findUnmanaged(session, { ...planned, signal: options.signal });
    const { cost } = planned.plan;
    const readCalls = cost.readCalls + session.client.stats.calls - before;
    const costed = { ...planned.plan, cost: { ...cost, readCalls } };
    const told = [...diagnostics, ...found.diagnostics];
    return { ok: true, plan: costed, unmanaged: found.objects, diagnostics: told };
  });
}

/** What {@link apply} asks before the first write. */
export interface ApplyOptions extends PlanOptions {
  /** From which severity on a finding keeps the plan from being applied; errors do, whatever this is. */
  readonly failOn?: Severity | undefined;
  /** The reviewed plan: just that is carried out, or nothing where the plan made now is another. */
  readonly saved?: Plan | undefined;
  /** Deletes and replaces that may be carried out beyond the stack's own budget. */
  readonly allowDeletes?: number | undefined;
  /** Sees the plan first of all, also one that is then refused; `refused` where that is for its deletes, which a caller may allow. */
  readonly show?: ((plan: Plan, refused: boolean) => void) | undefined;
  /** Who makes the run, and why; this user where nobody is named. */
  readonly author?: Partial<Author> | undefined;
  /** Asked before anything is written; `false` ends the run with nothing done. */
  readonly approve: (plan: Plan) => Promise<boolean>;
}

/** Plans unless a plan is given, has it approved, and carries it out. `applied` is undefined where it was not approved. */
export async function apply(
  options: ApplyOptions,
): Promise<Verdict<{ plan: Plan; applied: Applied | undefined } & Located>> {
  return withSession<{ plan: Plan; applied: Applied | undefined }>(
    { ...options, makesKey: options.saved === undefined },
    (session, diagnostics) => applySession(session, { ...options, diagnostics }),
  );
}

/** What an undo adds to an apply. */
export interface Undoing {
  /** The run that is taken back. */
  readonly undoes: string;
  /** What cannot be, for the plan to tell. */
  readonly notes: readonly Diagnostic[];
  /** Objects that the stack owns, of which the session may see a part. */
  readonly owned: number;
}

/** Plans in a session, with every safety of the stack; has the plan approved, and carries it out. */
export async function applySession(
  session: Session,
  options: ApplyOptions & { readonly diagnostics: readonly Diagnostic[] },
  undoing?: Undoing,
): Promise<Verdict<{ plan: Plan; applied: Applied | undefined }>> {
  const { diagnostics } = options;
  const planned = await plannedFor(session, options);
  if (!planned.ok) return planned;
  const { notes = [], owned = planned.owned } = undoing ?? {};
  const told = [...planned.plan.diagnostics, ...notes];
  const agreed = notes.length === 0 ? planned.plan : { ...planned.plan, diagnostics: told };
  const excess = overBudget(agreed, {
    budget: budgetOf(session.desired.stack.policy, owned),
    allowed: options.allowDeletes ?? 0,
  });
  const closed = closedNow(agreed, session, options);
  const shown = judged(agreed, options.judge);
  options.show?.(shown, excess !== undefined && closed === undefined);
  if (closed !== undefined) throw closed;
  mustBePermitted(agreed);
  if (excess !== undefined) throw excess;
  // A plan with errors of its own is refused as such, whatever else is held against it.
  if (agreed.changes.length > 0 && !hasErrors(agreed.diagnostics))
    mustKeep(shown, options.failOn ?? "error");
  if (agreed.changes.length > 0 && !(await options.approve(shown))) {
    return { ok: true, plan: agreed, applied: undefined, diagnostics };
  }
  // Whoever was asked may have taken until a window closed.
  const late = closedNow(agreed, session, options);
  if (late !== undefined) throw late;
  const { folder } = session.desired.stack;
  const applied = await applyPlan(agreed, {
    ...session,
    seen: planned.seen,
    signal: options.signal,
    progress: options.progress,
    now: options.now,
    author: authorOf(options.author, { env: options.env, folder }),
    undoes: undoing?.undoes,
  });
  return { ok: true, plan: agreed, applied, diagnostics };
}

/** Why the plan may not be carried out at this moment; a run that has begun is let end. */
function closedNow(
  agreed: Plan,
  session: Session,
  { now = () => new Date() }: VerbOptions,
): Failure | undefined {
  const opening = openingOf(agreed, session, now());
  return opening.closures.length === 0 ? undefined : closedFailure(opening);
}

/** Made afresh also where a plan was saved, which has to say the same; `seen` is a world that nobody is asked about any more. */
async function plannedFor(
  session: Session,
  options: ApplyOptions & { readonly diagnostics: readonly Diagnostic[] },
): Promise<Verdict<Chosen>> {
  const { saved } = options;
  // Somebody may take their time to approve it, so the world is looked at again after that.
  if (saved === undefined) return settledOn(await checkedPlan(session, options), false);
  mustBeFor(saved, session.desired);
  const made = await checkedPlan(session, {
    ...options,
    adopt: adoptedIn(saved),
    replace: replacedIn(saved, session.desired),
  });
  if (made.ok) mustEqual(saved, made.plan);
  return settledOn(made, true);
}

/** A plan to carry out. */
interface Chosen {
  readonly plan: Plan;
  /** What it was made from, where that needs no second look. */
  readonly seen: Live | undefined;
  /** Objects that the stack owns. */
  readonly owned: number;
}

type Made = Awaited<ReturnType<typeof planSession>>;

function settledOn(made: Made, isApproved: boolean): Verdict<Chosen> {
  if (!made.ok) return made;
  const owned = Object.keys(made.inventory.entries).length;
  const seen = isApproved ? made.live : undefined;
  return { ok: true, plan: made.plan, seen, owned, diagnostics: made.diagnostics };
}

/** What an adopt took over. */
export interface Adopted {
  readonly plan: Plan;
  /** Addresses that are ours from now on. */
  readonly taken: readonly string[];
}

/** What {@link adopt} asks before it writes. */
export interface AdoptOptions extends VerbOptions {
  /** Asked about the addresses that would be taken over, unless there are none; `false` ends the run with nothing done. */
  readonly approve?: ((addresses: readonly string[], plan: Plan) => Promise<boolean>) | undefined;
}

/**
 * Takes over live objects that the stack declares and nobody owns: writes the inventory, and nothing on the server. What
 * differs from the wish shows in the next plan.
 */
export async function adopt(options: AdoptOptions): Promise<Verdict<Adopted>> {
  return withSession<Adopted>(options, async (session, diagnostics) => {
    const planned = await planSession(session, { adopt: () => true, ...options, diagnostics });
    if (!planned.ok) return planned;
    const { plan: made, live, inventory: seen } = planned;
    const offered = made.changes.filter((change) =>
      isTakeOver(change, seen.entries[change.address] === undefined),
    );
    const asked = offered.map(({ address }) => address);
    if (asked.length > 0 && (await options.approve?.(asked, made)) === false) {
      return { ok: true, plan: made, taken: [], diagnostics };
    }
    const lock = await session.store.lock("adopt");
    try {
      const inventory = await session.store.read();
      const kinds = new Map(session.kinds.map((kind) => [kind.name, kind]));
      const origin = session.client.origin;
      const fingerprints = fingerprintsWith(inventory.salt, session.fingerprintKey);
      const now = options.now ?? (() => new Date());
      const ledger = openLedger({ lock, inventory, kinds, origin, fingerprints, now });
      // Another run may have taken some of them while somebody made up their mind.
      const taken = offered.filter((change) =>
        isTakeOver(change, inventory.entries[change.address] === undefined),
      );
      for (const change of taken) {
        const kind = kinds.get(change.kind);
        const sight = kind && sightOf(kind, change, live);
        if (kind === undefined || sight === undefined) continue;
        ledger.done(
          {
            ...change,
            desired: observedPart(readablePart(kind, change.desired ?? {}), sight.spec),
          },
          sight.id,
        );
      }
      if (taken.length > 0) await ledger.close();
      return { ok: true, plan: made, taken: taken.map(({ address }) => address), diagnostics };
    } finally {
      await lock.release();
    }
  });
}

/** An adoption that needs a replace is one too, and shows as such in the next plan. */
function isTakeOver({ action, id }: Change, unknown: boolean): boolean {
  return action === "adopt" || (action === "replace" && unknown && id !== undefined);
}

/** The live values of the wished fields: what the record says was there, so that the difference shows as not shipped yet. */
function observedPart(wished: JsonObject, live: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(wished).map((name) => [name, live[name]]));
}
