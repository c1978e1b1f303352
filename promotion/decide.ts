// What a pipeline is to do next, and why not more: a pure function of its document, its record, the snapshot and the clock.
import { invariant } from "../core/errors.ts";
import type { DecisionInput, DecisionContext } from "./decision-input.ts";
import { candidateOf, runningVersion, getStage } from "./candidate.ts";
import type { Stage } from "./pipeline.ts";
import {
  failedReason,
  heldReason,
  isVerificationValid,
  addressesWithVerb,
  unlistedReason,
  type BlockedReason,
} from "./blocked-reasons.ts";
import {
  type Rollout,
  type StageRecord,
  stageRecord,
  targetVersion,
  verificationOf,
} from "./record.ts";
import { type VersionTarget, rollbackTarget, unlistedRollbackReason } from "./rollback-target.ts";
import { compareVersions, isListed, type StageObject, type StageSnapshot } from "./snapshot.ts";

/** A version begins to come in. */
export interface StartStep extends VersionTarget {
  readonly action: "start";
  readonly stage: string;
  readonly cause: Rollout["cause"];
}

/** Some objects of a stage are to move to a version, or are checked with it. */
export interface BatchStep {
  readonly action: "move" | "verify";
  readonly stage: string;
  readonly version: string;
  readonly addresses: readonly string[];
}

/** Some objects pin a version that is not to come in any more, and do not run it yet: they pin again what they run. */
export interface RevertStep {
  readonly action: "revert";
  readonly stage: string;
  readonly version: string;
  readonly addresses: readonly string[];
}

/** All of a stage runs the version and has passed. */
export interface FinishStep {
  readonly action: "finish";
  readonly stage: string;
  readonly version: string;
}

/** One thing that may be done now. */
export type PromotionStep = StartStep | BatchStep | RevertStep | FinishStep;

/** What is to be said of one stage. */
export interface StageDecision {
  readonly stage: string;
  /** What would come in next; undefined where nothing would. */
  readonly candidate: string | undefined;
  /** What may be done at once. */
  readonly step: PromotionStep | undefined;
  /** Why it does not go on; empty where it does, or where there is nothing to go on to. */
  readonly reasons: readonly BlockedReason[];
}

/** What each stage is to do next, in their order. */
export function decide(input: DecisionInput): readonly StageDecision[] {
  return input.pipeline.stages.map((stage) => decideStage(stage, input));
}

interface StageContext {
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
  readonly record: StageRecord;
  readonly input: DecisionInput;
}

type StepDecision = Pick<StageDecision, "step" | "reasons"> & {
  /** What is under way cannot come to its end. */
  readonly cannotFinish?: boolean;
};

function decideStage(stage: Stage, input: DecisionInput): StageDecision {
  const { record, snapshot, context } = input;
  const stageSnapshot = snapshot.get(stage.name);
  invariant(stageSnapshot !== undefined, "every stage was looked at");
  const found = candidateOf(stage, input);
  const about = { stage: stage.name, candidate: found.version };
  const missing = stageSnapshot.objects.filter(({ exists: isThere }) => !isThere);
  if (missing.length > 0) {
    const message = `${addressesWithVerb(missing)} not there yet: apply the stack first`;
    return { ...about, ...blockedBy({ code: "missing", message }) };
  }
  const given = context.failedStages.get(stage.name);
  if (given !== undefined) return { ...about, ...blockedBy(given) };
  const here: StageContext = {
    stage,
    snapshot: stageSnapshot,
    record: stageRecord(record, stage.name),
    input,
  };
  const { rollout } = here.record;
  const { cannotFinish: isLost, ...now } =
    rollout === undefined ? decideIdle(here) : decideRollout(here, rollout);
  // Another version may come in where nothing is under way, or what is has failed or is lost.
  const isOpen = rollout === undefined || rollout.failedAt !== undefined || isLost === true;
  if (now.step !== undefined || !isOpen) return { ...about, ...now };
  const { version } = found;
  if (version === undefined || version === runningVersion(stageSnapshot) || version === rollout?.version) {
    return {
      ...about,
      ...blockedBy(...now.reasons, ...heldReasons(here), ...found.skippedReasons),
    };
  }
  const against = entryReasons(here, version);
  if (against.length > 0)
    return { ...about, ...blockedBy(...now.reasons, ...against, ...found.skippedReasons) };
  return {
    ...about,
    ...proceedWith({ action: "start", stage: stage.name, version, cause: "candidate" }),
  };
}

function proceedWith(step: PromotionStep): StepDecision {
  return { step, reasons: [] };
}

function blockedBy(...reasons: readonly BlockedReason[]): StepDecision {
  return { step: undefined, reasons };
}

/** Nothing is under way: what runs is verified where that is not known, not fresh, or did not pass: by every run anew. */
function decideIdle(here: StageContext): StepDecision {
  const { stage, snapshot, record: known, input } = here;
  const running = runningVersion(snapshot);
  if (running === undefined) {
    const versions = [...new Set(snapshot.objects.map(({ version }) => version ?? "no version"))];
    const message = `${stage.name} runs ${versions.toSorted().join(", ")} side by side`;
    return blockedBy({ code: "mixed-versions", message });
  }
  const verified = verificationOf(known, running);
  const addresses = snapshot.objects.map(({ address }) => address);
  const again = proceedWith({ action: "verify", stage: stage.name, version: running, addresses });
  if (verified === undefined || !isVerificationValid(verified, stage, input.context.now))
    return again;
  if (verified.passed) return blockedBy();
  const failed = failedReason(stage.name, running);
  if (!input.context.verifiedStages.has(stage.name)) return { ...again, reasons: [failed] };
  return decideRollback(here, running, failed);
}

/** What a stage runs, or what was coming in, where that did not pass; undefined where all is well. */
export function failedVersion(
  { name }: Stage,
  { record, snapshot }: DecisionInput,
): string | undefined {
  const known = stageRecord(record, name);
  const { rollout } = known;
  if (rollout !== undefined) return rollout.failedAt === undefined ? undefined : rollout.version;
  const stageSnapshot = snapshot.get(name);
  const running = stageSnapshot && runningVersion(stageSnapshot);
  if (running === undefined) return undefined;
  return verificationOf(known, running)?.passed === false ? running : undefined;
}

/** A rollout goes on: what runs the version is verified first, then the next ones move. */
function decideRollout(here: StageContext, rollout: Rollout): StepDecision {
  const { stage, snapshot } = here;
  const { version } = rollout;
  const target = ({ address }: StageObject): string => targetVersion(rollout, address);
  const isWaiting = (one: StageObject): boolean =>
    rollout.mode === "write" && one.pinned === target(one) && one.version !== target(one);
  const waiting = snapshot.objects.filter(isWaiting);
  if (rollout.failedAt !== undefined)
    return orRevertPending(decideAfterFailure(here, rollout), here, waiting);
  const about = { stage: stage.name, version };
  // What runs it while its document says something else goes away again with the next apply.
  const isThere = (one: StageObject): boolean =>
    one.version === target(one) && (rollout.mode === "direct" || one.pinned === target(one));
  const isUnchecked = (one: StageObject): boolean =>
    isThere(one) && !rollout.checked.includes(one.address);
  const unchecked = batchForSameVersion(snapshot.objects.filter(isUnchecked), target);
  if (unchecked !== undefined)
    return proceedWith({ action: "verify", stage: stage.name, ...unchecked });
  const remaining = snapshot.objects.filter((one) => !isThere(one));
  if (remaining.length === 0) return proceedWith({ action: "finish", ...about });
  const rest = remaining.filter((one) => !isWaiting(one));
  const [gone] = rollout.cause === "rollback" ? [] : permanentBlockers(here, version);
  if (gone !== undefined)
    return {
      ...orRevertPending(decideRollback(here, version, gone), here, waiting),
      cannotFinish: true,
    };
  const lapsed = expiredAdmissionReasons(here, rollout);
  if (lapsed.length > 0) return orRevertPending(blockedBy(...lapsed), here, waiting);
  const against = rolloutBlockers(here, rollout);
  const room = batchSize(here, rollout) - waiting.length;
  if (against.length > 0 || rest.length === 0 || room <= 0) {
    return blockedBy(...against, ...pendingApplyReasons(waiting, version));
  }
  const next = batchForSameVersion(rest, target);
  if (next === undefined) return blockedBy();
  const addresses = next.addresses.slice(0, room);
  return proceedWith({ action: "move", stage: stage.name, version: next.version, addresses });
}

/** The first of some objects, with those that come to the same version. */
function batchForSameVersion(
  objects: readonly StageObject[],
  target: (one: StageObject) => string,
): Pick<BatchStep, "version" | "addresses"> | undefined {
  const [first] = objects;
  if (first === undefined) return undefined;
  const version = target(first);
  const all = objects.filter((one) => target(one) === version);
  return { version, addresses: all.map(({ address }) => address) };
}

/** What is written and not applied is taken back where nothing else is done: the next apply would bring it in all the same. */
function orRevertPending(
  decision: StepDecision,
  { stage, record: known }: StageContext,
  waiting: readonly StageObject[],
): StepDecision {
  // What a way back has written is better than what still runs.
  if (known.rollout?.cause === "rollback") return decision;
  const written = waiting.filter((one) => one.version !== undefined);
  const version = written[0]?.pinned;
  if (decision.step !== undefined || version === undefined) return decision;
  const addresses = written.map(({ address }) => address);
  return { ...decision, step: { action: "revert", stage: stage.name, version, addresses } };
}

/** How many may change at once. A rollback takes all back that have moved: they are no more than that. */
function batchSize({ stage, snapshot }: StageContext, { cause }: Rollout): number {
  const { atOnce } = stage;
  if (cause === "rollback") return snapshot.objects.length;
  if ("count" in atOnce) return atOnce.count;
  return Math.max(1, Math.floor((snapshot.objects.length * atOnce.percent) / 100));
}

function pendingApplyReasons(waiting: readonly StageObject[], version: string): BlockedReason[] {
  if (waiting.length === 0) return [];
  const message = `the manifests pin ${version}, and ${addressesWithVerb(waiting)} not applied yet`;
  return [{ code: "pending-apply", message }];
}

function decideAfterFailure(here: StageContext, { version, cause }: Rollout): StepDecision {
  const failed = failedReason(here.stage.name, version);
  return cause === "rollback" ? blockedBy(failed) : decideRollback(here, version, failed);
}

/** Back to what was verified before, where the stage says so and nothing stands against it. */
function decideRollback(
  { stage, snapshot, record: known, input }: StageContext,
  version: string,
  failed: BlockedReason,
): StepDecision {
  if (stage.onFailure === "stop") return blockedBy(failed);
  const back = rollbackTarget({ snapshot, record: known }, version);
  if (back === undefined) {
    const gone = unlistedRollbackReason(stage.name, { snapshot, record: known }, version);
    if (gone !== undefined) return blockedBy(failed, gone);
    const message = `${failed.message}, and nothing else is verified there to go back to`;
    return blockedBy({ ...failed, message });
  }
  const closed = input.context.closedReason(stage, "rollback");
  if (closed !== undefined) return blockedBy(failed, closed);
  return proceedWith({ action: "start", stage: stage.name, cause: "rollback", ...back });
}

/** What keeps a rollout from moving more; a way back is kept by nothing but the list and the operator. */
function rolloutBlockers(
  { stage, snapshot, record: known, input }: StageContext,
  rollout: Rollout,
): BlockedReason[] {
  const { version, cause } = rollout;
  if (!isListed(snapshot, version)) return [unlistedReason(stage.name, version)];
  const closed = input.context.closedReason(stage, cause);
  return [
    ...(cause === "rollback" || known.hold?.version === version
      ? []
      : heldReasons({ stage, record: known })),
    ...(closed === undefined ? [] : [closed]),
  ];
}

/** Why a version that was let in is not to go on until that is mended: what let it in does not hold any more. */
function expiredAdmissionReasons(
  { stage, record: known, input }: StageContext,
  { version, cause }: Rollout,
): BlockedReason[] {
  if (cause === "rollback") return [];
  const { context, record } = input;
  const needs = stage.isAutomatic ? [] : admissionReasons(stage, known, { version, context });
  if (!("stage" in stage.enters) || verificationOf(known, version)?.passed === true) return needs;
  const from = getStage(input, stage.enters.stage);
  const upstream = verificationOf(stageRecord(record, from.name), version);
  const isLate = upstream !== undefined && !isVerificationValid(upstream, from, context.now);
  const message = `the verification of ${version} in ${from.name} is too old`;
  return isLate ? [{ code: "stale", message }, ...needs] : needs;
}

/** Why a version that was let in may not be moved to any more, for good. */
function permanentBlockers(
  { stage, snapshot, input }: StageContext,
  version: string,
): BlockedReason[] {
  if (!isListed(snapshot, version)) return [unlistedReason(stage.name, version)];
  return withdrawnReasons({ stage, input }, version);
}

/** A version that failed upstream since it was promised. */
export function withdrawnReasons(
  { stage, input }: { readonly stage: Stage; readonly input: Pick<DecisionInput, "record"> },
  version: string,
): BlockedReason[] {
  if (!("stage" in stage.enters)) return [];
  const from = stage.enters.stage;
  const upstream = verificationOf(stageRecord(input.record, from), version);
  if (upstream === undefined || upstream.passed) return [];
  return [{ code: "withdrawn", message: `${version} does not pass in ${from} any more` }];
}

function heldReasons({
  stage,
  record: known,
}: Pick<StageContext, "stage" | "record">): BlockedReason[] {
  return known.hold === undefined ? [] : [heldReason(stage.name, known.hold)];
}

/** What keeps a candidate from coming in. */
function entryReasons(
  { stage, record: known, snapshot, input }: StageContext,
  version: string,
): BlockedReason[] {
  const { context } = input;
  const closed = context.closedReason(stage, "candidate");
  const own = verificationOf(known, version);
  return [
    ...heldReasons({ stage, record: known }),
    ...(own === undefined || own.passed ? [] : [failedReason(stage.name, version)]),
    ...downgradeReasons(stage, snapshot, version),
    ...admissionReasons(stage, known, { version, context }),
    ...(closed === undefined ? [] : [closed]),
  ];
}

function downgradeReasons(
  stage: Stage,
  { objects }: StageSnapshot,
  version: string,
): BlockedReason[] {
  const newest = objects
    .flatMap((one) => one.version ?? [])
    .toSorted(compareVersions)
    .at(-1);
  if (newest === undefined || compareVersions(version, newest) >= 0) return [];
  const message = `${stage.name} runs ${newest}, which is newer than ${version}`;
  return [{ code: "downgrade", message }];
}

function admissionReasons(
  stage: Stage,
  known: StageRecord,
  { version, context }: { readonly version: string; readonly context: DecisionContext },
): BlockedReason[] {
  if (known.approvals.some((one) => one.version === version)) return [];
  if (!stage.isAutomatic) {
    return [
      { code: "needs-approval", message: `nobody has approved ${version} for ${stage.name}` },
    ];
  }
  if (context.isAutomaticAllowed(stage.name)) return [];
  const message = `${stage.name} is automatic, and whoever runs svc has not granted it that`;
  return [{ code: "not-granted", message }];
}
