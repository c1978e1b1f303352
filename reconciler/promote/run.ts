// A promotion under way: decides, does the first thing that may be done, records it, and decides again until nothing may.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure, invariant, isFailure } from "../../core/errors.ts";
import type { Session } from "../session.ts";
import type { Terms } from "./basis.ts";
import { runChecks } from "./checks.ts";
import { type Batch, decide, failedNow, type Revert, type Start, type Step } from "./decide.ts";
import { type Move, moveDirectly } from "./direct.ts";
import type { HeldRecord } from "./keeper.ts";
import { type Status, statusOf } from "./matrix.ts";
import type { Pipeline, Stage } from "./pipeline.ts";
import { failedIn, type Reason } from "./reasons.ts";
import { type PipelineRecord, type Rollout, stageRecord } from "./record.ts";
import { type Actor, checked, finished, started, traced } from "./transitions.ts";
import { isLeftAlone } from "../planning/leave-alone.ts";
import { actorOf, checkGrants, clockOf, type PipelineOptions, setsFor, termsFor } from "./terms.ts";
import { writeVersions, type WriteTerms } from "./write.ts";
import { selected } from "./selection.ts";
import { releasesOf, type StageObject, type World } from "./world.ts";

/** One step that was done. */
export type Done = Step & { readonly passed?: boolean };

/** How a promotion acts: it applies at once, or writes manifests. */
export type Way = "direct" | WriteTerms;

/** A promotion under way. */
export class Run {
  readonly session: Session;
  readonly pipeline: Pipeline;
  readonly held: HeldRecord;
  readonly options: PipelineOptions;
  readonly way: Way;
  readonly done: Done[] = [];
  /** Of what was written into manifests, or would be. */
  readonly diffs: string[] = [];
  readonly failures: Failure[] = [];
  /** What plans told, and policies over them. */
  readonly found: Diagnostic[] = [];
  readonly #inVain = new Map<string, Reason>();
  readonly #looked = new Set<string>();
  world: World;

  constructor(parts: {
    readonly session: Session;
    readonly pipeline: Pipeline;
    readonly held: HeldRecord;
    readonly options: PipelineOptions;
    readonly way: Way;
    readonly world: World;
  }) {
    this.session = parts.session;
    this.pipeline = parts.pipeline;
    this.held = parts.held;
    this.options = parts.options;
    this.way = parts.way;
    this.world = parts.world;
  }

  /** What is known and decided now. */
  get basis(): Parameters<typeof decide>[0] {
    const { pipeline, world, held } = this;
    return { pipeline, world, record: held.record, terms: this.terms };
  }

  get terms(): Terms {
    return { ...termsFor(this.session, this.options), inVain: this.#inVain, looked: this.#looked };
  }

  /** Who acts, and the moment. */
  get actor(): Actor {
    return actorOf(this.options, this.session.desired.stack);
  }

  get wayName(): Rollout["way"] {
    return this.way === "direct" ? "direct" : "write";
  }

  get status(): Status {
    return statusOf(this.basis, decide(this.basis));
  }

  /**
   * Goes on until nothing more may be done, in one stage or in all; `approve` is asked before a version begins to come in by
   * itself.
   */
  async toTheEnd(approve: (step: Start) => Promise<boolean>, only?: string): Promise<void> {
    const objects = [...this.world.values()].reduce((sum, one) => sum + one.objects.length, 0);
    // Every object moves and is checked at most once to a version and once back.
    const most = 4 * objects + 8 * this.pipeline.stages.length;
    for (let turn = 0; turn < most; turn++) {
      if (this.options.signal?.aborted === true)
        throw new Failure("aborted", "stopped between two steps");
      // Somebody may have held a stage since the last step.
      await this.held.look();
      const next = decide(this.basis)
        .filter(({ stage }) => only === undefined || stage === only)
        .find(({ step }) => step !== undefined)?.step;
      if (next === undefined) return this.#tellFailed(only);
      await this.#attempt(next, approve);
    }
    invariant(false, "a promotion comes to its end");
  }

  /** What failed in an earlier run and runs all the same is a failure of this one too. */
  #tellFailed(only: string | undefined): void {
    for (const stage of this.pipeline.stages) {
      const version = failedNow(stage, this.basis);
      const isTold = this.#looked.has(stage.name) || this.#inVain.has(stage.name);
      if (version === undefined || isTold || (only !== undefined && only !== stage.name)) continue;
      this.failures.push(new Failure("refused", failedIn(stage.name, version).said));
    }
  }

  async #attempt(step: Step, approve: (step: Start) => Promise<boolean>): Promise<void> {
    try {
      if (step.do === "start" && step.cause === "candidate") {
        this.mustFit(this.stage(step.stage));
        if (!(await approve(step))) return this.#giveUp(step.stage, "it was not confirmed");
      }
      await this.carryOut(step);
    } catch (error) {
      if (!isFailure(error) || error.code === "aborted" || error.code === "locked") throw error;
      this.failures.push(error);
      this.#giveUp(step.stage, error.message);
    }
  }

  #giveUp(stage: string, said: string): void {
    this.#inVain.set(stage, { code: "not-done", said });
  }

  stage(name: string): Stage {
    const found = this.pipeline.stages.find((one) => one.name === name);
    invariant(found !== undefined, "a step is of a stage of the pipeline");
    return found;
  }

  objects(stage: string): readonly StageObject[] {
    return this.world.get(stage)?.objects ?? [];
  }

  /** Fails with `refused` where the manifests of a stage do not go with the way of acting. */
  mustFit(stage: Stage): void {
    const { name } = stage;
    const now = clockOf(this.options)();
    const kept = selected(stage, this.session.desired.wishes).find((wish) =>
      isLeftAlone(wish, [releasesOf(wish.kind).field, "version"], now),
    );
    if (kept !== undefined) {
      const message = `${kept.address} is not managed: its document leaves alone what it runs`;
      throw new Failure("refused", message, {
        remedy: "let metadata.lifecycle manage updates of it, or take it out of the stage",
      });
    }
    const pinned = this.objects(name).filter((one) => one.pinned !== undefined);
    const [first] = pinned;
    if (this.wayName === "direct" && first !== undefined) {
      const message = `${first.address} pins its version in its document, so what is applied directly would be undone`;
      throw new Failure("refused", message, {
        remedy: "promote with --write, or take the version out of the document",
      });
    }
    const free = this.objects(name).find((one) => one.pinned === undefined);
    if (this.wayName === "write" && free !== undefined) {
      const message = `${free.address} pins no version in its document, so there is nothing to write`;
      throw new Failure("refused", message, {
        remedy: "promote with --direct, or pin the version that it runs in the document",
      });
    }
  }

  /** Does one step and records it. */
  async carryOut(step: Step): Promise<void> {
    if (step.do === "start") return this.begin(step);
    else if (step.do === "move") await this.#move(step);
    else if (step.do === "revert") await this.#revert(step);
    else if (step.do === "verify") await this.#verify(step);
    else {
      const how = { pipeline: this.pipeline, actor: this.actor };
      await this.held.change((now) => finished(now, step, how));
    }
    if (step.do !== "verify") this.done.push(step);
  }

  /** Begins a rollout, together with what else the record is to hold from then on: one write, so that there is no half of it. */
  async begin(
    step: Start,
    first: (record: PipelineRecord, promotion: string) => PipelineRecord = (record) => record,
  ): Promise<void> {
    this.mustFit(this.stage(step.stage));
    const sight = this.world.get(step.stage);
    invariant(sight !== undefined, "every stage was looked at");
    const { wayName: way, actor } = this;
    const id = crypto.randomUUID();
    await this.held.change((now) => {
      // Somebody held it this very moment, which the next decision sees.
      const isHeld = stageRecord(now, step.stage).hold !== undefined;
      if (step.cause === "candidate" && isHeld) return now;
      return started(first(now, id), step, { id, sight, way, actor });
    });
    if (stageRecord(this.held.record, step.stage).rollout?.id === id) this.done.push(step);
  }

  /** What is under way in a stage. Fails with `refused` where it was begun in another way than this run acts. */
  underWay(stage: string): Rollout {
    const { rollout } = stageRecord(this.held.record, stage);
    invariant(rollout !== undefined, "only what is under way moves");
    if (rollout.way !== this.wayName) {
      const message = `the promotion of ${stage} was begun with --${rollout.way}`;
      throw new Failure("refused", message, { remedy: `go on with --${rollout.way}` });
    }
    this.mustFit(this.stage(stage));
    return rollout;
  }

  /** Objects that run several versions are written version by version. */
  async #revert({ stage, addresses }: Revert): Promise<void> {
    const { id } = this.underWay(stage);
    invariant(this.way !== "direct", "only what was written is written back");
    const wanted = this.objects(stage).filter(({ address }) => addresses.includes(address));
    for (const [version, objects] of Map.groupBy(wanted, (one) => one.version)) {
      invariant(version !== undefined, "what runs nothing is not written back");
      const own = objects.map(({ address }) => address);
      const step: Batch = { do: "move", stage, version, addresses: own };
      await this.#writeManifests(step, { terms: this.way, id });
    }
  }

  async #move(step: Batch): Promise<void> {
    const rollout = this.underWay(step.stage);
    if (this.way !== "direct")
      return this.#writeManifests(step, { terms: this.way, id: rollout.id });
    const { version } = step;
    const asked = { ...this.#toldOf(step), sets: this.#setsFor(step, rollout.cause) };
    const { moved, failures, found, run } = await moveDirectly(this.session, asked, this.options);
    this.#find(found);
    await this.held.change((now) => traced(now, step.stage, { run }));
    this.#saw(step, new Set(moved), { version });
    if (failures.length === 0) return;
    const message = `${step.stage} could not be moved whole: ${failures.join("; ")}`;
    throw new Failure("unavailable", message, { remedy: "promote again: it goes on from here" });
  }

  /** What is told of every batch is told once. */
  #find(found: readonly Diagnostic[]): void {
    const known = new Set(this.found.map((one) => `${one.code} ${one.summary}`));
    this.found.push(...found.filter((one) => !known.has(`${one.code} ${one.summary}`)));
  }

  #setsFor({ stage }: Batch, cause: Rollout["cause"]): Session["sets"] {
    return setsFor(this.stage(stage), cause, { ...this.session, ...this.options });
  }

  #toldOf({ addresses, stage, version }: Batch): Omit<Move, "sets"> {
    const message = `Promote ${stage} of ${this.pipeline.name} to ${version}`;
    return { addresses, version, by: this.options.by, message };
  }

  async #writeManifests(
    step: Batch,
    { terms, id }: { readonly terms: WriteTerms; readonly id: string },
  ): Promise<void> {
    const { cwd, env, by } = this.options;
    const pipeline = this.pipeline.name;
    const { diff, commit } = await writeVersions(this.session, {
      ...step,
      ...terms,
      pipeline,
      by,
      id,
      cwd,
      env,
    });
    this.diffs.push(diff);
    await this.held.change((now) => traced(now, step.stage, { commit }));
    this.#saw(step, new Set(step.addresses), { pinned: step.version });
  }

  /** What was applied was read back by then, and what was written was written whole. */
  #saw({ stage }: Batch, moved: ReadonlySet<string>, now: Partial<StageObject>): void {
    const sight = this.world.get(stage);
    invariant(sight !== undefined, "every stage was looked at");
    const objects = sight.objects.map((one) => (moved.has(one.address) ? { ...one, ...now } : one));
    this.world = new Map([...this.world, [stage, { ...sight, objects }]]);
  }

  async #verify(step: Batch): Promise<void> {
    if (this.way !== "direct" && this.way.dry) {
      return this.#giveUp(step.stage, `${step.version} is to be verified first`);
    }
    this.#looked.add(step.stage);
    const wanted = new Set(step.addresses);
    const subject = {
      stage: this.stage(step.stage),
      version: step.version,
      objects: this.objects(step.stage).filter(({ address }) => wanted.has(address)),
    };
    const { env, signal } = this.options;
    const evidence = await runChecks(subject, {
      grants: checkGrants(this.options),
      env,
      signal,
      now: clockOf(this.options),
    });
    const passed = evidence.every((one) => one.passed);
    this.done.push({ ...step, passed });
    const how = { pipeline: this.pipeline, actor: this.actor };
    await this.held.change((now) => checked(now, { ...step, evidence }, how));
    if (passed) return;
    const failed = evidence.filter((one) => !one.passed);
    const said = failed.slice(0, 3).map((one) => `${one.check} ${one.said}`);
    this.failures.push(
      new Failure("refused", `${step.version} did not pass in ${step.stage}: ${said.join("; ")}`),
    );
  }
}
