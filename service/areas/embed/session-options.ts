// The options of a session: the content of its page, and its roles. Validates them, and stores them with the session.
import { Failure } from "../../../core/errors.ts";
import { externalUserRole, userRoles } from "../../../core/operation/permission-actions.ts";
import { toJson } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { mayView } from "../../security/embed-access.ts";
import { findBranch } from "../data-model/branches.ts";
import { isServed } from "../data-model/serving.ts";
import { readDeployment } from "../../store/deployments.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { checkTimezone } from "../shared/time-zone.ts";
import { embeddingDisabled } from "./access.ts";
import type { SessionContext } from "./session-context.ts";
import type { SessionRequest } from "./session-request.ts";

const sessionRoles: readonly string[] = [...userRoles, externalUserRole];

/**
 * Checks the options of a request. Throws `not_found` for a branch or a dashboard that the deployment does not have.
 * Throws `forbidden` for a dashboard that may not be embedded, or that the embed tenant has no access to. Throws
 * `invalid` for a branch that no environment serves, and for unknown roles or time zones.
 */
export async function checkOptions(
  db: Db,
  context: Pick<SessionContext, "deployBranch" | "tenantId" | "tenantName">,
  request: SessionRequest,
): Promise<void> {
  const { branchName, roles, settings, deploymentId, externalId, publicDashboardId } = request;
  if (branchName != null && branchName !== context.deployBranch) {
    await requireServed(db, deploymentId, branchName);
  }
  const unknown = (roles ?? []).filter((role) => !sessionRoles.includes(role));
  if (unknown.length > 0) {
    const all = sessionRoles.join(", ");
    throw new Failure("invalid", `Roles with names ${unknown.join(", ")} not found; use ${all}`);
  }
  if (settings?.timezone != null) checkTimezone(settings.timezone, "settings.timezone");
  if (publicDashboardId != null) {
    const isExternal = externalId != null;
    await requireEmbedded(db, context, { deploymentId, publicId: publicDashboardId, isExternal });
  }
}

async function requireServed(db: Db, deploymentId: number, name: string): Promise<void> {
  const on = { db, deployment: await readDeployment(db, deploymentId) };
  const branch = await findBranch(on, name);
  const shown = JSON.stringify(name);
  if (branch === undefined) throw new Failure("not_found", `the deployment has no branch ${shown}`);
  if (await isServed(on, branch)) return;
  throw new Failure(
    "invalid",
    `no environment serves the branch ${shown}; enable its staging environment first`,
  );
}

async function requireEmbedded(
  db: Db,
  { tenantId, tenantName }: Pick<SessionContext, "tenantId" | "tenantName">,
  {
    deploymentId,
    publicId,
    isExternal,
  }: { deploymentId: number; publicId: string; isExternal: boolean },
): Promise<void> {
  const dashboard = await db
    .selectFrom("dashboards")
    .select(["allow_embed", "workbook_id"])
    .where("public_id", "=", publicId)
    .where("deployment_id", "=", deploymentId)
    .executeTakeFirst();
  if (dashboard === undefined) {
    const shown = JSON.stringify(publicId);
    throw new Failure("not_found", `the deployment has no published dashboard ${shown}`);
  }
  if (dashboard.allow_embed !== 1) throw embeddingDisabled(publicId);
  if (await mayView(db, { tenantId, isExternal }, dashboard)) return;
  throw new Failure(
    "forbidden",
    `the embed tenant ${JSON.stringify(tenantName)} has no access to workbook ${dashboard.workbook_id} of the dashboard; set its embed access first`,
  );
}

/** Returns the options as the session stores them; null if there are none. */
export function optionsColumn(request: SessionRequest): string | null {
  const { isEphemeral, branchName, roles, publicDashboardId, embedTheme } = request;
  const given = omitNullish({ isEphemeral, branchName, roles, publicDashboardId, embedTheme });
  return Object.keys(given).length === 0 ? null : toJson(given);
}
