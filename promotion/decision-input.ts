// Declares the input of a decision: the pipeline with its record and live versions, and the context of the run.
import type { Pipeline, Stage } from "./pipeline.ts";
import type { BlockedReason } from "./blocked-reasons.ts";
import type { PipelineRecord, Rollout } from "./record.ts";
import type { PipelineSnapshot } from "./snapshot.ts";

/** Clock, grants and results of the current run. */
export interface DecisionContext {
  readonly now: Date;
  /** The run writes a pull request. Others write no manifest of a promotion that was merged. */
  readonly writesRequest: boolean;
  /** Returns whether an automatic stage is granted. */
  readonly isAutomaticAllowed: (stage: string) => boolean;
  /** Returns why a stage may not change now for this cause; undefined if it may. */
  readonly closedReason: (stage: Stage, cause: Rollout["cause"]) => BlockedReason | undefined;
  /** Stages whose running version this run verified. */
  readonly verifiedStages: ReadonlySet<string>;
  /** Stages that failed in this run, with the reason. */
  readonly failedStages: ReadonlyMap<string, BlockedReason>;
}

/** Everything that a decision depends on. */
export interface DecisionInput {
  readonly pipeline: Pipeline;
  readonly record: PipelineRecord;
  readonly snapshot: PipelineSnapshot;
  readonly context: DecisionContext;
}
