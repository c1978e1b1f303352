// The tables of exports and deliveries of dashboards as Kysely types; see schema.ts.
import type { Generated } from "kysely";

/** Exports of dashboards. They are deleted soon after they expire. */
interface DashboardExportTable {
  id: Generated<number>;
  deployment_id: number;
  dashboard_id: number;
  /** The user who requested it. Only this user may download it. */
  user_id: number;
  /** ID for callers. */
  job_id: string;
  format: "png" | "pdf";
  /** JSON: filters, time grains and member switchers. */
  controls: string;
  /** JSON: the viewer whose rights apply to the queries. */
  viewer: string;
  status: "pending" | "processing" | "completed" | "failed";
  error_text: string | null;
  /** The file in base64. */
  content: string | null;
  attempts: number;
  /** End of the runner's lease; null if no server runs it. */
  leased_until: string | null;
  created_at: string;
  expires_at: string;
}

/** Runs of notifications, at most one for each time of a schedule. */
interface NotificationRunTable {
  id: Generated<number>;
  notification_id: number;
  trigger_name: "schedule" | "manual";
  /** The scheduled time, or the time of the request. */
  scheduled_at: string;
  status: "running" | "ended";
  /** Number of claims. The runner with the last claim owns the run. */
  claims: number;
  /** End of the runner's lease; null if no server sends it. */
  leased_until: string | null;
  /** The number of the server that leased it last; null if it is not known whether it runs. */
  leased_by: number | null;
  next_attempt_at: string;
  created_at: string;
}

/** Deliveries of runs to recipients. */
interface NotificationDeliveryTable {
  id: Generated<number>;
  run_id: number;
  notification_id: number;
  user_id: number;
  email: string;
  status: "pending" | "sent" | "failed" | "skipped";
  attempts: number;
  next_attempt_at: string;
  error_text: string | null;
  sent_at: string | null;
  /** Fingerprint of the content of the mail; null if a later request does not compare it. */
  fingerprint: string | null;
  /** 1 if it is skipped because the recipient has this mail from an earlier request. */
  was_sent_before: Generated<number>;
}

/** All tables of deliveries. */
export interface DeliveryTables {
  notification_runs: NotificationRunTable;
  notification_deliveries: NotificationDeliveryTable;
  dashboard_exports: DashboardExportTable;
}
