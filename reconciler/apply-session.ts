// The one way to the first write, for apply, undo and promote: a plan made afresh, held against every safety of the stack, agreed to, carried out.
import { type Diagnostic, hasErrors } from "../core/diagnostics.ts";
import type { Failure } from "../core/errors.ts";
import { applyPlan } from "./apply.ts";
import { authorOf } from "./caller/author.ts";
import { budgetOf, overBudget } from "./planning/budget.ts";
import type { Applied, Author, Live, Plan } from "./model.ts";
import { type Judge, judged, mustKeep, type Severity } from "./policy/rule.ts";
import { checkedPlan, mustBePermitted } from "./applying/preflight.ts";
import { adoptedIn, emptiedBy, mustBeFor, mustEqual, replacedIn } from "./applying/saved.ts";
import {
  type Located,
  namesOf,
  type planSession,
  type Session,
  type Verdict,
  type VerbOptions,
} from "./session.ts";
import { closedFailure, openingOf } from "./windows/closed.ts";

/** What a plan that is shown takes beside what every verb does. */
export interface PlanOptions extends VerbOptions {
  /** What else is held against a plan: its diagnostics stand in the plan after those of its own. */
  readonly judge?: Judge | undefined;
}

/** What is asked before the first write. */
export interface ApplyOptions extends PlanOptions {
  /** From which severity on a finding keeps the plan from being applied; errors do, whatever this is. */
  readonly failOn?: Severity | undefined;
  /** The reviewed plan: just that is carried out, or nothing where the plan made now is another. */
  readonly saved?: Plan | undefined;
  /** Deletes and replaces that may be carried out beyond the stack's own budget. */
  readonly allowDeletes?: number | undefined;
  /** Sees the plan first of all, also one that is then refused; `refused` where that is for its deletes, which a caller may allow. */
  readonly show?:
    | ((plan: Plan, how: Pick<Located, "names"> & { readonly refused: boolean }) => void)
    | undefined;
  /** Who makes the run, and why, which may lie in the plan; this user where nobody is named. */
  readonly author?: Partial<Author> | ((plan: Plan) => Partial<Author>) | undefined;
  /** Asked before anything is written; `false` ends the run with nothing done. */
  readonly approve: (plan: Plan) => Promise<boolean>;
}

/** The same within a session. */
export interface SessionApply extends Omit<ApplyOptions, "approve"> {
  /** Left out where somebody has agreed already, so that nobody takes their time now. */
  readonly approve?: ApplyOptions["approve"] | undefined;
  readonly diagnostics: readonly Diagnostic[];
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

/** What was planned, and what became of it. */
export interface Carried {
  readonly plan: Plan;
  /** Undefined where it was not approved. */
  readonly applied: Applied | undefined;
  /** The world that the plan was made from. */
  readonly live: Live;
}

/** Plans in a session, with every safety of the stack; has the plan approved, and carries it out. */
export async function applySession(
  session: Session,
  options: SessionApply,
  undoing?: Undoing,
): Promise<Verdict<Carried>> {
  const { diagnostics } = options;
  const planned = await plannedFor(session, options);
  if (!planned.ok) return planned;
  const { live } = planned;
  const { notes = [], owned = planned.owned } = undoing ?? {};
  const told = [...planned.plan.diagnostics, ...notes];
  const agreed = notes.length === 0 ? planned.plan : { ...planned.plan, diagnostics: told };
  // A plan with errors of its own is refused as such, whatever else is held against it.
  const isFaulty = hasErrors(agreed.diagnostics);
  const budget = budgetOf(session.desired.stack.policy, owned);
  const allowed = options.allowDeletes ?? 0;
  const excess = isFaulty ? undefined : overBudget(agreed, { budget, allowed });
  const closed = closedNow(agreed, session, options);
  const shown = judged(agreed, options.judge);
  options.show?.(shown, {
    refused: excess !== undefined && closed === undefined,
    names: namesOf(session.desired),
  });
  if (closed !== undefined) throw closed;
  mustBePermitted(agreed);
  if (excess !== undefined) throw excess;
  if (agreed.changes.length > 0 && !isFaulty) mustKeep(shown, options.failOn ?? "error");
  if (agreed.changes.length > 0 && (await options.approve?.(shown)) === false) {
    return { ok: true, plan: agreed, applied: undefined, live, diagnostics };
  }
  // Whoever was asked may have taken until a window closed.
  const late = closedNow(agreed, session, options);
  if (late !== undefined) throw late;
  const { folder } = session.desired.stack;
  const { author } = options;
  const said = typeof author === "function" ? author(agreed) : author;
  const applied = await applyPlan(agreed, {
    ...session,
    seen: planned.isFresh ? live : undefined,
    signal: options.signal,
    progress: options.progress,
    now: options.now,
    author: authorOf(said, { env: options.env, folder }),
    undoes: undoing?.undoes,
  });
  return { ok: true, plan: agreed, applied, live, diagnostics };
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

/** Made afresh also where a plan was saved, which has to say the same. */
async function plannedFor(session: Session, options: SessionApply): Promise<Verdict<Chosen>> {
  const { saved, approve } = options;
  // Somebody may take their time to approve it, so the world is looked at again after that.
  if (saved === undefined) {
    return settledOn(await checkedPlan(session, options), approve === undefined);
  }
  mustBeFor(saved, session.desired);
  const made = await checkedPlan(session, {
    ...options,
    adopt: adoptedIn(saved),
    replace: replacedIn(saved, session.desired),
    allowEmpty: emptiedBy(saved),
  });
  if (made.ok) mustEqual(saved, made.plan);
  return settledOn(made, true);
}

/** A plan to carry out. */
interface Chosen {
  readonly plan: Plan;
  /** What it was made from. */
  readonly live: Live;
  /** Nobody is asked about it any more, so that needs no second look. */
  readonly isFresh: boolean;
  /** Objects that the stack owns. */
  readonly owned: number;
}

type Made = Awaited<ReturnType<typeof planSession>>;

function settledOn(made: Made, isFresh: boolean): Verdict<Chosen> {
  if (!made.ok) return made;
  const { plan, live, inventory, diagnostics } = made;
  return {
    ok: true,
    plan,
    live,
    isFresh,
    owned: Object.keys(inventory.entries).length,
    diagnostics,
  };
}
