// The way back of a stage: which sound version each of its objects goes to, and whether the stage is on its way there already.
import { unlistedReason, type BlockedReason } from "./blocked-reasons.ts";
import { type PipelineRecord, type StageRecord, stageRecord, verificationOf } from "./record.ts";
import { runningVersion } from "./candidate.ts";
import { compareVersions, isListed, type StageSnapshot } from "./snapshot.ts";

/** Where a stage goes back to. */
export interface VersionTarget {
  readonly version: string;
  /** By address, where objects part. */
  readonly each?: Readonly<Record<string, string>> | undefined;
}

interface RollbackInput {
  readonly record: StageRecord;
  readonly snapshot: StageSnapshot;
}

/** All versions of a way back. */
function versionsOf({ version, each = {} }: VersionTarget): readonly string[] {
  return [...new Set([version, ...Object.values(each)])];
}

/**
 * What a stage goes back to when it leaves a version: each object to what it passed with last, else to what the stage verified
 * last, of what the list still holds. Where no version is left, since several run side by side, what an object runs counts as
 * well. Undefined where nothing is known.
 */
export function rollbackTarget(
  { record: known, snapshot }: RollbackInput,
  leaving: string | undefined,
): VersionTarget | undefined {
  return chooseTarget({ record: known, snapshot }, leaving, (one) => isListed(snapshot, one));
}

/** Why there is nothing to go back to though something is verified: it has left the list. Undefined where nothing is. */
export function unlistedRollbackReason(
  stage: string,
  { record: known, snapshot }: RollbackInput,
  leaving: string | undefined,
): BlockedReason | undefined {
  const target = chooseTarget({ record: known, snapshot }, leaving, () => true);
  const gone = target && versionsOf(target).find((one) => !isListed(snapshot, one));
  return gone === undefined ? undefined : unlistedReason(stage, gone);
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
    .toSorted(compareVersions)
    .at(-1);
  if (version === undefined || found.length < targets.length) return undefined;
  return found.every(([, one]) => one === version)
    ? { version }
    : { version, each: Object.fromEntries(found) };
}

/** The way back that a stage is on. */
export interface ActiveRollback {
  readonly version: string;
  /** Id of its promotion. */
  readonly promotion: string;
  /** It has come to its end, and the stage has stayed there since. */
  readonly isComplete: boolean;
}

/**
 * The way back that a stage is on, or came by last and still stands well on: whoever takes it back once more means this one.
 * Undefined where there is none, where it failed, or where it leads to what the list does not hold any more.
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
    const isOpen = versionsOf(rollout).every((one) => isListed(snapshot, one));
    return isOpen ? { version, promotion: id, isComplete: false } : undefined;
  }
  const last = record.history.find((one) => one.stage === stage);
  if (last?.cause !== "rollback" || last.result !== "done") return undefined;
  const isSound = verificationOf(known, last.to)?.passed === true;
  if (!isSound || runningVersion(snapshot) !== last.to) return undefined;
  return { version: last.to, promotion: last.id, isComplete: true };
}
