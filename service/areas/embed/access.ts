// The embed access of workbooks: decides who may view their published dashboards, and reads one in a session.
import { setTimeout as pause } from "node:timers/promises";
import { withAttributeValue } from "../../../charts/config/control-values.ts";
import type { setEmbedAccess } from "../../../api/embed-dashboards.ts";
import { Failure, invariant, isFailure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { mayView } from "../../security/embed-access.ts";
import { requireResourcePermission } from "../../security/authorize-call.ts";
import { countRows } from "../../store/keyset.ts";
import { toFlag } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { tenantId } from "../embed-tenants/tenants.ts";
import { accountScope } from "../user-groups/groups.ts";
import { catalogueOf } from "../user-groups/membership.ts";
import { readAttributeValues } from "../user-attributes/read-values.ts";
import type { Call } from "../shared/operation-handler.ts";
import type { DashboardWidget } from "../workbooks/chart-widgets.ts";
import {
  publishedDashboardOf,
  readPublishedDashboard,
  showDashboard,
} from "../workbooks/dashboards.ts";
import { withReports } from "../workbooks/widget-reports.ts";
import {
  findBySlug,
  readWorkbook,
  selectWorkbooks,
  type WorkbookKey,
} from "../workbooks/workbooks.ts";

/**
 * Returns the dashboard with a public ID. Throws `not_found` if the session of the caller may not view it, and `forbidden` if
 * embedding is disabled for it, or if the caller lacks the permission to read it.
 */
export async function readVisibleDashboard(
  { db, principal }: Pick<Call, "db" | "principal">,
  publicId: string,
): Promise<Row<"dashboards">> {
  const dashboard = await readPublishedDashboard(db, publicId);
  const { session, limits: own } = principal;
  if (session) {
    const isOther =
      own.deployments?.includes(dashboard.deployment_id) !== true ||
      (session.dashboardPublicId ?? publicId) !== publicId;
    if (isOther || !(await mayView(db, session, dashboard))) throw dashboardNotFound(publicId);
    if (dashboard.allow_embed !== 1 && !session.isPrivate) throw embeddingDisabled(publicId);
  }
  const target = { type: "dashboard", id: dashboard.id } as const;
  await requireResourcePermission({ db, principal }, "EmbedDashboardRead", target);
  return dashboard;
}

/**
 * Returns the public ID of a dashboard that a link of another one names, by slug or public ID. Throws `not_found` if there is
 * none that the caller may view, also because embedding is disabled for it.
 */
export async function readLinkedDashboard(
  call: Pick<Call, "db" | "principal">,
  { publicId: from, dashboard: name }: { readonly publicId: string; readonly dashboard: string },
): Promise<string> {
  const { db } = call;
  const { deployment_id: deploymentId } = await readVisibleDashboard(call, from);
  const workbook = await findBySlug(db, deploymentId, name);
  const bySlug = workbook && (await publishedDashboardOf(db, workbook.id));
  const publicId = bySlug?.public_id ?? name;
  try {
    const found = await readVisibleDashboard(call, publicId);
    if (found.deployment_id === deploymentId) return publicId;
  } catch (error) {
    if (!isFailure(error, "not_found") && !isFailure(error, "forbidden")) throw error;
  }
  // The public ID of a hidden dashboard stays hidden.
  throw dashboardNotFound(name);
}

/**
 * Returns a dashboard in the API form, with everything that a page needs to draw its charts, and the viewer's values of
 * the attributes that its filters name.
 */
export async function showEmbeddedDashboard(
  call: Pick<Call, "db" | "principal" | "statementReader">,
  dashboard: Row<"dashboards">,
) {
  const shown = showDashboard(dashboard);
  const { widgets } = shown.config;
  if (widgets === undefined) return shown;
  const drawn = await withReports(call, dashboard, widgets as DashboardWidget[]);
  const valued = await withAttributes(call, drawn);
  return { ...shown, config: { ...shown.config, widgets: valued as typeof widgets } };
}

/** Returns a dashboard for its viewer, and counts the view. Throws as {@link readVisibleDashboard}. */
export async function viewDashboard(call: ViewingCall, publicId: string) {
  const dashboard = await readVisibleDashboard(call, publicId);
  const shown = await showEmbeddedDashboard(call, dashboard);
  countView(call, dashboard);
  return shown;
}

/** Longest time that a new session waits for its dashboard, in milliseconds. A data model may take longer to load. */
const openMs = 500;

/**
 * Returns a dashboard for a new session, and counts the view; undefined if it takes longer than the session may wait, or if
 * `getEmbeddedDashboard` would fail, which says why.
 */
export async function openDashboard(call: ViewingCall, publicId: string) {
  if (call.principal.blockedReason !== undefined) return undefined;
  try {
    const dashboard = await readVisibleDashboard(call, publicId);
    const shown = await Promise.race([
      showEmbeddedDashboard(call, dashboard),
      pause(openMs, undefined, { ref: false }),
    ]);
    if (shown !== undefined) countView(call, dashboard);
    return shown;
  } catch {
    return undefined;
  }
}

type ViewingCall = Pick<Call, "db" | "views" | "principal" | "now" | "statementReader">;

/** Counts a read of a dashboard in a session. Other callers manage dashboards, they do not view them. */
function countView(
  { db, views, principal, now }: ViewingCall,
  { deployment_id: deploymentId, public_id: publicId }: Row<"dashboards">,
): void {
  const { session, userId } = principal;
  if (session === undefined || publicId === null) return;
  const view = { deploymentId, type: "DASHBOARD", publicId, userId } as const;
  const external = session.isExternal ? { external: { tenantId: session.tenantId } } : {};
  views.add(db, { ...view, ...external, counts: "view", at: now() });
}

/** Adds `attributeValue` to the filters that name an attribute of the viewer. */
async function withAttributes(
  { db, principal: { userId, session } }: Pick<Call, "db" | "principal">,
  widgets: readonly DashboardWidget[],
): Promise<readonly DashboardWidget[]> {
  const nameOf = ({ type, config = {} }: DashboardWidget) =>
    type === "FILTER" && typeof config["attribute"] === "string" ? config["attribute"] : undefined;
  if (!widgets.some((widget) => nameOf(widget) !== undefined)) return widgets;
  const isOfTenant = catalogueOf(session) === "tenant";
  const scope = isOfTenant ? (session?.tenantId ?? null) : accountScope;
  const values = await readAttributeValues(db, userId, scope);
  return widgets.map((widget) => withAttributeValue(widget, values));
}

/** Returns the embed access of a workbook in the API form. */
export async function showAccess(db: Db, key: WorkbookKey) {
  const { id } = await readWorkbook(db, key);
  const [found] = await accessOfEach(db, [id]);
  invariant(found, "the embed access of a workbook could not be read");
  const { workbookId: _, ...access } = found;
  return access;
}

/** Returns the embed access of workbooks in the API form, in the order of the IDs. */
export async function accessOfEach(db: Db, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("workbook_embed_access")
    .leftJoin("embed_tenants", "embed_tenants.id", "workbook_embed_access.embed_tenant_id")
    .select(["workbook_id", "workbook_embed_access.embed_tenant_id", "embed_tenants.name"])
    .where("workbook_id", "in", ids)
    .execute();
  const embedding = await db
    .selectFrom("dashboards")
    .select("workbook_id")
    .where("workbook_id", "in", ids)
    .where("status", "=", "published")
    .where("allow_embed", "=", 1)
    .execute();
  const rowsOf = Map.groupBy(rows, ({ workbook_id }) => workbook_id);
  const allowing = new Set(embedding.map(({ workbook_id }) => workbook_id));
  return ids.map((workbookId) => {
    const own = rowsOf.get(workbookId) ?? [];
    const named = own.flatMap(({ name }) => name ?? []).toSorted();
    const isForAll = own.some(({ embed_tenant_id: tenant }) => tenant === null);
    return {
      workbookId,
      allowEmbed: allowing.has(workbookId),
      allEmbedUsers: {
        enabled: isForAll,
        action: isForAll ? ("read" as const) : ("none" as const),
      },
      tenants: named.map((embedTenantName) => ({ embedTenantName, action: "read" as const })),
    };
  });
}

/** Sets the access of one embed tenant or of all tenants, and whether the dashboard allows embedding. */
export async function setAccess(
  db: Db,
  key: WorkbookKey,
  { embedTenantName, action, allowEmbed }: RequestOf<typeof setEmbedAccess>["body"],
): Promise<void> {
  const { id } = await readWorkbook(db, key);
  const tenant = embedTenantName == null ? null : await tenantId(db, embedTenantName);
  if (action === "read") await grant(db, id, tenant);
  else {
    await db
      .deleteFrom("workbook_embed_access")
      .where("workbook_id", "=", id)
      .where("embed_tenant_id", tenant === null ? "is" : "=", tenant)
      .execute();
  }
  if (allowEmbed != null) await allowEmbedding(db, id, allowEmbed);
}

async function grant(db: Db, workbookId: number, tenant: number | null): Promise<void> {
  const created = await db
    .insertInto("workbook_embed_access")
    .values({ workbook_id: workbookId, embed_tenant_id: tenant })
    .onConflict((on) => on.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (created === undefined) return;
  const count = await countRows(
    db.selectFrom("workbook_embed_access").where("workbook_id", "=", workbookId),
  );
  if (count <= limits.embedAccess) return;
  throw new Failure(
    "limit_reached",
    `at most ${limits.embedAccess} embed tenants can have access to a workbook`,
    { remedy: "Give all embed users access, or take it from tenants that no longer need it." },
  );
}

async function allowEmbedding(db: Db, workbookId: number, allowEmbed: boolean): Promise<void> {
  const dashboard = await publishedDashboardOf(db, workbookId);
  if (dashboard === undefined) {
    throw new Failure("invalid", "allowEmbed: the workbook has no published dashboard", {
      remedy: "Publish its dashboard first, or omit allowEmbed.",
    });
  }
  await db
    .updateTable("dashboards")
    .set({ allow_embed: toFlag(allowEmbed) })
    .where("id", "=", dashboard.id)
    .execute();
}

/** Selects the workbooks of a deployment to which an embed tenant has access, from one source or from all. */
export function selectAccessible(
  db: Db,
  deploymentId: number,
  { tenant, source }: { tenant: number; source: "tenant" | "allEmbedUsers" | "folder" | undefined },
) {
  const granted = db
    .selectFrom("workbook_embed_access")
    .select("workbook_embed_access.workbook_id")
    .where((eb) => {
      const own = eb("embed_tenant_id", "=", tenant);
      const all = eb("embed_tenant_id", "is", null);
      if (source === "tenant") return own;
      if (source === "allEmbedUsers") return all;
      return source === "folder" ? eb.lit(false) : eb.or([own, all]);
    });
  return selectWorkbooks(db, deploymentId).where("workbooks.id", "in", granted);
}

function dashboardNotFound(publicId: string): Failure {
  return new Failure("not_found", `there is no published dashboard ${JSON.stringify(publicId)}`);
}

/** Returns the error for a dashboard that does not allow embedding. */
export function embeddingDisabled(publicId: string): Failure {
  return new Failure(
    "forbidden",
    `embedding is disabled for the dashboard ${JSON.stringify(publicId)}; enable it first`,
  );
}
