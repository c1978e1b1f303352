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
  { record, snapshot }: RollbackInput,
  leaving: string | undefined,
): VersionTarget | undefined {
  return chooseTarget({ record, snapshot }, leaving, (version) => isListed(snapshot, version));
}

/** Returns a reason if the only rollback target is a version that the server no longer lists. */
export function unlistedRollbackReason(
  stage: string,
  { record, snapshot }: RollbackInput,
  leaving: string | undefined,
): BlockedReason | undefined {
  const target = chooseTarget({ record, snapshot }, leaving, () => true);
  const unlisted = target && versionsOf(target).find((version) => !isListed(snapshot, version));
  return unlisted === undefined ? undefined : unlistedReason(stage, unlisted, snapshot);
}

function chooseTarget(
  { record, snapshot }: RollbackInput,
  leaving: string | undefined,
  mayRun: (version: string) => boolean,
): VersionTarget | undefined {
  const isSound = (version: string): boolean =>
    version !== leaving && verificationOf(record, version)?.passed !== false && mayRun(version);
  const lastVerified = record.verified
    .filter(({ passed, version }) => passed && isSound(version))
    .toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at))[0]?.version;
  const targets = snapshot.objects.flatMap(({ address }) => {
    const version = record.passed?.[address]?.find(isSound) ?? lastVerified;
    return version === undefined ? [] : [[address, version] as const];
  });
  const versions = targets.map(([, version]) => version);
  const newest = versions.toSorted(orderIn(snapshot)).at(-1);
  if (newest === undefined || targets.length < snapshot.objects.length) return undefined;
  return versions.every((version) => version === newest)
    ? { version: newest }
    : { version: newest, each: Object.fromEntries(targets) };
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
  const { rollout, verified } = stageRecord(record, stage);
  if (rollout !== undefined) {
    const { cause, failedAt, version, id } = rollout;
    if (cause !== "rollback" || failedAt !== undefined) return undefined;
    const isListedTarget = versionsOf(rollout).every((target) => isListed(snapshot, target));
    return isListedTarget ? { version, promotion: id, isComplete: false } : undefined;
  }
  const last = record.history.find((promotion) => promotion.stage === stage);
  if (last?.cause !== "rollback" || last.result !== "done") return undefined;
  const isSound = verificationOf({ verified }, last.to)?.passed === true;
  if (!isSound || runningVersion(snapshot) !== last.to) return undefined;
  return { version: last.to, promotion: last.id, isComplete: true };
}
