// What is decided from: the pipeline, its record, the snapshot, and what the clock and the caller say.
import type { Pipeline, Stage } from "./pipeline.ts";
import type { BlockedReason } from "./blocked-reasons.ts";
import type { PipelineRecord, Rollout } from "./record.ts";
import type { PipelineSnapshot } from "./snapshot.ts";

/** What the clock and the caller say. */
export interface DecisionContext {
  readonly now: Date;
  /** Which automatic stages the caller lets go on by themselves. */
  readonly isAutomaticAllowed: (stage: string) => boolean;
  /** Why a stage must not change now, for this cause; undefined where it may. */
  readonly closedReason: (stage: Stage, cause: Rollout["cause"]) => BlockedReason | undefined;
  /** Stages whose running version this run has verified. */
  readonly verifiedStages: ReadonlySet<string>;
  /** Stages that this run has tried in vain, and why. */
  readonly failedStages: ReadonlyMap<string, BlockedReason>;
}

/** Everything that is decided from. */
export interface DecisionInput {
  readonly pipeline: Pipeline;
  readonly record: PipelineRecord;
  readonly snapshot: PipelineSnapshot;
  readonly context: DecisionContext;
}
