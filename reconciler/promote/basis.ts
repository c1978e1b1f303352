// What is decided from: the pipeline, its record, the world, and what the clock and the caller say.
import type { Pipeline, Stage } from "./pipeline.ts";
import type { Reason } from "./reasons.ts";
import type { PipelineRecord, Rollout } from "./record.ts";
import type { World } from "./world.ts";

/** What the clock and the caller say. */
export interface Terms {
  readonly now: Date;
  /** Which automatic stages the caller lets go on by themselves. */
  readonly mayBeAutomatic: (stage: string) => boolean;
  /** Why a stage must not change now, for this cause; undefined where it may. */
  readonly closed: (stage: Stage, cause: Rollout["cause"]) => Reason | undefined;
  /** Stages whose running version this run has verified. */
  readonly looked: ReadonlySet<string>;
  /** Stages that this run has tried in vain, and why. */
  readonly inVain: ReadonlyMap<string, Reason>;
}

/** Everything that is decided from. */
export interface Basis {
  readonly pipeline: Pipeline;
  readonly record: PipelineRecord;
  readonly world: World;
  readonly terms: Terms;
}
