// Lists what a rollout changes, for its confirmation: the version of each object before and after.
import type { StartStep } from "./decide.ts";
import { targetVersion } from "./record.ts";
import type { StageObject } from "./snapshot.ts";

/** A rollout that waits for confirmation. */
export interface PlannedRollout extends StartStep {
  readonly changes: readonly VersionChange[];
}

/** The change of one object. */
interface VersionChange {
  readonly address: string;
  /** Undefined if the running version is unknown. */
  readonly from: string | undefined;
  readonly to: string;
}

/** Returns a rollout with the objects that it changes. */
export function planRollout(step: StartStep, objects: readonly StageObject[]): PlannedRollout {
  const changes = objects.map(({ address, version: from }) => {
    return { address, from, to: targetVersion(step, address) };
  });
  return { ...step, changes: changes.filter(({ from, to }) => from !== to) };
}
