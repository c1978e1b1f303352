// Stores counted views: one row for each object, user and day, and the time of the last view of each object.
import { mayView } from "../../security/embed-access.ts";
import { toTimestamp } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";

/** The views of one object by one user. */
export interface CountedView {
  readonly deploymentId: number;
  readonly type: "DASHBOARD" | "REPORT";
  readonly publicId: string;
  readonly userId: number;
  /** The embed tenant of an external user. */
  readonly external?: { readonly tenantId: number | undefined };
  readonly views: number;
  readonly queries: number;
  /** Time of the last view. */
  readonly at: Date;
}

interface ViewedObject {
  readonly id: number;
  readonly workbook_id: number | null;
  readonly deployment_id: number;
  readonly allow_embed?: number;
}

/**
 * Adds views to those of their day. Leaves out views of objects that the deployment does not have, of deleted users,
 * and of content that an external user may not view.
 */
export async function recordViews(tx: Db, views: readonly CountedView[]): Promise<void> {
  const objects = await objectsOf(tx, views);
  const users = await tx
    .selectFrom("users")
    .select("id")
    .where("id", "in", [...new Set(views.map(({ userId }) => userId))])
    .execute();
  const known = new Set(users.map(({ id }) => id));
  // Writes in a fixed order, so that two servers do not wait for each other's rows.
  const ordered = views.toSorted((one, other) =>
    keyOf(one) < keyOf(other) ? -1 : Number(keyOf(one) !== keyOf(other)),
  );
  for (const view of ordered) {
    const object = objects.get(`${view.type} ${view.publicId}`);
    if (object?.deployment_id !== view.deploymentId || !known.has(view.userId)) continue;
    if (await isVisible(tx, view, object)) await addView(tx, view, object);
  }
}

function keyOf({ type, publicId, userId }: CountedView): string {
  return `${type} ${publicId} ${userId}`;
}

async function objectsOf(
  tx: Db,
  views: readonly CountedView[],
): Promise<ReadonlyMap<string, ViewedObject>> {
  const named = (type: CountedView["type"]) => [
    ...new Set(views.filter((view) => view.type === type).map(({ publicId }) => publicId)),
  ];
  const objects = new Map<string, ViewedObject>();
  const [dashboardIds, reportIds] = [named("DASHBOARD"), named("REPORT")];
  const dashboards =
    dashboardIds.length === 0
      ? []
      : await tx
          .selectFrom("dashboards")
          .select(["id", "public_id", "workbook_id", "deployment_id", "allow_embed"])
          .where("public_id", "in", dashboardIds)
          .execute();
  for (const row of dashboards) objects.set(`DASHBOARD ${row.public_id}`, row);
  const reports =
    reportIds.length === 0
      ? []
      : await tx
          .selectFrom("reports")
          .select(["id", "public_id", "workbook_id", "deployment_id"])
          .where("public_id", "in", reportIds)
          .execute();
  for (const row of reports) objects.set(`REPORT ${row.public_id}`, row);
  return objects;
}

/** External users view the dashboards that their embed tenant may view, and no reports. */
async function isVisible(
  tx: Db,
  { external }: CountedView,
  { allow_embed: allowEmbed, workbook_id: workbookId }: ViewedObject,
): Promise<boolean> {
  if (external === undefined) return true;
  if (allowEmbed !== 1 || workbookId === null) return false;
  return mayView(tx, { ...external, isExternal: true }, { workbook_id: workbookId });
}

async function addView(tx: Db, view: CountedView, object: ViewedObject): Promise<void> {
  const at = toTimestamp(view.at);
  const isDashboard = view.type === "DASHBOARD";
  await tx
    .insertInto("content_views")
    .values({
      object_key: `${view.type} ${object.id}`,
      day: at.slice(0, dayLength),
      user_id: view.userId,
      deployment_id: view.deploymentId,
      dashboard_id: isDashboard ? object.id : null,
      report_id: isDashboard ? null : object.id,
      workbook_id: object.workbook_id,
      views: view.views,
      queries: view.queries,
      last_viewed_at: at,
    })
    .onConflict((on) =>
      on.columns(["object_key", "user_id", "day"]).doUpdateSet((eb) => ({
        views: eb("content_views.views", "+", view.views),
        queries: eb("content_views.queries", "+", view.queries),
        workbook_id: object.workbook_id,
        last_viewed_at: at,
      })),
    )
    .execute();
  const viewed = [
    [isDashboard ? "dashboards" : "reports", object.id],
    ["workbooks", object.workbook_id],
  ] as const;
  for (const [table, id] of viewed) {
    if (id === null) continue;
    await tx
      .updateTable(table)
      .set({ last_viewed_at: at })
      .where("id", "=", id)
      .where("last_viewed_at", "<", at)
      .execute();
  }
}

/** Characters of the day in a time: `2026-01-31`. */
const dayLength = 10;

/** Returns the day of a time. */
export function dayOf(time: number): string {
  return toTimestamp(time).slice(0, dayLength);
}
