// Finds the rollback target of a stage, and its active rollback.
import { unlistedReason, type BlockedReason } from "./blocked-reasons.ts";
import { type PipelineRecord, type StageRecord, stageRecord, verificationOf } from "./record.ts";
import { runningVersion } from "./candidate.ts";
import { isListed, orderIn, type StageSnapshot } from "./snapshot.ts";

/** The target of a rollout. */
export interface VersionTarget {
  readonly version: string;
  /** Versions by address, if objects go to different versions. */
  readonly each?: Readonly<Record<string, string>> | undefined;
}

interface RollbackInput {
  readonly record: StageRecord;
  readonly snapshot: StageSnapshot;
}

/** Returns all versions of a target. */
export function versionsOf({ version, each = {} }: VersionTarget): readonly string[] {
  return [...new Set([version, ...Object.values(each)])];
}

/**
 * Returns the rollback target of a stage that leaves a version. Each object goes to the listed version that it passed with last,
 * or to the one that the stage verified last. If the stage runs several versions (`leaving` is undefined), an object's running
 * version counts as well. Undefined if there is no target.
 */
export function rollbackTarget(
  { record: known, snapshot }: RollbackInput,
  leaving: string | undefined,
): VersionTarget | undefined {
  return chooseTarget({ record: known, snapshot }, leaving, (one) => isListed(snapshot, one));
}

/** Returns a reason if the only rollback target is a version that the server no longer lists. */
export function unlistedRollbackReason(
  stage: string,
  { record: known, snapshot }: RollbackInput,
  leaving: string | undefined,
): BlockedReason | undefined {
  const target = chooseTarget({ record: known, snapshot }, leaving, () => true);
  const unlisted = target && versionsOf(target).find((one) => !isListed(snapshot, one));
  return unlisted === undefined ? undefined : unlistedReason(stage, unlisted, snapshot);
}

function chooseTarget(
  { record: known, snapshot }: RollbackInput,
  leaving: string | undefined,
  mayRun: (version: string) => boolean,
): VersionTarget | undefined {
  const isSound = (one: string): boolean =>
    one !== leaving && verificationOf(known, one)?.passed !== false && mayRun(one);
  const back = known.verified
    .filter(({ passed, version }) => passed && isSound(version))
    .toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at))[0]?.version;
  const targets = snapshot.objects.map(({ address }) => {
    const own = known.passed?.[address]?.find(isSound);
    return [address, own ?? back] as const;
  });
  const found = targets.flatMap(([address, one]) =>
    one === undefined ? [] : [[address, one] as const],
  );
  const version = found
    .map(([, one]) => one)
    .toSorted(orderIn(snapshot))
    .at(-1);
  if (version === undefined || found.length < targets.length) return undefined;
  return found.every(([, one]) => one === version)
    ? { version }
    : { version, each: Object.fromEntries(found) };
}

/** A rollback that is active or was the stage's last promotion. */
export interface ActiveRollback {
  readonly version: string;
  /** Id of the promotion. */
  readonly promotion: string;
  /** The rollback completed, and the stage still runs its target. */
  readonly isComplete: boolean;
}

/**
 * Returns the active rollback of a stage, or its last one if the stage still runs the target.
 * Undefined if there is none, if it failed, or if its target is no longer listed.
 */
export function activeRollback(
  stage: string,
  record: PipelineRecord,
  snapshot: StageSnapshot,
): ActiveRollback | undefined {
  const known = stageRecord(record, stage);
  const { rollout } = known;
  if (rollout !== undefined) {
    const { cause, failedAt, version, id } = rollout;
    if (cause !== "rollback" || failedAt !== undefined) return undefined;
    const isListedTarget = versionsOf(rollout).every((one) => isListed(snapshot, one));
    return isListedTarget ? { version, promotion: id, isComplete: false } : undefined;
  }
  const last = record.history.find((one) => one.stage === stage);
  if (last?.cause !== "rollback" || last.result !== "done") return undefined;
  const isSound = verificationOf(known, last.to)?.passed === true;
  if (!isSound || runningVersion(snapshot) !== last.to) return undefined;
  return { version: last.to, promotion: last.id, isComplete: true };
}
