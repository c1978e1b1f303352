// The verbs of pipelines, each one library call: status, promote, approve, hold, release, rollback.
import { Failure } from "../../core/errors.ts";
import { nearest } from "../../core/names.ts";
import { hasErrors } from "../../core/diagnostics.ts";
import { type OpenOptions, openStores } from "../inventory/open.ts";
import { loadStack } from "../manifest/load.ts";
import { type Session, type Verdict, withSession } from "../session.ts";
import { candidateOf, runningIn, stageNamed, unpromised } from "./candidate.ts";
import { type Basis, decide, lastVerified, type Start, withdrawn } from "./decide.ts";
import { dryRecord, holdRecord, readRecord, recordStore } from "./keeper.ts";
import { type Status, statusOf } from "./matrix.ts";
import type { Pipeline, Stage } from "./pipeline.ts";
import { offList, type Reason } from "./reasons.ts";
import { type PipelineRecord, type Promotion, stageRecord, verificationOf } from "./record.ts";
import { clockOf, type Done, type PipelineOptions, Run, termsFor, type Way } from "./run.ts";
import { approved, held, rejected, released } from "./transitions.ts";
import { isListed, lookAt } from "./world.ts";
import { pushRest } from "./write.ts";

/** A pipeline as it stands, and what it has done. */
export interface Looked {
  readonly status: Status;
  /** What has ended, the newest first. */
  readonly history: readonly Promotion[];
}

/** Looks at a pipeline. Writes nothing anywhere. */
export async function pipelineStatus(options: PipelineOptions): Promise<Verdict<Looked>> {
  return withSession<Looked>(options, async (session, diagnostics) => {
    const pipeline = pipelineIn(session, options);
    const world = await lookAt(session, pipeline, options.signal);
    const record = await readRecord(await recordStore(session), pipeline.name);
    const basis: Basis = { pipeline, record, world, terms: termsFor(session, options) };
    const status = statusOf(basis, decide(basis));
    return { ok: true, status, history: record.history, diagnostics };
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
  readonly approve: (step: Start) => Promise<boolean>;
}

/** Brings a stage back to what it verified before, holds it there, and takes back what it had promised of the version it leaves. */
export async function rollback(options: RollbackOptions): Promise<Verdict<Promoted>> {
  return acting(options, async (run) => {
    const stage = stageOf(run.pipeline, options.stage);
    const known = stageRecord(run.held.record, stage.name);
    const sight = run.world.get(stage.name);
    const leaving = known.rollout?.version ?? (sight && runningIn(sight));
    const back = lastVerified(known, leaving);
    if (back === undefined || sight === undefined) {
      throw new Failure("refused", `${stage.name} has verified nothing but what it runs`, {
        remedy: `name a version: svc promote ${run.pipeline.name} --to ${stage.name} --version V`,
      });
    }
    if (!isListed(sight, back)) throw refused(offList(stage.name, back).said);
    mustBeOpen(stage, run.terms.closed(stage, "rollback"));
    run.mustFit(stage);
    const step: Start = { do: "start", stage: stage.name, version: back, cause: "rollback" };
    if (!(await options.approve(step))) return;
    const reason = `rolled back from ${leaving ?? "several versions"} to ${back}`;
    await run.begin(step, (now) => {
      const how = { pipeline: run.pipeline, actor: run.actor };
      // What runs side by side is no one version to be found wanting.
      const version = leaving;
      const without =
        version === undefined ? now : rejected(now, { stage: stage.name, version }, how);
      return held(without, stage.name, { ...run.actor, reason });
    });
    await run.toTheEnd(() => Promise.resolve(false), stage.name);
  });
}

async function acting(
  options: PipelineOptions & { readonly way: Way },
  work: (run: Run) => Promise<void>,
): Promise<Verdict<Promoted>> {
  return withSession<Promoted>(options, async (session, diagnostics) => {
    const pipeline = pipelineIn(session, options);
    const store = await recordStore(session);
    const { way } = options;
    const isDry = way !== "direct" && way.dry;
    const lock = isDry
      ? await dryRecord(store, pipeline.name)
      : await holdRecord(store, pipeline.name, `promote ${pipeline.name}`);
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
      const { history } = lock.record;
      const told = [...diagnostics, ...found];
      return { ok: true, done, failures, status, diff, history, diagnostics: told };
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
  const version = options.version === undefined ? found.version : plain(options.version);
  if (version === undefined) {
    const why = found.notes.map(({ said }) => said).join("; ");
    throw refused(`nothing is there to be promoted to ${stage.name}${why && `: ${why}`}`);
  }
  mustBeAdmitted(stage, version, basis);
  const sight = basis.world.get(stage.name);
  const known = stageRecord(basis.record, stage.name);
  const isCandidate = version === found.version;
  const isThere =
    sight !== undefined && runningIn(sight) === version && known.rollout === undefined;
  const isUnderWay = known.rollout?.version === version && known.rollout.failedAt === undefined;
  run.mustFit(stage);
  const step: Start = { do: "start", stage: stage.name, version, cause: "asked" };
  if (!isThere && !isUnderWay && !(await options.approve(step))) return;
  const asked = (now: PipelineRecord): PipelineRecord => {
    if (isCandidate) return released(now, stage.name);
    const reason = `${version} was asked for${found.version === undefined ? "" : `, and not ${found.version}`}`;
    return held(now, stage.name, { ...run.actor, reason });
  };
  await (isThere || isUnderWay ? run.record(asked) : run.begin(step, asked));
}

/** Fails with `refused` where the version may not come into the stage, not even when asked for. */
function mustBeAdmitted(stage: Stage, version: string, basis: Basis): void {
  const { record, world, terms } = basis;
  const sight = world.get(stage.name);
  const known = stageRecord(record, stage.name);
  if (sight === undefined || !isListed(sight, version)) {
    throw refused(offList(stage.name, version).said, "see svc promote status for those that are");
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

/** What {@link approve}, {@link hold} and {@link release} name. */
export interface StageWord extends PipelineOptions {
  readonly stage: string;
}

/** The same for what asks no server. */
export type RecordedWord = Omit<StageWord, "connection" | "may"> & Pick<OpenOptions, "access">;

/** Lets a version into a stage; its candidate where none is named. Answers the version. */
export async function approve(
  options: StageWord & { readonly version?: string | undefined },
): Promise<Verdict<{ readonly version: string }>> {
  return withSession<{ version: string }>(options, async (session, diagnostics) => {
    const pipeline = pipelineIn(session, options);
    const stage = stageOf(pipeline, options.stage);
    const world = await lookAt(session, pipeline, options.signal);
    const lock = await holdRecord(await recordStore(session), pipeline.name, "approve");
    try {
      const basis: Basis = {
        pipeline,
        world,
        record: lock.record,
        terms: termsFor(session, options),
      };
      const named = options.version === undefined ? undefined : plain(options.version);
      const version = named ?? candidateOf(stage, basis).version;
      if (version === undefined) throw refused(`nothing is there to be approved for ${stage.name}`);
      const [gone] = withdrawn({ stage, basis }, version);
      if (gone !== undefined) throw refused(gone.said);
      const actor = { by: options.by, at: clockOf(options)().toISOString() };
      await lock.write(approved(lock.record, stage.name, { version, ...actor }));
      return { ok: true, version, diagnostics };
    } finally {
      await lock.release();
    }
  });
}

/** Keeps candidates out of a stage until it is released, or the candidate is asked for by name. Asks a server only where that keeps the inventory. */
export async function hold(
  options: RecordedWord & { readonly reason: string },
): Promise<Verdict<object>> {
  const { by, reason } = options;
  const at = clockOf(options)().toISOString();
  return recording(options, (now, stage) => held(now, stage, { by, at, reason }));
}

/** Lets candidates into a stage again. Asks a server only where that keeps the inventory. */
export async function release(options: RecordedWord): Promise<Verdict<object>> {
  return recording(options, (now, stage) => {
    if (stageRecord(now, stage).hold !== undefined) return released(now, stage);
    throw new Failure("not_found", `nobody holds ${stage}`);
  });
}

async function recording(
  options: RecordedWord,
  change: (record: PipelineRecord, stage: string) => PipelineRecord,
): Promise<Verdict<object>> {
  const { desired, diagnostics } = await loadStack(options);
  if (desired === undefined || hasErrors(diagnostics)) return { ok: false, diagnostics };
  const pipeline = pipelineIn({ desired }, options);
  const stage = stageOf(pipeline, options.stage);
  await using stores = openStores(desired.stack, options);
  const lock = await holdRecord(await recordStore(stores), pipeline.name, "hold");
  try {
    await lock.write(change(lock.record, stage.name));
    return { ok: true, diagnostics };
  } finally {
    await lock.release();
  }
}

function pipelineIn(
  { desired }: Pick<Session, "desired">,
  { pipeline: name }: Pick<PipelineOptions, "pipeline">,
): Pipeline {
  const { pipelines = [], stack } = desired;
  const found = pipelines.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new Failure("usage", `the stack ${stack.name} has no pipeline "${name}"`, {
    remedy: guess(
      name,
      pipelines.map((one) => one.name),
      "its pipelines are",
    ),
  });
}

function stageOf({ name: pipeline, stages }: Pipeline, name: string): Stage {
  const found = stages.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new Failure("usage", `the pipeline ${pipeline} has no stage "${name}"`, {
    remedy: guess(
      name,
      stages.map((one) => one.name),
      "its stages are",
    ),
  });
}

function guess(name: string, known: readonly string[], lead: string): string {
  const meant = nearest(name, known);
  if (meant !== undefined) return `did you mean "${meant}"?`;
  return known.length === 0 ? "add a document of kind Pipeline" : `${lead} ${known.join(", ")}`;
}

/** `1.2.3` of what the API would take as well. Fails with `usage` for anything else. */
function plain(version: string): string {
  const found = /^(?:[^:]+:v|v)?(\d+\.\d+\.\d+)$/u.exec(version)?.[1];
  if (found !== undefined) return found;
  throw new Failure("usage", `"${version}" is not a version`, { remedy: "write 1.2.3" });
}

function refused(said: string, remedy?: string): Failure {
  return new Failure("refused", said, remedy === undefined ? {} : { remedy });
}
