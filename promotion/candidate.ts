// Finds the candidate of a stage: the newest version of a channel, or the newest promotable version of the stage before.
import { invariant } from "../core/errors.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { Stage } from "./pipeline.ts";
import {
  isRolledBack,
  unlistedReason,
  unplacedReason,
  type BlockedReason,
  soakingReason,
} from "./blocked-reasons.ts";
import { stageRecord, type Verification, verificationOf } from "./record.ts";
import { isVerificationValid, lacksChecks, soakEnd } from "./soak.ts";
import { hasPlaceIn, isFrom, isListed, orderIn, type StageSnapshot } from "./snapshot.ts";

/** The candidate, and why newer versions are skipped. */
export interface Candidate {
  readonly version: string | undefined;
  readonly skippedReasons: readonly BlockedReason[];
}

/** Returns the version that all objects of a stage run. Undefined if they differ. */
export function runningVersion({ objects }: StageSnapshot): string | undefined {
  const [first, ...others] = new Set(objects.map(({ version }) => version));
  return others.length === 0 ? first : undefined;
}

/** Returns whether a stage runs a version, and promotes no other one. */
export function isSettledOn(
  { name }: Stage,
  version: string,
  { record, snapshot }: Pick<DecisionInput, "record" | "snapshot">,
): boolean {
  const stageSnapshot = snapshot.get(name);
  const running = stageSnapshot && runningVersion(stageSnapshot);
  return running === version && stageRecord(record, name).rollout === undefined;
}

/** Returns the candidate of a stage. It is never older than what the stage runs, and there is none if that has no place in the order. */
export function candidateOf(stage: Stage, input: DecisionInput): Candidate {
  const offered = newestOffered(stage, input);
  const snapshot = input.snapshot.get(stage.name);
  const running = snapshot && newestRunning(snapshot);
  if (snapshot === undefined || running === undefined) return offered;
  const { version, skippedReasons } = offered;
  const unplaced = snapshot.objects
    .flatMap((object) => object.version ?? [])
    .find((ran) => !hasPlaceIn(snapshot, ran));
  if (unplaced !== undefined) {
    const reason = unplacedReason(stage.name, unplaced, snapshot);
    return { version: undefined, skippedReasons: [...skippedReasons, reason] };
  }
  if (version !== undefined && orderIn(snapshot)(version, running) >= 0) return offered;
  const reasons: BlockedReason[] = [...keptReasons(stage, input)];
  if (reasons.length === 0 && version !== undefined) {
    const message = `${stage.name} runs ${running}, which is newer than ${version}`;
    reasons.push({ code: "downgrade", message });
  }
  return { version: undefined, skippedReasons: [...skippedReasons, ...reasons] };
}

/** Returns a reason if the stage runs a version that failed upstream, which changes nothing here. */
function keptReasons(stage: Stage, input: DecisionInput): readonly BlockedReason[] {
  const snapshot = input.snapshot.get(stage.name);
  const version = snapshot && runningVersion(snapshot);
  if (version === undefined) return [];
  return withdrawnReasons({ stage, input }, version).map((reason) => ({
    ...reason,
    message: `${reason.message}; ${stage.name} keeps it`,
  }));
}

/** Returns the newest version that the objects of a stage run. */
export function newestRunning(snapshot: StageSnapshot): string | undefined {
  const versions = snapshot.objects.flatMap(({ version }) => version ?? []);
  return versions.toSorted(orderIn(snapshot)).at(-1);
}

/** Returns a reason if the version failed upstream after it became promotable. */
export function withdrawnReasons(
  { stage, input }: { readonly stage: Stage; readonly input: Pick<DecisionInput, "record"> },
  version: string,
): BlockedReason[] {
  if (!("stage" in stage.source)) return [];
  const from = stage.source.stage;
  const upstream = verificationOf(stageRecord(input.record, from), version);
  if (upstream === undefined || upstream.passed) return [];
  const what = isRolledBack(upstream)
    ? `${from} was rolled back from ${version}`
    : `${version} failed in ${from}`;
  return [{ code: "withdrawn", message: `${what} after it was verified there` }];
}

/** Returns the newest version that the source of a stage offers, and why newer ones are skipped. */
function newestOffered(stage: Stage, input: DecisionInput): Candidate {
  const stageSnapshot = input.snapshot.get(stage.name);
  invariant(stageSnapshot !== undefined, "the snapshot contains every stage");
  const { source } = stage;
  if ("channel" in source) {
    const head = stageSnapshot.versions.find(
      (offered) => isFrom(source, offered) && offered.isNewestInChannel,
    )?.version;
    if (head === undefined || isListed(stageSnapshot, head))
      return { version: head, skippedReasons: [] };
    return {
      version: undefined,
      skippedReasons: [unlistedReason(stage.name, head, stageSnapshot)],
    };
  }
  return newestPromotable(stage, stageSnapshot, { from: getStage(input, source.stage), input });
}

/** Returns the newest promotable version that the stage may run, and why newer ones are skipped. */
function newestPromotable(
  stage: Stage,
  snapshot: StageSnapshot,
  { from, input }: { readonly from: Stage; readonly input: DecisionInput },
): Candidate {
  const { now } = input.context;
  const running = runningVersion(snapshot);
  const order = orderIn(snapshot);
  const isNewer = ({ version }: Verification): boolean =>
    running === undefined || order(version, running) > 0;
  const verified = stageRecord(input.record, from.name)
    .verified.filter(({ passed }) => passed)
    .toSorted((left, right) => order(right.version, left.version));
  const notes: BlockedReason[] = [];
  for (const verification of verified) {
    const reason = notPromotableReason(from, verification, now);
    if (reason === undefined && isListed(snapshot, verification.version)) {
      return { version: verification.version, skippedReasons: notes };
    }
    if (isNewer(verification))
      notes.push(reason ?? unlistedReason(stage.name, verification.version, snapshot));
  }
  return { version: undefined, skippedReasons: notes };
}

/** Returns why a version that passed in a stage is not promotable; undefined if it is. */
export function notPromotableReason(
  from: Stage,
  verification: Verification,
  now: Date,
): BlockedReason | undefined {
  const { version } = verification;
  if (!isVerificationValid(verification, from, now)) {
    const message = `the verification of ${version} in ${from.name} expired`;
    return { code: "stale", message };
  }
  const isOver =
    Date.parse(verification.leftAt ?? now.toISOString()) >= soakEnd(from, verification);
  if (isOver && !lacksChecks(from, verification)) return undefined;
  if (verification.leftAt === undefined) return soakingReason(from, verification, now);
  const message = `${version} left ${from.name} before the end of its soak time`;
  return { code: "unverified", message };
}

/** Returns the stage of this name. The document's validation guarantees that it exists. */
export function getStage({ pipeline }: Pick<DecisionInput, "pipeline">, name: string): Stage {
  const stage = pipeline.stages.find((declared) => declared.name === name);
  invariant(stage !== undefined, "a stage only refers to stages of its pipeline");
  return stage;
}
