// What a call of a pipeline's verbs brings: who acts, what the caller lets it do, and what the clock, windows and freezes say.
import type { ApplyOptions } from "../apply-session.ts";
import { commitAt } from "../caller/commit.ts";
import type { Stack, Wish } from "../model.ts";
import { operatorRules, type Session, type VerbOptions } from "../session.ts";
import { closureText } from "../windows/closed.ts";
import { openingFor } from "../windows/opening.ts";
import type { CheckGrants } from "../caller/grants.ts";
import type { Terms } from "./basis.ts";
import type { Stage } from "./pipeline.ts";
import type { Reason } from "./reasons.ts";
import type { Rollout } from "./record.ts";
import type { Actor } from "./transitions.ts";
import { selected } from "./selection.ts";

/** What the caller lets pipelines do, whatever they say themselves. */
export interface PromotionGrants extends CheckGrants {
  /** Stages that may go on by themselves where they are automatic, beside those that the grants name, or `all`. */
  readonly automatic: readonly string[] | "all";
}

/** What every verb of pipelines takes. */
export interface PipelineOptions extends VerbOptions, Pick<ApplyOptions, "judge" | "failOn"> {
  /** `metadata.name` of the Pipeline. */
  readonly pipeline: string;
  readonly may: PromotionGrants;
  /** Who does it, as the record is to tell. */
  readonly by: string;
}

/** What the operator grants checks, and what is granted to this one run. */
export function checkGrants({ may, grants }: PipelineOptions): CheckGrants {
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
export function termsFor(
  { sets, desired }: Pick<Session, "sets" | "desired">,
  options: PipelineOptions,
): Terms {
  const { automatic } = options.may;
  const now = clockOf(options)();
  return {
    now,
    mayBeAutomatic: (stage) =>
      automatic === "all" || [...automatic, ...options.grants.promotion].includes(stage),
    closed: (stage, cause) => {
      const holding = setsFor(stage, cause, { sets, grants: options.grants });
      return closedNow(holding, selected(stage, desired.wishes), now);
    },
    inVain: new Map(),
    looked: new Set(),
  };
}

/** What windows and freezes hold a stage: the Stack and the stage let every way back through; the operator lets none, unless the grants say so. */
export function setsFor(
  { rules }: Stage,
  cause: Rollout["cause"],
  { sets, grants }: Pick<Session, "sets"> & Pick<VerbOptions, "grants">,
): Session["sets"] {
  if (cause !== "rollback") return [...sets, rules];
  return grants.rollbackInFreeze === true ? [] : [operatorRules(grants)];
}

/** What windows and freezes say; each set can only close more. */
function closedNow(sets: Session["sets"], wishes: readonly Wish[], now: Date): Reason | undefined {
  const subjects = wishes.map(({ kind, name, labels }) => ({ kind: kind.name, name, labels }));
  const { closures, opens } = openingFor(sets, subjects, now);
  if (closures.length === 0) return undefined;
  const said = closures.map(closureText).join("; ");
  return { code: "window", said, ...(opens && { until: opens.toISOString() }) };
}
