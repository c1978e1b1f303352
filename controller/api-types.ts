// What the HTTP API of a controller returns. The page in web/controller reads the same types.
import type { JsonObject } from "../core/json.ts";

/** What a token permits; each role includes the ones before it. */
export type Role = "viewer" | "operator" | "approver";

/** The state of a source at a glance. `unknown`: it was not reconciled yet. */
export type Health = "ok" | "changes" | "waiting" | "failing" | "suspended" | "unknown";

/** Why a source is left alone, and until when. */
export interface Suspension {
  /** The token or person; the owner, for that of the configuration. */
  readonly by: string;
  readonly reason: string;
  /** ISO 8601. */
  readonly expires: string;
  /** Whether it is in the configuration, which only its operator can change. */
  readonly configured: boolean;
}

/** Who approved or rejected a held plan. */
export interface DecisionInfo {
  readonly verdict: "approved" | "rejected";
  readonly by: string;
  readonly reason?: string | undefined;
  /** ISO 8601. */
  readonly at: string;
}

/** A plan that waits for a decision. */
export interface HeldInfo {
  /** For an approval or a rejection. */
  readonly plan: string;
  /** With cascades. */
  readonly deletes: number;
  /** Such as `delete UserGroup/south`. */
  readonly changes: readonly string[];
  /** Number of further changes, which need no approval alone: the next reconciliation makes them with the plan. */
  readonly others?: number | undefined;
  readonly decision?: DecisionInfo | undefined;
}

/** A reconciliation that runs. */
export interface RoundInfo {
  /** ISO 8601. */
  readonly since: string;
  /** What it does, or waits for: `queue` is its turn at the server. */
  readonly phase: "fetch" | "queue" | "load" | "plan" | "check" | "apply" | "verify" | "health";
  /** The Git host, or the server of the platform. */
  readonly host?: string | undefined;
}

/** A failure with what to do about it. */
export interface FailureInfo {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string | undefined;
}

/** One source in the list. Absent members are unknown or do not apply. */
export interface SourceOverview {
  readonly name: string;
  readonly stack: string;
  readonly mode: "plan" | "report-drift" | "apply";
  readonly from: {
    readonly url?: string | undefined;
    readonly ref?: string | undefined;
    readonly path?: string | undefined;
    readonly folder?: string | undefined;
  };
  readonly health: Health;
  /** The source whose pattern this one comes from. */
  readonly pattern?: string | undefined;
  /** Its wave, from 0, which waits for the ones before; the first sources that it waits for, and how many more. */
  readonly order?:
    | { readonly wave: number; readonly after: readonly string[]; readonly more?: number }
    | undefined;
  /** The result of the last reconciliation. */
  readonly result?: string | undefined;
  readonly commit?: string | undefined;
  /** Since when the source has this health, ISO 8601. */
  readonly since?: string | undefined;
  /** The end of the last reconciliation. */
  readonly time?: string | undefined;
  readonly next?: string | undefined;
  /** The reconciliation that runs for longer than a second. */
  readonly running?: RoundInfo | undefined;
  /** When the next maintenance window opens. */
  readonly opens?: string | undefined;
  /** Changes of the last plan by direction. */
  readonly drift?: Readonly<Record<"pending" | "drifted" | "conflict", number>> | undefined;
  readonly failure?: FailureInfo | undefined;
  readonly suspension?: Suspension | undefined;
  readonly held?: HeldInfo | undefined;
}

/** The answer of `GET /api/sources`. */
export interface SourceList {
  /** The name and the role of the token, or the address and the role of the user who signed in. */
  readonly token: { readonly name: string; readonly role: Role };
  readonly sources: readonly SourceOverview[];
}

/** The answer of `GET /api/sources/NAME/plan`: the plan that the last reconciliation had. */
export interface RecordedPlan {
  /** ISO 8601. */
  readonly time: string;
  readonly commit?: string | undefined;
  /** As `svc plan --json` has it. */
  readonly report: JsonObject;
  /** Number of changes that are left out, because the report was too long. */
  readonly moreChanges?: number | undefined;
}

/** A pipeline, as `svc promote status --output json` has it, with its latest history. */
export interface PipelineReport {
  readonly pipeline: string;
  readonly stages: readonly PipelineStage[];
  /** Newest first. */
  readonly versions: readonly string[];
  readonly titles: Readonly<Record<string, string>>;
  readonly cells: readonly PipelineCell[];
  readonly omittedVersions: number;
  /** Newest first. */
  readonly history: readonly PastPromotion[];
  readonly manualActions: readonly StageActionInfo[];
}

/** A stage of a pipeline. */
export interface PipelineStage {
  readonly stage: string;
  /** Where versions come from, as text. */
  readonly source: string;
  readonly deployed: readonly { readonly address: string; readonly version?: string | undefined }[];
  readonly running?: string | undefined;
  readonly candidate?: string | undefined;
  /** The step that may be executed now. */
  readonly step?: { readonly action: string } | undefined;
  /** What blocks the candidate. */
  readonly reasons: readonly {
    readonly code: string;
    readonly message: string;
    /** ISO 8601. */
    readonly until?: string | undefined;
    readonly remedy?: string | undefined;
  }[];
  readonly hold?: (StageActor & { readonly reason: string }) | undefined;
  readonly approvals: readonly (StageActor & {
    readonly version: string;
    readonly isPending: boolean;
  })[];
  readonly rollout?:
    | (StageActor & { readonly version: string; readonly cause: string })
    | undefined;
}

/** Who did something in a pipeline, and when. */
interface StageActor {
  readonly by: string;
  /** Missing if nobody vouches for the name. */
  readonly vouchedBy?: string | undefined;
  /** ISO 8601. */
  readonly at: string;
}

/** A version in a stage. */
export interface PipelineCell {
  readonly version: string;
  readonly stage: string;
  readonly running: number;
  readonly total: number;
  readonly verification?: "promotable" | "passed" | "stale" | "failed" | "rolled-back" | undefined;
  /** ISO 8601. */
  readonly verifiedAt?: string | undefined;
  readonly isApproved: boolean;
  readonly isCandidate: boolean;
  readonly rollout?: "in-progress" | "failed" | undefined;
  readonly soak?:
    | { readonly since: string; readonly ends: string; readonly nextCheck?: string | undefined }
    | undefined;
  readonly checks: readonly {
    readonly check: string;
    readonly passed: boolean;
    readonly message: string;
    readonly at: string;
    readonly output?: string | undefined;
  }[];
}

/** A completed promotion. */
export interface PastPromotion {
  readonly stage: string;
  readonly to: string;
  readonly by: string;
  readonly endedAt: string;
  readonly result: string;
}

/** What a person did to a stage. */
export interface StageActionInfo {
  readonly action: string;
  readonly stage: string;
  readonly by: string;
  readonly at: string;
  readonly version?: string | undefined;
  readonly reason?: string | undefined;
}

/** The answer of `GET /api/sources/NAME/promotions`: the pipelines of the Stack, as the last reconciliation found them. */
export interface RecordedPromotions {
  /** ISO 8601. */
  readonly time: string;
  readonly pipelines: readonly PipelineReport[];
  /** Number of pipelines that are left out, because the reports were too long. */
  readonly morePipelines?: number | undefined;
  /** Why they could not be read. */
  readonly failure?: FailureInfo | undefined;
}

/** The answer of `GET /api/sources/NAME/history`: events, the newest first. */
export interface SourceHistory {
  readonly entries: readonly JsonObject[];
}
