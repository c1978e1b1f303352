// Computes a fingerprint of a mail's content, so that a recipient does not get the same mail twice.
import { createHash } from "node:crypto";
import { canonical } from "../../../core/json.ts";
import { readAppConfig } from "../app/app-config.ts";
import type { Db, Row } from "../../store/schema.ts";
import { readDashboard } from "../workbooks/dashboards.ts";
import { widgetsOf } from "../workbooks/report-writers.ts";
import { reportsOf } from "../workbooks/widget-reports.ts";

/** The context of a single recipient. */
type OwnContext = Pick<
  Row<"recipients">,
  "user_groups" | "security_context" | "user_attributes" | "names_of_tenant"
>;

/**
 * Returns a function for the fingerprint of the mail to a recipient. It changes with the version of the dashboard, the
 * reports and the data model behind it, the notification, and the recipient's permissions, but not with the data.
 */
export async function mailFingerprints(
  db: Db,
  notification: Row<"notifications">,
): Promise<(recipient: OwnContext) => string> {
  const dashboard = await readDashboard(db, notification.dashboard_id);
  const model = await db
    .selectFrom("branches")
    .innerJoin("deployments", (join) =>
      join
        .onRef("deployments.id", "=", "branches.deployment_id")
        .onRef("deployments.deploy_branch_name", "=", "branches.name"),
    )
    .select("branches.tree_id")
    .where("branches.deployment_id", "=", notification.deployment_id)
    .where("branches.dev_user_id", "is", null)
    .executeTakeFirst();
  const { notification_format, notification_ai_summary, timezone } = notification;
  const { filters, time_grains, member_switchers } = notification;
  const { appTheme = null, creatorMode = null } = await readAppConfig(db);
  const reports = await reportsOf(db, dashboard, widgetsOf(dashboard));
  const common = canonical([
    [dashboard.id, dashboard.version_number, model?.tree_id ?? null],
    [...reports].map(([name, report]) => [name, { ...report }]),
    [notification_format, notification_ai_summary, timezone],
    [filters, time_grains, member_switchers],
    [appTheme, creatorMode],
  ]);
  return ({ user_groups, security_context, user_attributes, names_of_tenant }) => {
    const own = [user_groups, security_context, user_attributes, names_of_tenant];
    return createHash("sha256")
      .update(canonical([common, ...own]))
      .digest("base64url");
  };
}
