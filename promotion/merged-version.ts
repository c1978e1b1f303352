// Finds versions that people brought into the manifests by a merge, which the record does not contain yet.
import { type Rollout, type StageRecord, targetVersion, verificationOf } from "./record.ts";
import type { VersionTarget } from "./rollback-target.ts";
import { orderIn, type StageObject, type StageSnapshot } from "./snapshot.ts";

type Order = ReturnType<typeof orderIn>;

/** The target of a merge, and what each object that it changes ran before. */
export interface MergedVersion extends VersionTarget {
  /** Previous version by address; undefined if unknown. */
  readonly from: ReadonlyMap<string, string | undefined>;
}

/**
 * Returns what was merged into the manifests of a stage. The manifests tell it, not messages of commits, so that it does not
 * matter how the merge was made. Undefined if the record explains every pin, and for stages that pin no versions.
 */
export function mergedVersion(
  snapshot: StageSnapshot,
  known: StageRecord,
): MergedVersion | undefined {
  const { objects } = snapshot;
  const order = orderIn(snapshot);
  const { rollout } = known;
  if (rollout?.mode === "direct") return undefined;
  // The pins of a rollback that nobody wrote yet are those of the version that it leaves.
  if (rollout?.cause === "rollback" && rollout.failedAt === undefined) return undefined;
  const pins = objects.flatMap(({ pinned }) => pinned ?? []);
  if (pins.length < objects.length) return undefined;
  const before = versionsBefore(objects, known, order);
  const isExplained = ({ address, pinned }: StageObject): boolean =>
    pinned === before.get(address) ||
    (rollout !== undefined && pinned !== undefined && isPinOf(rollout, { address, pinned }, known));
  const changed = objects.filter((one) => before.has(one.address) && !isExplained(one));
  if (changed.length > 0) return targetOf(changed, before, order);
  // A failed version that nothing pins any more was reverted by a merge.
  const isReverted =
    rollout?.failedAt !== undefined &&
    objects.every(({ address, pinned }) => pinned !== targetVersion(rollout, address)) &&
    objects.every(({ address, pinned }) => pinned === before.get(address));
  return isReverted ? targetOf(objects, before, order) : undefined;
}

/** Returns whether a rollout explains a pin: as its target, as what it found, or as the failed version that it leaves. */
function isPinOf(
  rollout: Rollout,
  { address, pinned }: { readonly address: string; readonly pinned: string },
  known: StageRecord,
): boolean {
  return (
    pinned === targetVersion(rollout, address) ||
    pinned === rollout.from[address] ||
    (rollout.cause === "rollback" && verificationOf(known, pinned)?.passed === false)
  );
}

/**
 * Returns the version that each object passed with last. Of a stage that has verified nothing, the oldest version that its
 * manifests pin: a batch that was merged since is newer.
 */
function versionsBefore(
  objects: readonly StageObject[],
  { passed = {} }: StageRecord,
  order: Order,
): ReadonlyMap<string, string> {
  const verified = objects.flatMap(({ address }) => {
    const [version] = Object.hasOwn(passed, address) ? (passed[address] ?? []) : [];
    return version === undefined ? [] : [[address, version] as const];
  });
  if (verified.length > 0) return new Map(verified);
  const [oldest] = objects.flatMap(({ pinned }) => pinned ?? []).toSorted(order);
  return new Map(oldest === undefined ? [] : objects.map(({ address }) => [address, oldest]));
}

/** Returns the newest of the merged versions as the target, and the others by address. */
function targetOf(
  changed: readonly StageObject[],
  before: ReadonlyMap<string, string>,
  order: Order,
): MergedVersion | undefined {
  const pins = changed.flatMap(({ address, pinned }) =>
    pinned === undefined ? [] : [[address, pinned] as const],
  );
  const version = pins
    .map(([, pinned]) => pinned)
    .toSorted(order)
    .at(-1);
  if (version === undefined) return undefined;
  const from = new Map(pins.map(([address]) => [address, before.get(address)]));
  return pins.every(([, pinned]) => pinned === version)
    ? { version, from }
    : { version, each: Object.fromEntries(pins), from };
}
