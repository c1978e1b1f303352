// Exports of dashboards in the store. Only conditional updates claim and end an export.
import { randomBytes } from "node:crypto";
import type { Static } from "typebox";
import type { DashboardExport, startDashboardExport } from "../../../api/dashboard-exports.ts";
import { Failure } from "../../../core/errors.ts";
import type { JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { toShortJson, toShortText, toTimestamp } from "../../store/codec.ts";
import { deadlineIsOver } from "../../store/deadlines.ts";
import type { Db, Row } from "../../store/schema.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import type { Viewer } from "./viewer.ts";
import { type PublishedDashboard, publishedDashboard } from "../workbooks/dashboards.ts";
import { checkTimezone } from "../shared/time-zone.ts";

/** An export in the store. */
export type ExportRow = Row<"dashboard_exports">;

type StartBody = RequestOf<typeof startDashboardExport>["body"];

/** The request for an export. */
export interface NewExport {
  readonly dashboard: Row<"dashboards">;
  readonly body: StartBody;
  readonly userId: number;
  /** The user whose rights apply to the queries. */
  readonly viewer: Viewer;
  readonly now: Date;
}

/** Returns the published dashboard that a request names. Throws `not_found` if the deployment has none. */
export async function dashboardToExport(
  db: Db,
  deploymentId: number,
  { dashboardId, dashboardPublicId }: StartBody,
): Promise<PublishedDashboard> {
  return publishedDashboard(db, deploymentId, dashboardId ?? dashboardPublicId ?? "");
}

/** Queues an export. Throws `limit_reached` if the user, or the account, has too many. */
export async function addExport(tx: Db, input: NewExport): Promise<ExportRow> {
  const { dashboard, body, userId, viewer, now } = input;
  const { format, filters, timeGrains, memberSwitchers, timezone } = body;
  if (timezone != null) checkTimezone(timezone);
  await requireRoom(tx, userId, now);
  const controls = {
    filters: filters ?? [],
    timeGrains: timeGrains ?? [],
    memberSwitchers: memberSwitchers ?? [],
    timezone: timezone ?? "UTC",
    // Without any, the file is what the page shows first; the page itself sends what its viewer sees.
    hasInitialValues: [filters, timeGrains, memberSwitchers].every((set) => set == null),
  } as JsonValue;
  return tx
    .insertInto("dashboard_exports")
    .values({
      deployment_id: dashboard.deployment_id,
      dashboard_id: dashboard.id,
      user_id: userId,
      job_id: randomBytes(12).toString("hex"),
      format,
      controls: toShortJson(controls, { name: "the filters", most: limits.freeFormBytes }),
      viewer: JSON.stringify(viewer),
      status: "pending",
      attempts: 0,
      created_at: toTimestamp(now),
      expires_at: toTimestamp(now.getTime() + limits.exportMs),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function requireRoom(tx: Db, userId: number, now: Date): Promise<void> {
  const kept = () =>
    tx.selectFrom("dashboard_exports").select("id").where("expires_at", ">", toTimestamp(now));
  const own = await kept()
    .where("user_id", "=", userId)
    .where("status", "in", ["pending", "processing"])
    .limit(limits.exportsOfUser)
    .execute();
  if (own.length >= limits.exportsOfUser) {
    const most = `a user can have ${limits.exportsOfUser} unfinished exports`;
    throw new Failure("limit_reached", `${most}; wait for one`);
  }
  const all = await kept().limit(limits.exportsKept).execute();
  if (all.length < limits.exportsKept) return;
  const most = `an account can have ${limits.exportsKept} exports`;
  throw new Failure("limit_reached", `${most}; wait until one expires`, { retryAfter: 60 });
}

/** The key of a caller's export. */
export interface ExportKey {
  readonly deploymentId: number;
  readonly jobId: string;
  readonly userId: number;
  readonly now: Date;
}

/**
 * Returns an export of the caller. Throws `not_found` for another caller's export, and after the export has expired.
 */
export async function readExport(
  db: Db,
  { deploymentId, jobId, userId, now }: ExportKey,
): Promise<ExportRow> {
  const row = await db
    .selectFrom("dashboard_exports")
    .selectAll()
    .where("job_id", "=", jobId)
    .where("deployment_id", "=", deploymentId)
    .where("user_id", "=", userId)
    .where("expires_at", ">", toTimestamp(now))
    .executeTakeFirst();
  if (row) return row;
  throw exportNotFound(jobId);
}

/** Returns the error for an export that the caller does not have. */
export function exportNotFound(jobId: string): Failure {
  const what = `you have no export ${JSON.stringify(jobId)} in this deployment, or it has expired`;
  return new Failure("not_found", what);
}

/** Converts an export to its API form. */
export function showExport(row: ExportRow): Static<typeof DashboardExport> {
  return {
    jobId: row.job_id,
    status: row.status,
    format: row.format,
    expiresAt: row.expires_at,
    ...omitNullish({ error: row.error_text }),
  };
}

/** Returns the file of an export. Throws `conflict` while it runs, and `failed` if it failed. */
export function contentOf({ status, content, error_text }: ExportRow): Buffer {
  if (status === "completed" && content !== null) return Buffer.from(content, "base64");
  if (status === "failed") throw new Failure("failed", error_text ?? "the export failed");
  throw new Failure("conflict", `the export is not complete: it is ${status}`, { retryAfter: 1 });
}

/** An export that no server is processing. */
type DueExport = Pick<ExportRow, "id" | "attempts">;

/** Returns the oldest export that waits, otherwise the oldest whose server died. */
export async function findDueExport(db: Db, now: Date): Promise<DueExport | undefined> {
  const oldest = (status: ExportRow["status"]) =>
    db
      .selectFrom("dashboard_exports")
      .select(["id", "attempts"])
      .where("status", "=", status)
      .where(deadlineIsOver("leased_until", { now, longestMs: limits.exportLeaseMs }))
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
  return (await oldest("pending")) ?? oldest("processing");
}

/** Claims an export, unless another server did. Marks it as failed if it was tried too often or has expired. */
export async function claimExport(
  tx: Db,
  due: DueExport,
  now: Date,
): Promise<ExportRow | undefined> {
  const isOver = due.attempts >= limits.exportAttempts;
  const row = await tx
    .updateTable("dashboard_exports")
    .set(
      isOver
        ? { status: "failed", error_text: "the export did not end", leased_until: null }
        : {
            status: "processing",
            attempts: due.attempts + 1,
            leased_until: toTimestamp(now.getTime() + limits.exportLeaseMs),
          },
    )
    .where("id", "=", due.id)
    .where("attempts", "=", due.attempts)
    .where("status", "in", ["pending", "processing"])
    .where(deadlineIsOver("leased_until", { now, longestMs: limits.exportLeaseMs }))
    .returningAll()
    .executeTakeFirst();
  return row?.status === "processing" ? row : undefined;
}

/** How an export ended. */
export type ExportEnd = { readonly content: Buffer } | { readonly problem: string };

/** Ends an export that this attempt runs. */
export async function endExport(
  tx: Db,
  { id, attempts }: ExportRow,
  end: ExportEnd,
): Promise<void> {
  await tx
    .updateTable("dashboard_exports")
    .set({
      leased_until: null,
      ...("content" in end
        ? { status: "completed", content: end.content.toString("base64") }
        : { status: "failed", error_text: toShortText(end.problem, limits.syncErrorLength) }),
    })
    .where("id", "=", id)
    .where("status", "=", "processing")
    .where("attempts", "=", attempts)
    .execute();
}

/** Returns an export to the queue if its server could not finish it, such as on shutdown. */
export async function releaseExport(tx: Db, { id, attempts }: ExportRow): Promise<void> {
  await tx
    .updateTable("dashboard_exports")
    .set({ status: "pending", attempts: attempts - 1, leased_until: null })
    .where("id", "=", id)
    .where("status", "=", "processing")
    .where("attempts", "=", attempts)
    .execute();
}
