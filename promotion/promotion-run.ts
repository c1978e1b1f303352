// Runs a promotion: decides, executes the first step, records it, and decides again until no step is left.
import type { Diagnostic } from "../core/diagnostics.ts";
import { Failure, invariant, isFailure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { secretMask, secretsOf } from "../lifecycle/redact-failure.ts";
import type { Session } from "../reconciler/sessions.ts";
import type { DecisionContext } from "./decision-input.ts";
import { skippedStages } from "./admission.ts";
import { createApiChecks } from "./api-checks.ts";
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
import { failedReasonFor } from "./failed-version.ts";
import { foldMessages } from "./fold-messages.ts";
import type { LockedRecord } from "./record-store.ts";
import { type PipelineStatus, statusOf } from "./status.ts";
import type { Pipeline, Stage } from "./pipeline.ts";
import type { BlockedReason } from "./blocked-reasons.ts";
import {
  type PipelineRecord,
  type Rollout,
  stageRecord,
  svcItself,
  targetVersion,
  verificationOf,
  type Who,
} from "./record.ts";
import {
  type Actor,
  type Merge,
  recordChecks,
  recordMergedBatch,
  skipsOf,
  finishRollout,
  startRollout,
  recordTrace,
} from "./record-transitions.ts";
import {
  actorOf,
  checkGrants,
  clockOf,
  type PipelineOptions,
  windowRuleSetsFor,
  decisionContextFor,
} from "./options.ts";
import { type PlannedRollout, planRollout } from "./planned-rollout.ts";
import { modeOption, promoteCommand } from "./promote-command.ts";
import { findMerge, mergeUpdate } from "./merge-origin.ts";
import { type MergedVersion, mergedVersion } from "./merged-version.ts";
import { writeVersions, type ManifestWriteOptions } from "./manifest-write.ts";
import { selectedObjects } from "./selection.ts";
import type { StageObject, PipelineSnapshot } from "./snapshot.ts";
import {
  isByRequest,
  modeOfRollout,
  requireMatchingManifests,
  requireSameMode,
} from "./who-writes.ts";

/** One completed step. */
export type CompletedStep = PromotionStep & { readonly passed?: boolean };

/** How a promotion acts: it applies the version, or writes manifests. */
export type PromotionMode = "direct" | ManifestWriteOptions;

/** One run of a promotion. */
export class PromotionRun {
  readonly session: Session;
  readonly pipeline: Pipeline;
  readonly lockedRecord: LockedRecord;
  readonly options: PipelineOptions;
  readonly caller: Who;
  readonly mode: PromotionMode;
  readonly done: CompletedStep[] = [];
  /** Diffs of the manifests, written or dry run. */
  readonly diffs: string[] = [];
  readonly failures: Failure[] = [];
  /** Diagnostics of plans and policies. */
  readonly diagnostics: Diagnostic[] = [];
  readonly #failedStages = new Map<string, BlockedReason>();
  readonly #verifiedStages = new Set<string>();
  snapshot: PipelineSnapshot;

  constructor(parts: {
    readonly session: Session;
    readonly pipeline: Pipeline;
    readonly held: LockedRecord;
    readonly options: PipelineOptions;
    readonly caller: Who;
    readonly mode: PromotionMode;
    readonly snapshot: PipelineSnapshot;
  }) {
    this.session = parts.session;
    this.pipeline = parts.pipeline;
    this.lockedRecord = parts.held;
    this.options = parts.options;
    this.caller = parts.caller;
    this.mode = parts.mode;
    this.snapshot = parts.snapshot;
  }

  /** The current input of {@link decide}. */
  get decisionInput(): Parameters<typeof decide>[0] {
    const { pipeline, snapshot, lockedRecord: held } = this;
    return { pipeline, snapshot, record: held.record, context: this.decisionContext };
  }

  get decisionContext(): DecisionContext {
    return {
      ...decisionContextFor(this.session, this.options),
      failedStages: this.#failedStages,
      verifiedStages: this.#verifiedStages,
      writesRequest: this.modeName === "request",
    };
  }

  /** The actor and the current time. */
  get actor(): Actor {
    return actorOf(this.caller, this.options, this.session.desired.stack);
  }

  get modeName(): Rollout["mode"] {
    if (this.mode === "direct") return "direct";
    return this.mode.forPullRequest === true ? "request" : "write";
  }

  get status(): PipelineStatus {
    return statusOf(this.decisionInput, decide(this.decisionInput));
  }

  /** Runs steps until none is left, in one stage or in all. `approve` confirms each rollout of a candidate. */
  async runToCompletion(
    approve: (step: PlannedRollout) => Promise<boolean>,
    only?: string,
  ): Promise<void> {
    const objects = [...this.snapshot.values()].reduce(
      (sum, { objects: { length } }) => sum + length,
      0,
    );
    // Each object moves and is checked at most once per version and once for the rollback.
    const most = 4 * objects + 8 * this.pipeline.stages.length;
    for (let turn = 0; turn < most; turn++) {
      if (this.options.signal?.aborted === true)
        throw new Failure("aborted", "stopped between two steps");
      // A stage may have been held since the last step.
      await this.lockedRecord.refresh();
      const next = decide(this.decisionInput)
        .filter(({ stage }) => only === undefined || stage === only)
        .find(({ step }) => step !== undefined)?.step;
      if (next === undefined) return this.#reportEarlierFailures(only);
      await this.#attempt(next, approve);
    }
    invariant(false, "a promotion ends within a bounded number of steps");
  }

  /** Reports versions that failed in an earlier run and still run. */
  #reportEarlierFailures(only: string | undefined): void {
    for (const stage of this.pipeline.stages) {
      const version = failedVersion(stage, this.decisionInput);
      const isReported = this.#verifiedStages.has(stage.name) || this.#failedStages.has(stage.name);
      if (version === undefined || isReported || (only !== undefined && only !== stage.name))
        continue;
      this.failures.push(this.#failureOf(stage, version));
    }
  }

  async #attempt(
    step: PromotionStep,
    approve: (step: PlannedRollout) => Promise<boolean>,
  ): Promise<void> {
    if (this.modeName === "request" && step.action !== "move" && step.action !== "revert")
      return this.#leaveToRecordedRun(step);
    try {
      if (step.action === "start" && step.cause === "candidate") {
        this.requireMatchingMode(this.stage(step.stage));
        const planned = planRollout(step, this.objects(step.stage));
        if (!(await approve(planned))) return this.markUnconfirmed(step);
      }
      await this.executeStep(step);
    } catch (error) {
      if (!isFailure(error) || error.code === "aborted" || error.code === "locked") throw error;
      this.failures.push(error);
      this.#markFailed(step.stage, error);
    }
  }

  /** Gives a stage the reason that no one confirmed its step. */
  markUnconfirmed({ stage, version }: StartStep): void {
    const message = `${version} was not confirmed for ${stage}`;
    this.#failedStages.set(stage, { code: "not-confirmed", message });
  }

  /** Leaves a step to a run that records it. A pull request is written from the recorded state alone. */
  #leaveToRecordedRun({ stage, version }: PromotionStep): void {
    const message = `${version} must be verified first`;
    this.#markFailed(stage, { message, remedy: this.#continueRemedy() });
  }

  #markFailed(stage: string, { message, remedy }: Pick<Failure, "message" | "remedy">): void {
    const reason = { code: "attempt-failed" as const, message, ...(remedy && { remedy }) };
    this.#failedStages.set(stage, reason);
  }

  stage(name: string): Stage {
    const stage = this.pipeline.stages.find((declared) => declared.name === name);
    invariant(stage !== undefined, "every step belongs to a stage of the pipeline");
    return stage;
  }

  objects(stage: string): readonly StageObject[] {
    return this.snapshot.get(stage)?.objects ?? [];
  }

  /** Returns what was merged into the manifests of a stage and is not recorded yet. */
  merged(stage: string): MergedVersion | undefined {
    const snapshot = this.snapshot.get(stage);
    return snapshot && mergedVersion(snapshot, stageRecord(this.lockedRecord.record, stage));
  }

  /** Fails with `refused` if the manifests of a stage do not match the mode of the promotion. */
  requireMatchingMode(stage: Stage): void {
    const declared = selectedObjects(stage, this.session.desired.objects);
    const objects = this.objects(stage.name);
    requireMatchingManifests({ declared, objects }, this.modeName, clockOf(this.options)());
  }

  /** Executes one step and records it. */
  async executeStep(step: PromotionStep): Promise<void> {
    if (step.action === "start" && step.cause === "merged") return this.#takeOver(step);
    // Nobody asked for a rollback by `onFailure`.
    if (step.action === "start")
      return this.begin(step, { who: step.cause === "rollback" ? svcItself : this.caller });
    if (step.action === "move") await this.#move(step);
    else if (step.action === "revert") await this.#revert(step);
    else if (step.action === "verify") await this.#verify(step);
    else {
      const how = { pipeline: this.pipeline, actor: this.actor };
      await this.lockedRecord.update((now) => finishRollout(now, step, how));
    }
    if (step.action !== "verify") this.done.push(step);
  }

  /** Starts a rollout. `first` changes the record in the same write, so that both happen or neither. */
  async begin(
    step: StartStep,
    {
      first = (record) => record,
      reason,
      who = this.caller,
    }: {
      readonly first?: (record: PipelineRecord, promotion: string) => PipelineRecord;
      readonly reason?: string | undefined;
      readonly who?: Who;
    },
  ): Promise<void> {
    const stage = this.stage(step.stage);
    this.requireMatchingMode(stage);
    const stageSnapshot = this.snapshot.get(step.stage);
    invariant(stageSnapshot !== undefined, "the snapshot contains every stage");
    const actor = actorOf(who, this.options, this.session.desired.stack);
    const { record } = this.lockedRecord;
    const mode = modeOfRollout(step, stage, { record, ofRun: this.modeName });
    const id = crypto.randomUUID();
    await this.lockedRecord.update((now) => {
      // The stage was held in the meantime. The next decision reports it.
      const isHeld = stageRecord(now, step.stage).hold !== undefined;
      if (step.cause === "candidate" && isHeld) return now;
      const skipped =
        step.cause === "rollback" ? [] : skippedStages(stage, step.version, this.decisionInput);
      const skips = skipsOf(skipped, reason);
      const how = { id, snapshot: stageSnapshot, mode, actor, skips };
      return startRollout(first(now, id), step, how);
    });
    if (stageRecord(this.lockedRecord.record, step.stage).rollout?.id === id) this.done.push(step);
  }

  /** Records a version that was merged into the manifests. */
  async #takeOver(step: StartStep): Promise<void> {
    const stage = this.stage(step.stage);
    this.requireMatchingMode(stage);
    const { session, options, actor, decisionInput: input } = this;
    const how = { session, input, actor, stage, ...options };
    await this.lockedRecord.update(await mergeUpdate(step, how));
    this.done.push(step);
  }

  /** Returns the active rollout of a stage. Fails with `refused` if it was started in the other mode. */
  activeRollout(stage: string): Rollout {
    const { rollout } = stageRecord(this.lockedRecord.record, stage);
    invariant(rollout !== undefined, "only an active rollout moves objects");
    requireSameMode(this.stage(stage), rollout, this.modeName);
    this.requireMatchingMode(this.stage(stage));
    return rollout;
  }

  /** Writes the running versions back to the manifests, one commit per version. */
  async #revert({ stage, addresses }: RevertStep): Promise<void> {
    const rollout = this.activeRollout(stage);
    invariant(this.mode !== "direct", "only write mode reverts manifests");
    const reverted = new Set(addresses);
    const wanted = this.objects(stage).filter(({ address }) => reverted.has(address));
    for (const [version, objects] of Map.groupBy(wanted, (object) => object.version)) {
      invariant(version !== undefined, "a reverted object runs a version");
      const move = { action: "move", stage, version } as const;
      const step: BatchStep = { ...move, addresses: objects.map(({ address }) => address) };
      await this.#writeManifests(step, { context: this.mode, rollout });
    }
  }

  async #move(step: BatchStep): Promise<void> {
    const rollout = this.activeRollout(step.stage);
    if (this.mode !== "direct") return this.#writeManifests(step, { context: this.mode, rollout });
    const { version } = step;
    const move = {
      ...this.#moveOf(step, rollout),
      windowRuleSets: this.#windowRuleSetsFor(step, rollout.cause),
    };
    const { addresses, failures, diagnostics, runId } = await applyVersion(
      this.session,
      move,
      this.options,
    );
    this.#addDiagnostics(diagnostics);
    await this.lockedRecord.update((now) => recordTrace(now, step.stage, { run: runId }));
    this.#updateSnapshot(step, new Set(addresses), { version });
    if (failures.length === 0) return;
    const done = rollout.cause === "rollback" ? "rolled back" : "promoted";
    const message = `${step.stage} was ${done} in part: ${foldMessages(failures, ": ")}`;
    throw new Failure("unavailable", message, { remedy: this.#continueRemedy() });
  }

  /** Returns the command that continues every started rollout and rollback. */
  #continueRemedy(): string {
    return `Continue with ${promoteCommand(this.pipeline, "run", modeOption(this.modeName))}`;
  }

  /** Adds diagnostics that no earlier batch reported. */
  #addDiagnostics(diagnostics: readonly Diagnostic[]): void {
    const textOf = ({ code, summary }: Diagnostic): string => `${code} ${summary}`;
    const reported = new Set(this.diagnostics.map(textOf));
    this.diagnostics.push(...diagnostics.filter((diagnostic) => !reported.has(textOf(diagnostic))));
  }

  #windowRuleSetsFor({ stage }: BatchStep, cause: Rollout["cause"]): Session["windowRuleSets"] {
    return windowRuleSetsFor(this.stage(stage), cause, { ...this.session, ...this.options });
  }

  #moveOf(
    { addresses, stage, version }: BatchStep,
    rollout: Rollout,
  ): Omit<VersionMove, "windowRuleSets"> {
    const { skipped = [], reason = "" } = rollout;
    const skips = skipped.length === 0 ? "" : `, not verified in ${skipped.join(", ")}: ${reason}`;
    const message = `${verbOf(rollout)} ${stage} of ${this.pipeline.name} to ${version}${skips}`;
    return { addresses, version, by: this.options.by, message };
  }

  async #writeManifests(
    step: BatchStep,
    { context, rollout }: { readonly context: ManifestWriteOptions; readonly rollout: Rollout },
  ): Promise<void> {
    const { cwd, env } = this.options;
    const pipeline = this.pipeline.name;
    const { diff, commit } = await writeVersions(this.session, {
      ...step,
      ...context,
      pipeline,
      by: this.caller.by,
      verb: verbOf(rollout),
      id: rollout.id,
      skips: rollout,
      cwd,
      env,
    });
    this.diffs.push(diff);
    await this.lockedRecord.update((now) => recordTrace(now, step.stage, { commit }));
    this.#updateSnapshot(step, new Set(step.addresses), { pinned: step.version });
  }

  /** Updates the snapshot after a batch, which was read back or committed completely. */
  #updateSnapshot(
    { stage }: BatchStep,
    addresses: ReadonlySet<string>,
    change: Partial<StageObject>,
  ): void {
    const stageSnapshot = this.snapshot.get(stage);
    invariant(stageSnapshot !== undefined, "the snapshot contains every stage");
    const objects = stageSnapshot.objects.map((object) =>
      addresses.has(object.address) ? { ...object, ...change } : object,
    );
    this.snapshot = new Map([...this.snapshot, [stage, { ...stageSnapshot, objects }]]);
  }

  async #verify(step: BatchStep): Promise<void> {
    if (this.mode !== "direct" && this.mode.dryRun) return this.#leaveToRecordedRun(step);
    this.#verifiedStages.add(step.stage);
    const wanted = new Set(step.addresses);
    const subject = {
      stage: this.stage(step.stage),
      version: step.version,
      objects: this.objects(step.stage).filter(({ address }) => wanted.has(address)),
    };
    const { env, signal } = this.options;
    const { origins, commands } = checkGrants(this.options);
    const evidence = await runChecks(subject, {
      // The promotion already sends requests to the origin of the API.
      grants: { commands, origins: [...origins, this.session.client.origin] },
      env,
      signal,
      now: clockOf(this.options),
      askApi: createApiChecks(this.session, signal),
      mask: secretMask(this.#secrets()),
    });
    const passed = evidence.every((result) => result.passed);
    this.done.push({ ...step, passed });
    const how = { pipeline: this.pipeline, actor: this.actor };
    const merge = await this.#mergeOf(step);
    await this.lockedRecord.update((now) => {
      const merged = merge === undefined ? now : recordMergedBatch(now, step, merge);
      return recordChecks(merged, { ...step, evidence }, how);
    });
    // A soak time may tolerate a failure.
    const { verified, rollout } = stageRecord(this.lockedRecord.record, step.stage);
    const isTolerated =
      rollout === undefined && verificationOf({ verified }, step.version)?.passed === true;
    if (!passed && !isTolerated) this.failures.push(this.#failureOf(subject.stage, step.version));
  }

  /** Returns the secrets that this run has: its credential, those of the stack, and variables that are named like one or granted. */
  #secrets(): readonly JsonValue[] {
    const { env, connection, grants } = this.options;
    const granted = grants.environment === "stack" ? [] : grants.environment;
    const variables = Object.entries(env).filter(
      ([name]) => secretVariable.test(name) || granted.includes(name),
    );
    const { objects } = this.session.desired;
    return [
      connection.credential?.reveal() ?? "",
      ...variables.flatMap(([, value]) => value ?? []),
      ...objects.flatMap(({ kind, spec }) => secretsOf(kind, spec)),
    ];
  }

  /** Returns the merge that brought in what a step verifies. Undefined if no merge did, or the clone does not contain it. */
  async #mergeOf({ stage, addresses }: BatchStep): Promise<Merge | undefined> {
    const { rollout } = stageRecord(this.lockedRecord.record, stage);
    if (this.mode === "direct" || rollout === undefined || !isByRequest(this.stage(stage), rollout))
      return undefined;
    const changed = addresses.filter(
      (address) => rollout.from[address] !== targetVersion(rollout, address),
    );
    const about = { stage: this.stage(stage), addresses: new Set(changed) };
    return findMerge(this.session, { ...this.options, ...about });
  }

  /** Returns the failure of a version whose last checks in a stage failed. */
  #failureOf(stage: Stage, version: string): Failure {
    const snapshot = this.snapshot.get(stage.name);
    invariant(snapshot !== undefined, "the snapshot contains every stage");
    const input = this.decisionInput;
    const record = stageRecord(input.record, stage.name);
    const context = { stage, snapshot, record, input };
    const { code, message, remedy = "" } = failedReasonFor(context, version);
    return new Failure("refused", message, {
      remedy,
      details: { stage: stage.name, reason: code },
    });
  }
}

/** Names of environment variables whose values are secret. */
const secretVariable = /KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL/iu;

/** Returns the verb that begins the texts about a rollout in the history and in commits. */
function verbOf({ cause }: Rollout): string {
  return cause === "rollback" ? "Roll back" : "Promote";
}
