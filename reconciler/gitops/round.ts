// One round of one source: the commit it is at, the plan that follows, and in apply mode that plan carried out. Nothing is thrown but what stops all.
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import type { Kind } from "../../core/kind.ts";
import { applySession, type SessionApply } from "../apply-session.ts";
import { checkedPlan } from "../applying/preflight.ts";
import { commitAt } from "../caller/commit.ts";
import { loadStack } from "../manifest/load.ts";
import type { Applied, Change, Plan, Resolved } from "../model.ts";
import { takenAlong } from "../planning/cascade.ts";
import { deletions, isToDo, writes } from "../planning/parts.ts";
import { judge, judged, reaches } from "../policy/rule.ts";
import { type Session, type Verdict, type VerbOptions, withSession } from "../session.ts";
import { approvalOf, keepWaiting, waitingId } from "./approvals.ts";
import type { Checkouts } from "./checkout.ts";
import { connectionOf, type Source } from "./config.ts";

/** How a round ended. `changes`: there is something to do, and the source only looks. */
export type RoundResult =
  | "unchanged"
  | "changes"
  | "applied"
  | "partly"
  | "held"
  | "closed"
  | "mistakes"
  | "failed"
  | "suspended"
  | "stopped";

/** What became of one round. */
export interface Round {
  readonly source: string;
  readonly mode: Source["mode"];
  readonly result: RoundResult;
  /** ISO 8601. */
  readonly at: string;
  readonly seconds: number;
  /** Hexadecimal; undefined where it could not be found out. */
  readonly commit: string | undefined;
  /** With what is held against it; undefined where none could be made. */
  readonly plan: Plan | undefined;
  /** What was written; undefined where nothing was to be. */
  readonly applied: Applied | undefined;
  /** What was found in the manifests. */
  readonly diagnostics: readonly Diagnostic[];
  /** Why it failed, was held or closed. */
  readonly failure: Failure | undefined;
  /** What waits for an approval: the name of the plan, its deletes and replaces, and those that go without one. */
  readonly held:
    | { readonly plan: string; readonly deletes: number; readonly allowed: number }
    | undefined;
  /** When changes may be made next, ISO 8601; undefined where nothing is closed, or for longer than a year. */
  readonly opens: string | undefined;
}

/** What a round works with. */
export interface RoundContext {
  /** Absolute; where the controller keeps what belongs to this source. */
  readonly folder: string;
  /** Of a Git source. */
  readonly checkout: Checkouts["latest"] | undefined;
  /** The command that approves a plan of this source. */
  readonly approving: (plan: string) => string;
  readonly env: VerbOptions["env"];
  readonly kinds: readonly Kind[];
  readonly signal: AbortSignal | undefined;
  readonly now: () => Date;
  /** Asked once the commit is known: `false` ends the round, and there is none. */
  readonly wants?: ((commit: string | undefined) => boolean) | undefined;
}

/** What is found out on the way, for whoever is told of the end. */
interface Found {
  commit?: string | undefined;
  plan?: Plan;
  diagnostics: readonly Diagnostic[];
}

type End = Pick<Round, "result"> & Partial<Pick<Round, "applied" | "failure" | "held" | "opens">>;

/** Runs one round; undefined where `wants` did not want it. */
export async function reconcile(source: Source, context: RoundContext): Promise<Round | undefined> {
  const begun = context.now();
  const found: Found = { diagnostics: [] };
  const end = await ended(source, { context, found });
  if (end === undefined) return undefined;
  return {
    source: source.name,
    mode: source.mode,
    at: begun.toISOString(),
    seconds: (context.now().getTime() - begun.getTime()) / 1000,
    commit: found.commit,
    plan: found.plan,
    diagnostics: found.diagnostics,
    applied: undefined,
    failure: undefined,
    held: undefined,
    opens: undefined,
    ...end,
  };
}

/** True until the end of the last day that was named. */
export function isSuspended({ suspend }: Source, now: Date): boolean {
  if (suspend === undefined) return false;
  return now.getTime() < Date.parse(`${suspend.expires}T00:00:00Z`) + 86_400_000;
}

interface Going {
  readonly context: RoundContext;
  readonly found: Found;
}

async function ended(source: Source, going: Going): Promise<End | undefined> {
  const { context, found } = going;
  if (isSuspended(source, context.now())) return { result: "suspended" };
  try {
    const at = await placeOf(source, going);
    if (at === undefined) return undefined;
    found.commit = at.commit;
    if (context.wants?.(at.commit) === false) return undefined;
    return await carriedOut(source, at.folder, going);
  } catch (error) {
    const failure = isFailure(error) ? error : bug(error);
    if (failure.code === "aborted") return { result: "stopped", failure };
    if (failure.code !== "closed") return { result: "failed", failure };
    const opens = failure.details?.["opens"];
    return { result: "closed", failure, ...(typeof opens === "string" && { opens }) };
  }
}

/** Undefined where the commit is not wanted; which one it is is known before it is fetched, which may fail. */
async function placeOf(
  { folder }: Source,
  { context: { checkout, signal, wants }, found }: Going,
): Promise<{ readonly folder: string; readonly commit: string | undefined } | undefined> {
  const wanted = (commit: string): boolean => {
    found.commit = commit;
    return wants?.(commit) !== false;
  };
  if (checkout !== undefined) return checkout(signal, wanted);
  const at = folder ?? "";
  return { folder: at, commit: commitAt(at) };
}

async function carriedOut(source: Source, folder: string, { context, found }: Going): Promise<End> {
  const { env, kinds, signal, now } = context;
  const options: VerbOptions = {
    paths: [folder],
    cwd: folder,
    kinds,
    variables: source.variables,
    grants: source.grants,
    env,
    connection: connectionOf(source, env),
    signal,
    now,
    makesKey: source.mode === "apply",
  };
  const read = await loadStack(options);
  const other = otherName(source, read);
  found.diagnostics = other === undefined ? read.diagnostics : [...read.diagnostics, other];
  if (other !== undefined) return { result: "mistakes" };
  const loaded = source.git === undefined ? read : keptOutside(read, context.folder);
  let end: End = { result: "mistakes" };
  const verdict = await withSession<object>(
    options,
    async (session, diagnostics) => {
      const asked = { ...options, diagnostics };
      const made =
        source.mode === "plan"
          ? await looked(source, session, { asked, found })
          : await applied(source, session, { asked, found, context });
      if (made.ok) end = made.end;
      return made;
    },
    loaded,
  );
  if (verdict.ok) return end;
  found.diagnostics = verdict.diagnostics;
  return { result: "mistakes" };
}

/** An inventory is found by the stack's name, and a repository writes that: it would take the inventory of another, by accident too. */
function otherName({ name, stack: wanted }: Source, { desired }: Resolved): Diagnostic | undefined {
  if (desired === undefined || desired.stack.name === wanted) return undefined;
  const { name: called, namedAt } = desired.stack;
  return {
    code: "other-stack-name",
    severity: "error",
    address: `Stack/${called}`,
    summary: `the Stack is called ${called}, and the source ${name} is for ${wanted}`,
    remedy: `call the Stack ${wanted}, or have the operator write stack: ${called} into the source`,
    ...(namedAt !== undefined && { place: namedAt }),
  };
}

/** What a stack keeps in its folder a checkout would forget, and a commit could change: its inventory, and minted secrets. */
function keptOutside({ desired, diagnostics }: Resolved, state: string): Resolved {
  if (desired === undefined) return { desired, diagnostics };
  const folder = path.join(state, "kept");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const inventoryFile = path.join(folder, ".svc", `${desired.stack.name}.inventory.json`);
  return {
    desired: { ...desired, stack: { ...desired.stack, folder, inventoryFile } },
    diagnostics,
  };
}

interface Asking {
  readonly asked: VerbOptions & Pick<SessionApply, "diagnostics">;
  readonly found: Found;
}

type Ended = Verdict<{ readonly end: End }>;

async function looked(source: Source, session: Session, { asked, found }: Asking): Promise<Ended> {
  const made = await checkedPlan(session, asked);
  if (!made.ok) return made;
  const plan = judged(made.plan, judgeOf(source, session));
  found.plan = plan;
  const { diagnostics } = asked;
  const told = [...diagnostics, ...plan.diagnostics];
  if (!reaches(told, source.failOn)) {
    return { ok: true, end: { result: isToDo(plan) ? "changes" : "unchanged" }, diagnostics };
  }
  const failure = new Failure("refused", `the plan has findings at or above ${source.failOn}`);
  return { ok: true, end: { result: "failed", failure }, diagnostics };
}

/** Plans and applies; where the plan deletes more than goes without an approval, only what somebody approved, and exactly that. */
async function applied(
  source: Source,
  session: Session,
  { asked, found, context }: Asking & Going,
): Promise<Ended> {
  const { folder } = context;
  const show = (plan: Plan): void => {
    found.plan = plan;
  };
  const author = (plan: Plan) => ({ ...authorOf(source, plan), commit: found.commit });
  const options: SessionApply = {
    ...asked,
    show,
    author,
    judge: judgeOf(source, session),
    failOn: source.failOn,
  };
  try {
    const carried = await applySession(session, options);
    if (carried.ok && isEmptied(carried.plan))
      return await emptied(source, session, { options, found, context });
    if (carried.ok) keepWaiting(folder, undefined);
    return endOf(carried);
  } catch (error) {
    const { plan } = found;
    if (!isFailure(error, "refused") || plan === undefined) throw error;
    mustHaveNoErrors(plan);
    if (error.details?.["confirmation"] !== "deletes") throw error;
    const changes = deletions(plan);
    const held = {
      plan: waitingId(changes),
      deletes: Number(error.details["count"]),
      allowed: Number(error.details["budget"]),
    };
    return await onceApproved(session, {
      options,
      context,
      held,
      changes,
      saved: plan,
      why: error.message,
    });
  }
}

interface Approving {
  readonly options: SessionApply;
  readonly context: RoundContext;
  readonly held: NonNullable<Round["held"]>;
  /** What is approved of the plan; the rest of it needs no approval. */
  readonly changes: readonly Change[];
  readonly saved: Plan;
  /** Why it waits. */
  readonly why: string;
}

/** Carries out a plan that somebody approved, and remembers that one waits for it where nobody did. */
async function onceApproved(
  session: Session,
  { options, context: { folder, now, approving }, held, changes, saved, why }: Approving,
): Promise<Ended> {
  const { diagnostics, author } = options;
  const approval = approvalOf(folder, held.plan, now());
  if (approval === undefined) {
    const named = changes.map(({ action, address }) => `${action} ${address}`);
    keepWaiting(folder, { ...held, changes: named });
    const remedy = `review the plan, then: ${approving(held.plan)}`;
    const failure = new Failure("refused", why, { remedy });
    return { ok: true, end: { result: "held", failure, held }, diagnostics };
  }
  const by = approval.reason === undefined ? approval.by : `${approval.by}: ${approval.reason}`;
  const done = endOf(
    await applySession(session, {
      ...options,
      saved,
      allowDeletes: held.deletes,
      author: (made) => {
        const { message, ...rest } = typeof author === "function" ? author(made) : { ...author };
        return { ...rest, message: `${message}; ${held.plan} approved by ${by}` };
      },
    }),
  );
  keepWaiting(folder, undefined);
  return done;
}

/** Nothing is declared any more, and something is owned: a mistake as a rule, so that only an approval makes it what is meant. */
async function emptied(
  source: Source,
  session: Session,
  { options, found, context }: { readonly options: SessionApply } & Going,
): Promise<Ended> {
  const made = await checkedPlan(session, { ...options, allowEmpty: true });
  if (!made.ok) return made;
  const plan = judged(made.plan, judgeOf(source, session));
  found.plan = plan;
  mustHaveNoErrors(plan);
  const removed = deletions(plan);
  const changes = [...removed, ...plan.changes.filter(({ action }) => action === "forget")];
  const deletes = changes.length + takenAlong(removed);
  const held = { plan: waitingId(changes), deletes, allowed: 0 };
  const why = `the stack declares nothing any more; it owns ${Object.keys(made.inventory.entries).length} objects`;
  return onceApproved(session, { options, context, held, changes, saved: plan, why });
}

function isEmptied({ diagnostics }: Plan): boolean {
  return diagnostics.some(({ code }) => code === "empty-input");
}

/** No approval makes up for these, so that none is asked for. */
function mustHaveNoErrors({ diagnostics }: Plan): void {
  const [first] = diagnostics.filter(({ severity }) => severity === "error");
  if (first === undefined) return;
  const { summary, remedy = "mend what the diagnostics name" } = first;
  throw new Failure("refused", `the plan holds errors, so nothing was written: ${summary}`, {
    remedy,
  });
}

function endOf(carried: Awaited<ReturnType<typeof applySession>>): Ended {
  if (!carried.ok) return carried;
  const { applied: done, diagnostics } = carried;
  const { outcomes = [], residual = [] } = done ?? {};
  const isPartly = residual.length > 0 || outcomes.some(({ result }) => result !== "done");
  const result = outcomes.length === 0 ? "unchanged" : isPartly ? "partly" : "applied";
  return { ok: true, end: { result, applied: done }, diagnostics };
}

function judgeOf({ rules }: Source, { kinds }: Session) {
  return (plan: Plan): readonly Diagnostic[] => judge(plan, { rules, kinds });
}

/** Who writes, and whether that ships what was declared or puts back what somebody else changed. */
function authorOf(source: Source, plan: Plan): { readonly by: string; readonly message: string } {
  const counts = Object.entries(directionsOf(plan)).filter(([, count]) => count > 0);
  const message = counts.map(([direction, count]) => `${count} ${direction}`).join(", ");
  return { by: `svc controller ${source.name}`, message: message || "only the record" };
}

/** How many writes of a plan there are by who moved. */
export function directionsOf(
  plan: Plan,
): Readonly<Record<"unshipped" | "drifted" | "conflict", number>> {
  const counts = { unshipped: 0, drifted: 0, conflict: 0 };
  for (const { direction } of writes(plan)) counts[direction]++;
  return counts;
}

/** A bug in one source keeps no other from its rounds. */
function bug(cause: unknown): Failure {
  const name = cause instanceof Error ? cause.name : typeof cause;
  return new Failure("internal", `this is a bug in svc (${name}); please report it`, { cause });
}
