// What a call of a pipeline's verbs brings: who acts, what the caller lets it do, and what the clock, windows and freezes say.
import type { ApplyOptions } from "../reconciler/verbs/apply-session.ts";
import { commitAt } from "../reconciler/operator/commit.ts";
import type { Stack, DesiredObject } from "../reconciler/model/index.ts";
import { operatorRules, type Session, type VerbOptions } from "../reconciler/verbs/session.ts";
import { closureText } from "../reconciler/policy/window-check.ts";
import { windowStatusFor } from "../reconciler/model/windows/maintenance-window.ts";
import type { CheckGrants } from "../reconciler/operator/grants.ts";
import type { DecisionContext } from "./decision-input.ts";
import type { Stage } from "./pipeline.ts";
import type { BlockedReason } from "./blocked-reasons.ts";
import type { Rollout } from "./record.ts";
import type { Actor } from "./transitions.ts";
import { selectedObjects } from "./selection.ts";

/** What the caller lets pipelines do, whatever they say themselves. */
export interface PromotionGrants extends CheckGrants {
  /** Stages that may go on by themselves where they are automatic, beside those that the grants name, or `all`. */
  readonly automatic: readonly string[] | "all";
}

/** What every verb of pipelines takes. */
export interface PipelineOptions
  extends VerbOptions, Pick<ApplyOptions, "evaluatePolicies" | "failOn"> {
  /** `metadata.name` of the Pipeline. */
  readonly pipeline: string;
  readonly runGrants: PromotionGrants;
  /** Who does it, as the record is to tell. */
  readonly by: string;
}

/** What the operator grants checks, and what is granted to this one run. */
export function checkGrants({ runGrants: may, grants }: PipelineOptions): CheckGrants {
  const { origins = [], commands = {} } = grants.checks ?? {};
  return {
    origins: [...origins, ...may.origins],
    commands: { ...commands, ...may.commands },
  };
}

/** Who acts on a stack, when, and from which commit. */
export function actorOf(
  options: Pick<PipelineOptions, "by" | "now">,
  { folder }: Pick<Stack, "folder">,
): Actor {
  return { by: options.by, at: clockOf(options)().toISOString(), commit: commitAt(folder) };
}

/** The clock of a call. */
export function clockOf({ now }: Pick<VerbOptions, "now">): () => Date {
  return now ?? (() => new Date());
}

/** What the clock and the caller say, of a run that has done nothing yet. */
export function decisionContextFor(
  { windowRuleSets: sets, desired }: Pick<Session, "windowRuleSets" | "desired">,
  options: PipelineOptions,
): DecisionContext {
  const { automatic } = options.runGrants;
  const now = clockOf(options)();
  return {
    now,
    isAutomaticAllowed: (stage) =>
      automatic === "all" || [...automatic, ...options.grants.promotion].includes(stage),
    closedReason: (stage, cause) => {
      const holding = windowRuleSetsFor(stage, cause, {
        windowRuleSets: sets,
        grants: options.grants,
      });
      return closedReasonNow(holding, selectedObjects(stage, desired.objects), now);
    },
    failedStages: new Map(),
    verifiedStages: new Set(),
  };
}

/** What windows and freezes hold a stage: the Stack and the stage let every way back through; the operator lets none, unless the grants say so. */
export function windowRuleSetsFor(
  { rules }: Stage,
  cause: Rollout["cause"],
  { windowRuleSets: sets, grants }: Pick<Session, "windowRuleSets"> & Pick<VerbOptions, "grants">,
): Session["windowRuleSets"] {
  if (cause !== "rollback") return [...sets, rules];
  return grants.rollbackInFreeze === true ? [] : [operatorRules(grants)];
}

/** What windows and freezes say; each set can only close more. */
function closedReasonNow(
  sets: Session["windowRuleSets"],
  objects: readonly DesiredObject[],
  now: Date,
): BlockedReason | undefined {
  const subjects = objects.map(({ kind, name, labels }) => ({ kind: kind.name, name, labels }));
  const { closures, opens } = windowStatusFor(sets, subjects, now);
  if (closures.length === 0) return undefined;
  const message = closures.map(closureText).join("; ");
  return { code: "closed-window", message, ...(opens && { until: opens.toISOString() }) };
}
