// A promotion under way: decides, does the first thing that may be done, records it, and decides again until nothing may.
import type { Diagnostic } from "../core/diagnostics.ts";
import { Failure, invariant, isFailure } from "../core/errors.ts";
import type { Session } from "../reconciler/verbs/session.ts";
import type { DecisionContext } from "./decision-input.ts";
import { runChecks } from "./checks.ts";
import {
  type BatchStep,
  decide,
  failedVersion,
  type RevertStep,
  type StartStep,
  type PromotionStep,
} from "./decide.ts";
import { type VersionMove, applyVersion } from "./direct-apply.ts";
import type { LockedRecord } from "./record-store.ts";
import { type PipelineStatus, statusOf } from "./status.ts";
import type { Pipeline, Stage } from "./pipeline.ts";
import { failedReason, type BlockedReason } from "./blocked-reasons.ts";
import { type PipelineRecord, type Rollout, stageRecord } from "./record.ts";
import {
  type Actor,
  recordChecks,
  finishRollout,
  startRollout,
  recordTrace,
} from "./transitions.ts";
import { isIgnored } from "../reconciler/engine/ignore-rules.ts";
import {
  actorOf,
  checkGrants,
  clockOf,
  type PipelineOptions,
  windowRuleSetsFor,
  decisionContextFor,
} from "./options.ts";
import { writeVersions, type ManifestWriteOptions } from "./manifest-write.ts";
import { selectedObjects } from "./selection.ts";
import { releasesOf, type StageObject, type PipelineSnapshot } from "./snapshot.ts";

/** One step that was done. */
export type CompletedStep = PromotionStep & { readonly passed?: boolean };

/** How a promotion acts: it applies at once, or writes manifests. */
export type PromotionMode = "direct" | ManifestWriteOptions;

/** A promotion under way. */
export class PromotionRun {
  readonly session: Session;
  readonly pipeline: Pipeline;
  readonly lockedRecord: LockedRecord;
  readonly options: PipelineOptions;
  readonly mode: PromotionMode;
  readonly done: CompletedStep[] = [];
  /** Of what was written into manifests, or would be. */
  readonly diffs: string[] = [];
  readonly failures: Failure[] = [];
  /** What plans told, and policies over them. */
  readonly diagnostics: Diagnostic[] = [];
  readonly #failedStages = new Map<string, BlockedReason>();
  readonly #verifiedStages = new Set<string>();
  snapshot: PipelineSnapshot;

  constructor(parts: {
    readonly session: Session;
    readonly pipeline: Pipeline;
    readonly held: LockedRecord;
    readonly options: PipelineOptions;
    readonly mode: PromotionMode;
    readonly snapshot: PipelineSnapshot;
  }) {
    this.session = parts.session;
    this.pipeline = parts.pipeline;
    this.lockedRecord = parts.held;
    this.options = parts.options;
    this.mode = parts.mode;
    this.snapshot = parts.snapshot;
  }

  /** What is known and decided now. */
  get decisionInput(): Parameters<typeof decide>[0] {
    const { pipeline, snapshot, lockedRecord: held } = this;
    return { pipeline, snapshot, record: held.record, context: this.decisionContext };
  }

  get decisionContext(): DecisionContext {
    return {
      ...decisionContextFor(this.session, this.options),
      failedStages: this.#failedStages,
      verifiedStages: this.#verifiedStages,
    };
  }

  /** Who acts, and the moment. */
  get actor(): Actor {
    return actorOf(this.options, this.session.desired.stack);
  }

  get modeName(): Rollout["mode"] {
    return this.mode === "direct" ? "direct" : "write";
  }

  get status(): PipelineStatus {
    return statusOf(this.decisionInput, decide(this.decisionInput));
  }

  /**
   * Goes on until nothing more may be done, in one stage or in all; `approve` is asked before a version begins to come in by
   * itself.
   */
  async runToCompletion(
    approve: (step: StartStep) => Promise<boolean>,
    only?: string,
  ): Promise<void> {
    const objects = [...this.snapshot.values()].reduce((sum, one) => sum + one.objects.length, 0);
    // Every object moves and is checked at most once to a version and once back.
    const most = 4 * objects + 8 * this.pipeline.stages.length;
    for (let turn = 0; turn < most; turn++) {
      if (this.options.signal?.aborted === true)
        throw new Failure("aborted", "stopped between two steps");
      // Somebody may have held a stage since the last step.
      await this.lockedRecord.refresh();
      const next = decide(this.decisionInput)
        .filter(({ stage }) => only === undefined || stage === only)
        .find(({ step }) => step !== undefined)?.step;
      if (next === undefined) return this.#reportEarlierFailures(only);
      await this.#attempt(next, approve);
    }
    invariant(false, "a promotion comes to its end");
  }

  /** What failed in an earlier run and runs all the same is a failure of this one too. */
  #reportEarlierFailures(only: string | undefined): void {
    for (const stage of this.pipeline.stages) {
      const version = failedVersion(stage, this.decisionInput);
      const isTold = this.#verifiedStages.has(stage.name) || this.#failedStages.has(stage.name);
      if (version === undefined || isTold || (only !== undefined && only !== stage.name)) continue;
      this.failures.push(new Failure("refused", failedReason(stage.name, version).message));
    }
  }

  async #attempt(
    step: PromotionStep,
    approve: (step: StartStep) => Promise<boolean>,
  ): Promise<void> {
    try {
      if (step.action === "start" && step.cause === "candidate") {
        this.requireMatchingMode(this.stage(step.stage));
        if (!(await approve(step))) return this.#markFailed(step.stage, "it was not confirmed");
      }
      await this.executeStep(step);
    } catch (error) {
      if (!isFailure(error) || error.code === "aborted" || error.code === "locked") throw error;
      this.failures.push(error);
      this.#markFailed(step.stage, error.message);
    }
  }

  #markFailed(stage: string, message: string): void {
    this.#failedStages.set(stage, { code: "attempt-failed", message });
  }

  stage(name: string): Stage {
    const found = this.pipeline.stages.find((one) => one.name === name);
    invariant(found !== undefined, "a step is of a stage of the pipeline");
    return found;
  }

  objects(stage: string): readonly StageObject[] {
    return this.snapshot.get(stage)?.objects ?? [];
  }

  /** Fails with `refused` where the manifests of a stage do not go with the way of acting. */
  requireMatchingMode(stage: Stage): void {
    const { name } = stage;
    const now = clockOf(this.options)();
    const kept = selectedObjects(stage, this.session.desired.objects).find((declared) =>
      isIgnored(declared, [releasesOf(declared.kind).field, "version"], now),
    );
    if (kept !== undefined) {
      const message = `${kept.address} is not managed: its document leaves alone what it runs`;
      throw new Failure("refused", message, {
        remedy: "let metadata.lifecycle manage updates of it, or take it out of the stage",
      });
    }
    const pinned = this.objects(name).filter((one) => one.pinned !== undefined);
    const [first] = pinned;
    if (this.modeName === "direct" && first !== undefined) {
      const message = `${first.address} pins its version in its document, so what is applied directly would be undone`;
      throw new Failure("refused", message, {
        remedy: "promote with --write, or take the version out of the document",
      });
    }
    const free = this.objects(name).find((one) => one.pinned === undefined);
    if (this.modeName === "write" && free !== undefined) {
      const message = `${free.address} pins no version in its document, so there is nothing to write`;
      throw new Failure("refused", message, {
        remedy: "promote with --direct, or pin the version that it runs in the document",
      });
    }
  }

  /** Does one step and records it. */
  async executeStep(step: PromotionStep): Promise<void> {
    if (step.action === "start") return this.begin(step);
    else if (step.action === "move") await this.#move(step);
    else if (step.action === "revert") await this.#revert(step);
    else if (step.action === "verify") await this.#verify(step);
    else {
      const how = { pipeline: this.pipeline, actor: this.actor };
      await this.lockedRecord.update((now) => finishRollout(now, step, how));
    }
    if (step.action !== "verify") this.done.push(step);
  }

  /** Begins a rollout, together with what else the record is to hold from then on: one write, so that there is no half of it. */
  async begin(
    step: StartStep,
    first: (record: PipelineRecord, promotion: string) => PipelineRecord = (record) => record,
  ): Promise<void> {
    this.requireMatchingMode(this.stage(step.stage));
    const stageSnapshot = this.snapshot.get(step.stage);
    invariant(stageSnapshot !== undefined, "every stage was looked at");
    const { modeName: mode, actor } = this;
    const id = crypto.randomUUID();
    await this.lockedRecord.update((now) => {
      // Somebody held it this very moment, which the next decision sees.
      const isHeld = stageRecord(now, step.stage).hold !== undefined;
      if (step.cause === "candidate" && isHeld) return now;
      return startRollout(first(now, id), step, { id, snapshot: stageSnapshot, mode, actor });
    });
    if (stageRecord(this.lockedRecord.record, step.stage).rollout?.id === id) this.done.push(step);
  }

  /** What is under way in a stage. Fails with `refused` where it was begun in another way than this run acts. */
  activeRollout(stage: string): Rollout {
    const { rollout } = stageRecord(this.lockedRecord.record, stage);
    invariant(rollout !== undefined, "only what is under way moves");
    if (rollout.mode !== this.modeName) {
      const message = `the promotion of ${stage} was begun with --${rollout.mode}`;
      throw new Failure("refused", message, { remedy: `go on with --${rollout.mode}` });
    }
    this.requireMatchingMode(this.stage(stage));
    return rollout;
  }

  /** Objects that run several versions are written version by version. */
  async #revert({ stage, addresses }: RevertStep): Promise<void> {
    const { id } = this.activeRollout(stage);
    invariant(this.mode !== "direct", "only what was written is written back");
    const wanted = this.objects(stage).filter(({ address }) => addresses.includes(address));
    for (const [version, objects] of Map.groupBy(wanted, (one) => one.version)) {
      invariant(version !== undefined, "what runs nothing is not written back");
      const own = objects.map(({ address }) => address);
      const step: BatchStep = { action: "move", stage, version, addresses: own };
      await this.#writeManifests(step, { context: this.mode, id });
    }
  }

  async #move(step: BatchStep): Promise<void> {
    const rollout = this.activeRollout(step.stage);
    if (this.mode !== "direct")
      return this.#writeManifests(step, { context: this.mode, id: rollout.id });
    const { version } = step;
    const asked = {
      ...this.#moveOf(step),
      windowRuleSets: this.#windowRuleSetsFor(step, rollout.cause),
    };
    const {
      addresses: moved,
      failures,
      diagnostics: found,
      runId: run,
    } = await applyVersion(this.session, asked, this.options);
    this.#addDiagnostics(found);
    await this.lockedRecord.update((now) => recordTrace(now, step.stage, { run }));
    this.#updateSnapshot(step, new Set(moved), { version });
    if (failures.length === 0) return;
    const message = `${step.stage} could not be moved whole: ${failures.join("; ")}`;
    throw new Failure("unavailable", message, { remedy: "promote again: it goes on from here" });
  }

  /** What is told of every batch is told once. */
  #addDiagnostics(found: readonly Diagnostic[]): void {
    const known = new Set(this.diagnostics.map((one) => `${one.code} ${one.summary}`));
    this.diagnostics.push(...found.filter((one) => !known.has(`${one.code} ${one.summary}`)));
  }

  #windowRuleSetsFor({ stage }: BatchStep, cause: Rollout["cause"]): Session["windowRuleSets"] {
    return windowRuleSetsFor(this.stage(stage), cause, { ...this.session, ...this.options });
  }

  #moveOf({ addresses, stage, version }: BatchStep): Omit<VersionMove, "windowRuleSets"> {
    const message = `Promote ${stage} of ${this.pipeline.name} to ${version}`;
    return { addresses, version, by: this.options.by, message };
  }

  async #writeManifests(
    step: BatchStep,
    { context, id }: { readonly context: ManifestWriteOptions; readonly id: string },
  ): Promise<void> {
    const { cwd, env, by } = this.options;
    const pipeline = this.pipeline.name;
    const { diff, commit } = await writeVersions(this.session, {
      ...step,
      ...context,
      pipeline,
      by,
      id,
      cwd,
      env,
    });
    this.diffs.push(diff);
    await this.lockedRecord.update((now) => recordTrace(now, step.stage, { commit }));
    this.#updateSnapshot(step, new Set(step.addresses), { pinned: step.version });
  }

  /** What was applied was read back by then, and what was written was written whole. */
  #updateSnapshot(
    { stage }: BatchStep,
    moved: ReadonlySet<string>,
    now: Partial<StageObject>,
  ): void {
    const stageSnapshot = this.snapshot.get(stage);
    invariant(stageSnapshot !== undefined, "every stage was looked at");
    const objects = stageSnapshot.objects.map((one) => (moved.has(one.address) ? { ...one, ...now } : one));
    this.snapshot = new Map([...this.snapshot, [stage, { ...stageSnapshot, objects }]]);
  }

  async #verify(step: BatchStep): Promise<void> {
    if (this.mode !== "direct" && this.mode.dryRun) {
      return this.#markFailed(step.stage, `${step.version} is to be verified first`);
    }
    this.#verifiedStages.add(step.stage);
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
    await this.lockedRecord.update((now) => recordChecks(now, { ...step, evidence }, how));
    if (passed) return;
    const failed = evidence.filter((one) => !one.passed);
    const said = failed.slice(0, 3).map((one) => `${one.check} ${one.message}`);
    this.failures.push(
      new Failure("refused", `${step.version} did not pass in ${step.stage}: ${said.join("; ")}`),
    );
  }
}
