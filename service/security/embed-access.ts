// Decides which published dashboards embed sessions may show: dashboards that allow embedding, in workbooks to which
// the embed tenant or all embed tenants have access.
import type { PermissionAction } from "../../core/operation/permission-actions.ts";
import { keptQuery } from "../store/prepared-query.ts";
import type { Db, Row } from "../store/schema.ts";

/** The only actions of external users, whatever their roles grant, on what their embed tenant may view. */
export const externalUserActions = [
  "EmbedDeploymentRead",
  "EmbedDashboardRead",
  "EmbedExport",
] as const satisfies readonly PermissionAction[];

/** The reason for refusing sessions while embedding is disabled for the account. */
export const embeddingDisabledReason =
  "embedding is disabled for this account; an administrator can enable it in the tenant settings";

const accessOf = keptQuery((db: Db, value: { workbookId: number; tenantId: number }) =>
  db
    .selectFrom("workbook_embed_access")
    .select("id")
    .where("workbook_id", "=", value.workbookId)
    .where((eb) =>
      eb.or([eb("embed_tenant_id", "is", null), eb("embed_tenant_id", "=", value.tenantId)]),
    )
    .limit(1),
);

/** The viewer of a dashboard. */
export interface DashboardViewer {
  /** Undefined without an embed tenant, and for an embed tenant that does not exist yet. */
  readonly tenantId: number | undefined;
  /** Whether the viewer is an external user. Access does not apply to the account's own users. */
  readonly isExternal: boolean;
}

/** Returns whether the viewer has access to the dashboards of the workbook. */
export async function mayView(
  db: Db,
  { isExternal, tenantId }: DashboardViewer,
  { workbook_id: workbookId }: Pick<Row<"dashboards">, "workbook_id">,
): Promise<boolean> {
  // No embed tenant has the ID 0.
  return !isExternal || (await accessOf(db, { workbookId, tenantId: tenantId ?? 0 })).length > 0;
}

/** Returns the workbook of the dashboard with a public ID, if the dashboard allows embedding. */
export const embeddableDashboard = keptQuery((db: Db, value: { publicId: string }) =>
  db
    .selectFrom("dashboards")
    .select("workbook_id")
    .where("public_id", "=", value.publicId)
    .where("allow_embed", "=", 1),
);
