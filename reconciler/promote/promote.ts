// The verbs of pipelines that look and act, each one library call: status, promote, rollback; people have their say in words.ts.
import { Failure, invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { type Verdict, withSession } from "../session.ts";
import { candidateOf, runningIn, stageNamed, unpromised } from "./candidate.ts";
import type { Basis } from "./basis.ts";
import { decide, type Start, withdrawn } from "./decide.ts";
import { dryRecord, holdRecord, readRecord, recordStore } from "./keeper.ts";
import { type Status, statusOf } from "./matrix.ts";
import { pipelineIn, plainVersion, refused, stageOf } from "./named.ts";
import type { Stage } from "./pipeline.ts";
import { offList, type Reason } from "./reasons.ts";
import { type Promotion, stageRecord, verificationOf, type Word } from "./record.ts";
import { type Done, Run, type Way } from "./run.ts";
import { type PipelineOptions, termsFor } from "./terms.ts";
import { approved, askedFor, keptBack, rolledBack } from "./transitions.ts";
import { onTheWayBack, targetBack, unlistedBack } from "./way-back.ts";
import { byVersion, isListed, lookAt, type StageSight } from "./world.ts";
import { mustBeOnBranch, pushRest } from "./write.ts";

/** A pipeline as it stands, and what it has done. */
export interface Looked {
  readonly status: Status;
  /** What has ended, the newest first. */
  readonly history: readonly Promotion[];
  /** What people said, the newest first. */
  readonly words: readonly Word[];
}

/** Looks at a pipeline. Writes nothing anywhere. */
export async function pipelineStatus(options: PipelineOptions): Promise<Verdict<Looked>> {
  return withSession<Looked>(options, async (session, diagnostics) => {
    const pipeline = pipelineIn(session, options);
    const world = await lookAt(session, pipeline, options.signal);
    const record = await readRecord(await recordStore(session), pipeline.name);
    const basis: Basis = { pipeline, record, world, terms: termsFor(session, options) };
    const status = statusOf(basis, decide(basis));
    const { history, words = [] } = record;
    return { ok: true, status, history, words, diagnostics };
  });
}

/** What {@link promote} asks beside. */
export interface PromoteOptions extends PipelineOptions {
  /** Applied at once, or written into the manifests. */
  readonly way: Way;
  /** The one stage that is asked for; all that may go on by themselves where it is left out. */
  readonly to?: string | undefined;
  /** For that stage; its candidate where it is left out. */
  readonly version?: string | undefined;
  /** Why a stage is asked for, for whoever asks later. */
  readonly reason?: string | undefined;
  /** Asked before a version begins to come into a stage. */
  readonly approve: (step: Start) => Promise<boolean>;
}

/** What a promotion did. */
export interface Promoted extends Looked {
  readonly done: readonly Done[];
  /** Why stages could not go on that tried. */
  readonly failures: readonly Failure[];
  /** What was committed, or would be; empty where nothing was. */
  readonly diff: string;
}

/**
 * Goes on with everything that may go on: ends what was begun, verifies, and lets candidates in. With `to`, brings one stage to
 * a version, and touches no other; fails with `refused` where that may not be, naming what is missing in its details.
 */
export async function promote(options: PromoteOptions): Promise<Verdict<Promoted>> {
  return acting(options, async (run) => {
    if (options.to !== undefined) await askFor(run, options.to, options);
    await run.toTheEnd(options.approve, options.to);
  });
}

/** What {@link rollback} asks beside. */
export interface RollbackOptions extends PipelineOptions {
  readonly way: Way;
  readonly stage: string;
  /** Why, for whoever asks later. */
  readonly reason?: string | undefined;
  readonly approve: (step: Start) => Promise<boolean>;
}

/**
 * Brings a stage back to what it verified before, holds it there, and takes back what it had promised of the version it leaves.
 * A stage that is on its way back goes on with that, and one that came back last stays: it is held there, and no more is taken back.
 */
export async function rollback(options: RollbackOptions): Promise<Verdict<Promoted>> {
  return acting(options, async (run) => {
    const stage = stageOf(run.pipeline, options.stage);
    const sight = run.world.get(stage.name);
    invariant(sight !== undefined, "every stage was looked at");
    mustBeOpen(stage, run.terms.closed(stage, "rollback"));
    const isBegun =
      (await stayOnWayBack(run, options, sight)) || (await goBack(run, options, sight));
    if (isBegun) await run.toTheEnd(() => Promise.resolve(false), stage.name);
  });
}

/** Holds a stage on the way back that it is on; false where it is on none. */
async function stayOnWayBack(
  run: Run,
  { stage, reason }: RollbackOptions,
  sight: StageSight,
): Promise<boolean> {
  const under = onTheWayBack(stage, run.held.record, sight);
  if (under === undefined) return false;
  if (!under.isThere) run.underWay(stage);
  const { version, promotion } = under;
  const said = { ...run.actor, stage, version, reason, promotion };
  await run.held.change((now) => keptBack(now, said));
  return true;
}

/** Begins a way back; false where that is not confirmed. */
async function goBack(run: Run, options: RollbackOptions, sight: StageSight): Promise<boolean> {
  const stage = stageOf(run.pipeline, options.stage);
  const known = stageRecord(run.held.record, stage.name);
  const { rollout } = known;
  // What a way back leads to is not what is left: that was found wanting when it began.
  const isBack = rollout?.cause === "rollback" && rollout.failedAt === undefined;
  const leaving = isBack ? undefined : (rollout?.version ?? runningIn(sight));
  const back = targetBack({ known, sight }, leaving);
  if (back === undefined) {
    const gone = unlistedBack(stage.name, { known, sight }, leaving);
    const said = `${stage.name} has verified nothing but what it leaves`;
    throw refused(gone?.said ?? said, `name a version: ${toOf(run, stage)} --version V`);
  }
  run.mustFit(stage);
  const step: Start = { do: "start", stage: stage.name, cause: "rollback", ...back };
  if (!(await options.approve(step))) return false;
  const { pipeline } = run;
  const { reason } = options;
  await run.begin(step, (now, promotion) => {
    const { version } = back;
    const said = { ...run.actor, stage: stage.name, version, reason, promotion };
    return rolledBack(now, said, { leaving, pipeline });
  });
  return true;
}

function toOf({ pipeline }: Run, { name }: Stage): string {
  return `svc promote ${pipeline.name} --to ${name}`;
}

async function acting(
  options: PipelineOptions & { readonly way: Way },
  work: (run: Run) => Promise<void>,
): Promise<Verdict<Promoted>> {
  return withSession<Promoted>(options, async (session, diagnostics) => {
    const pipeline = pipelineIn(session, options);
    const { way } = options;
    const isDry = way !== "direct" && way.dry;
    const isRecorded = way === "direct" || !(way.dry || way.request === true);
    if (way !== "direct") await mustBeOnBranch(session, options.env);
    const lock = isRecorded
      ? await holdRecord(session, pipeline.name)
      : await dryRecord(session, pipeline.name);
    try {
      const signal =
        options.signal === undefined ? lock.lost : AbortSignal.any([options.signal, lock.lost]);
      const world = await lookAt(session, pipeline, signal);
      const run = new Run({
        session,
        pipeline,
        held: lock,
        options: { ...options, signal },
        way,
        world,
      });
      // What a run committed that ended before it pushed.
      const pushes = way !== "direct" && way.push && !isDry;
      if (pushes) await pushRest(session, options.env);
      await work(run);
      if (pushes) await pushRest(session, options.env);
      const { done, failures, status, found } = run;
      const diff = run.diffs.join("");
      const { history, words = [] } = lock.record;
      const told = [...diagnostics, ...found];
      return { ok: true, done, failures, status, diff, history, words, diagnostics: told };
    } finally {
      await lock.release();
    }
  });
}

/** Somebody asks for a stage by name: it may be brought to what was promised, or to what it verified itself. */
async function askFor(run: Run, to: string, options: PromoteOptions): Promise<void> {
  const stage = stageOf(run.pipeline, to);
  const { basis } = run;
  const found = candidateOf(stage, basis);
  const version = options.version === undefined ? found.version : plainVersion(options.version);
  if (version === undefined) {
    const why = found.notes.map(({ said }) => said).join("; ");
    throw refused(`nothing is there to be promoted to ${stage.name}${why && `: ${why}`}`);
  }
  if (run.way !== "direct" && run.way.request === true) {
    const said = { ...run.actor, stage: stage.name, version, reason: "requested" };
    await run.held.change((now) => approved(now, said));
  }
  mustBeAdmitted(stage, version, run.basis);
  const sight = basis.world.get(stage.name);
  const known = stageRecord(basis.record, stage.name);
  const isThere =
    sight !== undefined && runningIn(sight) === version && known.rollout === undefined;
  const isUnderWay = known.rollout?.version === version && known.rollout.failedAt === undefined;
  run.mustFit(stage);
  const step: Start = { do: "start", stage: stage.name, version, cause: "asked" };
  if (!isThere && !isUnderWay && !(await options.approve(step))) return;
  const { reason } = options;
  const said = { ...run.actor, stage: stage.name, version, reason };
  if (isThere || isUnderWay) {
    return run.held.change((now) => askedFor(now, said, found.version));
  }
  await run.begin(step, (now, promotion) => askedFor(now, { ...said, promotion }, found.version));
}

/** The newest versions that may come in. */
function listedText(sight: StageSight | undefined): string | undefined {
  const all = new Set((sight?.versions ?? []).map(({ version }) => version));
  const listed = [...all].filter((one) => sight !== undefined && isListed(sight, one));
  const newest = listed.toSorted(byVersion).toReversed().slice(0, limits.placesNamed);
  return newest.length === 0 ? undefined : `those that it may run: ${newest.join(", ")}`;
}

/** Fails with `refused` where the version may not come into the stage, not even when asked for. */
function mustBeAdmitted(stage: Stage, version: string, basis: Basis): void {
  const { record, world, terms } = basis;
  const sight = world.get(stage.name);
  const known = stageRecord(record, stage.name);
  if (sight === undefined || !isListed(sight, version)) {
    throw refused(offList(stage.name, version).said, listedText(sight));
  }
  const [gone] = withdrawn({ stage, basis }, version);
  if (gone !== undefined) throw refused(gone.said);
  const own = verificationOf(known, version)?.passed === true;
  if ("stage" in stage.enters && !own) {
    const from = stageNamed(basis, stage.enters.stage);
    const upstream = verificationOf(stageRecord(record, from.name), version);
    if (upstream === undefined) throw refused(`${from.name} has not verified ${version}`);
    const against = unpromised(from, upstream, terms.now);
    if (against !== undefined) throw refused(against.said);
  }
  if (!stage.isAutomatic && !known.approvals.some((one) => one.version === version)) {
    throw new Failure("refused", `nobody has approved ${version} for ${stage.name}`, {
      details: { confirmation: "approval", stage: stage.name, version },
      remedy: `svc promote approve ${basis.pipeline.name} --stage ${stage.name} --version ${version}`,
    });
  }
  mustBeOpen(stage, terms.closed(stage, "asked"));
}

function mustBeOpen(stage: Stage, closed: Reason | undefined): void {
  if (closed === undefined) return;
  throw new Failure("closed", `${stage.name} must not change now: ${closed.said}`, {
    details: { opens: closed.until },
    remedy:
      closed.until === undefined ? "it does not open within a year" : `it opens at ${closed.until}`,
  });
}
