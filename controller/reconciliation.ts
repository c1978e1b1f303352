// The result of reconciling a source, and the context of a reconciliation.
import type { HostQueue } from "../git/host-queue.ts";
import type { Diagnostic } from "../core/diagnostics.ts";
import type { Failure } from "../core/errors.ts";
import type { Component } from "../core/kind/component.ts";
import type { Kind } from "../core/kind/kind.ts";
import type { DecisionInfo, RecordedPromotions, Suspension } from "./api-types.ts";
import type { Checkouts, WantedCheckout } from "./checkout.ts";
import type { Source } from "./config.ts";
import type { Evidence } from "../promotion/index.ts";
import type { Tracer } from "./traces.ts";
import type { ParseCache } from "../reconciler/sessions.ts";
import type { Round, Rounds } from "./rounds.ts";
import type { Clock } from "./clock.ts";
import type { Documents } from "./state-store.ts";
import { type ApplyResult, type Plan, type VerbOptions, writes } from "../reconciler/index.ts";

/** Every {@link ReconciliationResult}. */
export const reconciliationResults = [
  "unchanged",
  "changes",
  "applied",
  "partial",
  "unhealthy",
  "held",
  "waiting",
  "closed",
  "invalid",
  "failed",
  "suspended",
  "stopped",
] as const;

/**
 * The result of a reconciliation. `changes`: the plan has changes that the mode does not apply. `unhealthy`: everything is
 * applied, and a check failed. `waiting`: for other sources.
 */
export type ReconciliationResult = (typeof reconciliationResults)[number];

/** One reconciliation of a source. */
export interface Reconciliation {
  readonly source: string;
  readonly mode: Source["mode"];
  readonly result: ReconciliationResult;
  /** ISO 8601. */
  readonly at: string;
  readonly seconds: number;
  /** Hexadecimal; undefined if unknown. */
  readonly commit: string | undefined;
  /** The plan with its policy findings; undefined if planning failed. */
  readonly plan: Plan | undefined;
  /** Its pipelines; undefined if it has none, or nobody looks at them. */
  readonly promotions: RecordedPromotions | undefined;
  /** The result of apply; undefined if nothing was applied. */
  readonly applied: ApplyResult | undefined;
  /** Diagnostics of the manifests. */
  readonly diagnostics: readonly Diagnostic[];
  /** Why the reconciliation failed, is partial, held or closed. */
  readonly failure: Failure | undefined;
  /** The id under which a previewed plan would be held. */
  readonly planId?: string | undefined;
  /** The held plan: its id, its deletes and replacements, and the delete limit. */
  readonly held:
    | {
        readonly plan: string;
        readonly deletes: number;
        readonly allowed: number;
        readonly rejected?: Decision | undefined;
      }
    | undefined;
  /** The results of the health checks that ran. */
  readonly checks: readonly HealthCheck[] | undefined;
  /** The sources that this one waits for, and since when in ISO 8601. */
  readonly waitsFor: Pick<Wait, "sources" | "since"> | undefined;
  /** What a pattern found. */
  readonly expanded: PatternChange | undefined;
  /** Who approved the applied plan. */
  readonly approved: Decision | undefined;
  /** Why the source is suspended. */
  readonly suspension: Suspension | undefined;
  /** When the next maintenance window opens, ISO 8601; undefined if none is closed, or none opens within a year. */
  readonly opens: string | undefined;
}

/** The result of a health check. */
export type HealthCheck = Pick<Evidence, "check" | "passed" | "message">;

/** What a source waits for. */
export interface Wait {
  /** The names of the sources. */
  readonly sources: readonly string[];
  /** ISO 8601: since when. */
  readonly since: string;
  readonly failure: Failure;
}

/** What changed in the sources of a pattern. */
export interface PatternChange {
  /** How many sources the pattern has now. */
  readonly sources: number;
  readonly added: readonly Source[];
  readonly removed: readonly Source[];
  /** Why folders have no source. */
  readonly errors: readonly Diagnostic[];
}

/** Who approved or rejected a plan. */
export type Decision = Omit<DecisionInfo, "verdict">;

/** The context of a reconciliation. */
export interface ReconciliationContext {
  /** Absolute path of the source's state folder. */
  readonly folder: string;
  readonly documents: Documents;
  /** Whether any of several machines may reconcile the source. */
  readonly hasReplicas?: boolean;
  /** Checks out a Git source. Undefined for a folder. */
  readonly checkout: Checkouts["latest"] | undefined;
  /** Looks up the folders of a pattern; undefined if the commit is not wanted. Undefined for an ordinary source. */
  readonly expand?:
    | ((
        wanted: Pick<WantedCheckout, "signal" | "since" | "wants">,
      ) => Promise<PatternChange | undefined>)
    | undefined;
  /** Returns the sources that this one waits for before it reconciles a commit. */
  readonly waitOf?: ((commit: string | undefined) => Promise<Wait | undefined>) | undefined;
  readonly tracer?: Tracer | undefined;
  /** Undefined: nobody follows what the reconciliation does. */
  readonly rounds?: Rounds | undefined;
  /** Returns the suspension of this source that is in force. */
  readonly suspension: (now: Date) => Promise<Suspension | undefined>;
  /** Returns how to review and approve a plan of this source. */
  readonly approvalRemedy: (plan: string) => string;
  /** Set to plan as this mode does: it holds the removals of an emptied stack, and its plans have ids. */
  readonly previews?: Exclude<Source["mode"], "plan"> | undefined;
  /** Whether plans say who changed what on the server, which the page shows. */
  readonly readsAuthors?: boolean | undefined;
  /** Whether the pipelines of the source are read, which the API shows. */
  readonly readsPromotions?: boolean | undefined;
  /** Returns the command that approves a plan of this source on this machine. */
  readonly approveCommand: (plan: string) => string;
  readonly env: VerbOptions["env"];
  readonly kinds: readonly Kind[];
  readonly components?: readonly Component[] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  /** Limits concurrent reconciliations, in total and for each server. A checkout runs outside of it. */
  readonly reconciliations: HostQueue;
  /** The manifest files of all sources, parsed. */
  readonly parseCache: ParseCache;
  /** Set by a webhook: the commit is looked up again if that was before this moment of the monotonic clock. */
  readonly since?: number | undefined;
  /** Called with the commit. `false` skips the reconciliation. */
  readonly shouldReconcile?: ((commit: string | undefined) => boolean) | undefined;
}

/** Details collected during a reconciliation. */
export interface ReconciliationDetails {
  commit?: string | undefined;
  plan?: Plan;
  planId?: string | undefined;
  promotions?: RecordedPromotions | undefined;
  diagnostics: readonly Diagnostic[];
}

/** The end of a reconciliation. */
export type ReconciliationOutcome = Pick<Reconciliation, "result"> &
  Partial<
    Pick<
      Reconciliation,
      | "applied"
      | "failure"
      | "held"
      | "checks"
      | "waitsFor"
      | "expanded"
      | "approved"
      | "suspension"
      | "opens"
    >
  >;

/** A reconciliation in progress. */
export interface ReconciliationRun {
  readonly context: ReconciliationContext;
  readonly details: ReconciliationDetails;
  /** Tells what it does next, and at which server. Undefined: nobody follows it. */
  readonly enter?: Round["enter"] | undefined;
}

/** Counts the changes of a plan by direction of drift. */
export function driftCounts(
  plan: Plan,
): Readonly<Record<"pending" | "drifted" | "conflict", number>> {
  const counts = { pending: 0, drifted: 0, conflict: 0 };
  for (const { direction } of writes(plan)) counts[direction]++;
  return counts;
}
