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
  readonly decision?: DecisionInfo | undefined;
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
  /** The result of the last reconciliation. */
  readonly result?: string | undefined;
  readonly commit?: string | undefined;
  /** Since when the source has this health, ISO 8601. */
  readonly since?: string | undefined;
  /** The end of the last reconciliation. */
  readonly time?: string | undefined;
  readonly next?: string | undefined;
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
  /** The name and the role of the token. */
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

/** The answer of `GET /api/sources/NAME/history`: events, the newest first. */
export interface SourceHistory {
  readonly entries: readonly JsonObject[];
}
