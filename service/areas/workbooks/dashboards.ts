// Dashboards of workbooks: a draft, and a published version with a stable public id.
import type { Static } from "typebox";
import type { DashboardConfig, publishDashboard } from "../../../api/workbooks.ts";
import { checkNames } from "../../../charts/index.ts";
import { Failure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { type Call, omitNullish } from "../shared/operation-handler.ts";
import { generatePublicId } from "../shared/public-id.ts";
import { memberPath } from "../../../core/pointer.ts";
import { emptyToNull, toFlag, fromJson, toShortJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { DashboardWidget } from "./chart-widgets.ts";
import { changedFrom, writersOf } from "./report-writers.ts";
import { authorizeReports, shownReports } from "./widget-reports.ts";

type Config = Static<typeof DashboardConfig>;

type Caller = Pick<Call, "db" | "principal">;

/** Converts a dashboard to the API form. */
export function showDashboard(row: Row<"dashboards">) {
  return {
    id: row.id,
    ...omitNullish({ publicId: row.public_id, lastViewedAt: emptyToNull(row.last_viewed_at) }),
    deploymentId: row.deployment_id,
    workbookId: row.workbook_id,
    status: row.status,
    allowEmbed: row.allow_embed === 1,
    config: fromJson(row.config) as Config,
    versionNumber: row.version_number,
  };
}

/** Returns the draft or the published dashboard of a workbook, if it exists. */
async function dashboardOf(
  db: Db,
  workbookId: number,
  status: Row<"dashboards">["status"],
): Promise<Row<"dashboards"> | undefined> {
  return db
    .selectFrom("dashboards")
    .selectAll()
    .where("workbook_id", "=", workbookId)
    .where("status", "=", status)
    .executeTakeFirst();
}

interface NewDashboardVersion {
  readonly config: Config;
  readonly status: Row<"dashboards">["status"];
  readonly allowEmbed: boolean;
  readonly at: string;
}

/** Records a change of the dashboards of a workbook, which are parts of it. */
export async function touchWorkbook(db: Db, id: number, at: string): Promise<void> {
  await db.updateTable("workbooks").set({ updated_at: at }).where("id", "=", id).execute();
}

/** Inserts the next version of a workbook's dashboard, which is a change of the workbook. Throws as {@link authorizeReports}. */
async function storeVersion(
  caller: Caller,
  workbook: Row<"workbooks">,
  { config, status, allowEmbed, at }: NewDashboardVersion,
): Promise<Row<"dashboards">> {
  const { db } = caller;
  const text = toShortJson(config as JsonObject, { name: "config", most: limits.dashboardBytes });
  const before = [
    await dashboardOf(db, workbook.id, "draft"),
    await dashboardOf(db, workbook.id, "published"),
  ];
  const reports = await authorizeReports(caller, {
    deploymentId: workbook.deployment_id,
    widgets: (config.widgets ?? []) as DashboardWidget[],
    kept: shownReports(before),
    writers: writersOf(before),
    isWritten: changedFrom(before),
  });
  await touchWorkbook(db, workbook.id, at);
  return db
    .insertInto("dashboards")
    .values({
      workbook_id: workbook.id,
      deployment_id: workbook.deployment_id,
      status,
      public_id: status === "published" ? generatePublicId() : null,
      allow_embed: toFlag(allowEmbed),
      config: text,
      ...reports,
      version_number: 1,
      created_at: at,
    })
    .onConflict((on) =>
      on.columns(["workbook_id", "status"]).doUpdateSet((eb) => ({
        config: text,
        ...reports,
        allow_embed: toFlag(allowEmbed),
        version_number: eb("dashboards.version_number", "+", 1),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Saves the draft. Throws `forbidden` if it shows a report that the author of the widget may not read. */
export async function saveDraft(
  caller: Caller,
  workbook: Row<"workbooks">,
  { config, at }: { config: Config; at: string },
): Promise<Row<"dashboards">> {
  requireNames(config);
  return storeVersion(caller, workbook, { config, status: "draft", allowEmbed: false, at });
}

/** Throws `invalid`, with their places, for names of widgets, controls and options that the dashboard does not have. */
function requireNames(config: Config): void {
  const errors = checkNames(config as JsonObject)
    .slice(0, limits.diagnosticsShown)
    .map(({ path, message, remedy }) => ({
      path: memberPath("body.config", path),
      message: remedy === undefined ? message : `${message}. ${remedy}`,
    }));
  if (errors.length === 0) return;
  const message = errors.map((one) => `${one.path} ${one.message}`).join("; ");
  throw new Failure("invalid", message, { details: { errors } });
}

type PublishBody = RequestOf<typeof publishDashboard>["body"];

/**
 * Publishes the given content, otherwise the saved draft, otherwise the published content again. Throws `invalid` if
 * there is none, and for a dashboard of another workbook; `forbidden` if it shows a report that the author of the
 * widget may not read.
 */
export async function publish(
  caller: Caller,
  workbook: Row<"workbooks">,
  { body, at }: { body: PublishBody; at: string },
): Promise<Row<"dashboards">> {
  if (body.workbookId !== workbook.id) {
    throw new Failure(
      "invalid",
      `workbookId is ${body.workbookId}, but the path names workbook ${workbook.id}`,
    );
  }
  const { db } = caller;
  const [draft, published] = [
    await dashboardOf(db, workbook.id, "draft"),
    await dashboardOf(db, workbook.id, "published"),
  ];
  const { dashboardId, title, description } = body;
  if (dashboardId != null && dashboardId !== draft?.id && dashboardId !== published?.id) {
    throw new Failure("invalid", `the workbook has no dashboard ${dashboardId}`);
  }
  if (body.config != null) requireNames(body.config);
  const base = draft ?? published;
  const saved = body.config ?? (base && (fromJson(base.config) as Config));
  const config = { ...saved, ...omitNullish({ title, description }) };
  if (saved === undefined && Object.keys(config).length === 0) {
    throw new Failure("invalid", "there is nothing to publish", {
      remedy: "Send config, title or description, or save a draft first.",
    });
  }
  const allowEmbed = body.allowEmbed ?? published?.allow_embed === 1;
  return storeVersion(caller, workbook, { config, status: "published", allowEmbed, at });
}

/** Returns the published dashboard of a workbook; undefined if there is none. */
export async function publishedDashboardOf(
  db: Db,
  workbookId: number,
): Promise<Row<"dashboards"> | undefined> {
  return dashboardOf(db, workbookId, "published");
}

/** A published dashboard. Only drafts have no public ID. */
export interface PublishedDashboard extends Row<"dashboards"> {
  readonly public_id: string;
}

/** Returns the published dashboard with an id or a public id. Throws `not_found` if the deployment has none. */
export async function publishedDashboard(
  db: Db,
  deploymentId: number,
  named: number | string,
): Promise<PublishedDashboard> {
  const column = typeof named === "number" ? "id" : "public_id";
  const found = await db
    .selectFrom("dashboards")
    .selectAll()
    .where(column, "=", named)
    .where("deployment_id", "=", deploymentId)
    .where("status", "=", "published")
    .$narrowType<PublishedDashboard>()
    .executeTakeFirst();
  if (found) return found;
  throw new Failure(
    "not_found",
    `the deployment has no published dashboard ${JSON.stringify(named)}`,
  );
}

/** Returns a dashboard by id. Throws `not_found` if it was deleted. */
export async function readDashboard(db: Db, id: number): Promise<Row<"dashboards">> {
  const row = await db.selectFrom("dashboards").selectAll().where("id", "=", id).executeTakeFirst();
  if (row) return row;
  throw new Failure("not_found", "the dashboard was deleted");
}

/** Returns the published dashboard with a public id. Throws `not_found` if there is none. */
export async function readPublishedDashboard(db: Db, id: string): Promise<Row<"dashboards">> {
  const row = await db
    .selectFrom("dashboards")
    .selectAll()
    .where("public_id", "=", id)
    .executeTakeFirst();
  if (row) return row;
  throw new Failure("not_found", `there is no published dashboard ${JSON.stringify(id)}`);
}
