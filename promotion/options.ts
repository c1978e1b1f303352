// The options that all pipeline verbs share: actor, grants, clock, maintenance windows and freezes.
import {
  commitAt,
  operatorRules,
  type Session,
  closureText,
  type CheckGrants,
} from "../reconciler/sessions.ts";
import type { DecisionContext } from "./decision-input.ts";
import type { Stage } from "./pipeline.ts";
import type { BlockedReason } from "./blocked-reasons.ts";
import { type ActorOptions, type Rollout, type Who, whoOf } from "./record.ts";
import type { Actor } from "./record-transitions.ts";
import { selectedObjects } from "./selection.ts";
import {
  type ApplyOptions,
  type DesiredObject,
  type Stack,
  type VerbOptions,
  windowStatusFor,
} from "../reconciler/index.ts";

/** The options of every pipeline verb. */
export interface PipelineOptions
  extends VerbOptions, ActorOptions, Pick<ApplyOptions, "evaluatePolicies" | "failOn"> {
  /** `metadata.name` of the Pipeline. */
  readonly pipeline: string;
}

/** Returns the grants for checks. */
export function checkGrants({ grants }: Pick<VerbOptions, "grants">): CheckGrants {
  return { origins: [], commands: {}, ...grants.checks };
}

/** Returns the actor, the current time and the checked-out commit. */
export function actorOf(
  who: Who,
  options: Pick<PipelineOptions, "now">,
  { folder }: Pick<Stack, "folder">,
): Actor {
  return { ...whoOf(who), at: clockOf(options)().toISOString(), commit: commitAt(folder) };
}

/** Returns the clock of a call. */
export function clockOf({ now }: Pick<VerbOptions, "now">): () => Date {
  return now ?? (() => new Date());
}

/** Returns the decision context at the start of a run. */
export function decisionContextFor(
  { windowRuleSets: sets, desired }: Pick<Session, "windowRuleSets" | "desired">,
  options: PipelineOptions,
): DecisionContext {
  const { promotion } = options.grants;
  const now = clockOf(options)();
  return {
    now,
    writesRequest: false,
    isAutomaticAllowed: (stage) => promotion.includes("all") || promotion.includes(stage),
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

/**
 * Returns the windows and freezes that apply. A rollback ignores the rules of the Stack and the stage. It ignores the
 * operator's rules only if granted.
 */
export function windowRuleSetsFor(
  { rules }: Stage,
  cause: Rollout["cause"],
  { windowRuleSets: sets, grants }: Pick<Session, "windowRuleSets"> & Pick<VerbOptions, "grants">,
): Session["windowRuleSets"] {
  if (cause !== "rollback") return [...sets, rules];
  return grants.rollbackInFreeze === true ? [] : [operatorRules(grants)];
}

/** Returns why windows and freezes block a stage now. Every rule set must allow the change. */
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
