// Migrates the tables when a store is opened.
import { type Migration, Migrator } from "kysely/migration";
import { Failure, isFailure } from "../../core/errors.ts";
import { accounts } from "./migrations/0001-accounts.ts";
import { deployments } from "./migrations/0002-deployments.ts";
import { notifications } from "./migrations/0003-notifications.ts";
import { listOrders } from "./migrations/0004-list-orders.ts";
import { access } from "./migrations/0005-access.ts";
import { idempotency } from "./migrations/0006-idempotency.ts";
import { servers } from "./migrations/0007-servers.ts";
import { sealPrefix } from "./migrations/0008-seal-prefix.ts";
import { states } from "./migrations/0010-states.ts";
import { deploymentUrls } from "./migrations/0011-deployment-urls.ts";
import { sessionOptions } from "./migrations/0012-session-options.ts";
import { permissions } from "./migrations/0013-permissions.ts";
import { dataModels } from "./migrations/0014-data-models.ts";
import { environments } from "./migrations/0015-environments.ts";
import { gitConnections } from "./migrations/0016-git-connections.ts";
import { environmentTokens } from "./migrations/0017-environment-tokens.ts";
import { folders } from "./migrations/0018-folders.ts";
import { auditLogs } from "./migrations/0019-audit-logs.ts";
import { roles } from "./migrations/0020-roles.ts";
import { accountSettings } from "./migrations/0021-account-settings.ts";
import { reports } from "./migrations/0022-reports.ts";
import { logLines } from "./migrations/0023-log-lines.ts";
import { transformSync } from "./migrations/0024-transform-sync.ts";
import { branchTimes } from "./migrations/0025-branch-times.ts";
import { oauthIntegrations } from "./migrations/0026-oauth-integrations.ts";
import { scim } from "./migrations/0027-scim.ts";
import { signIn } from "./migrations/0028-sign-in.ts";
import { embedAccess } from "./migrations/0029-embed-access.ts";
import { workloadTrusts } from "./migrations/0030-workload-trusts.ts";
import { dashboardComments } from "./migrations/0031-dashboard-comments.ts";
import { identityProviders } from "./migrations/0032-identity-providers.ts";
import { grantProviders } from "./migrations/0034-grant-providers.ts";
import { lastUploads } from "./migrations/0035-last-uploads.ts";
import { oauthClients } from "./migrations/0033-oauth-clients.ts";
import { contentViews } from "./migrations/0040-content-views.ts";
import { userSettings } from "./migrations/0041-user-settings.ts";
import { dashboardExports } from "./migrations/0060-dashboard-exports.ts";
import { notificationRuns } from "./migrations/0061-notification-runs.ts";
import { uploadSizes } from "./migrations/0063-upload-sizes.ts";
import { unsubscribedRecipients } from "./migrations/0064-unsubscribed-recipients.ts";
import { scimIntegrations } from "./migrations/0065-scim-integrations.ts";
import { unreadColumns } from "./migrations/0066-unread-columns.ts";
import { nameKeys } from "./migrations/0067-name-keys.ts";
import { shownReports } from "./migrations/0068-shown-reports.ts";
import { reportWriters } from "./migrations/0069-report-writers.ts";
import { mailFingerprints } from "./migrations/0070-mail-fingerprints.ts";
import { recipientCatalogues } from "./migrations/0071-recipient-catalogues.ts";
import { disabledCredentials } from "./migrations/0072-disabled-credentials.ts";
import { sharedEmails } from "./migrations/0073-shared-emails.ts";
import { leaseHolders } from "./migrations/0074-lease-holders.ts";
import { pageSessions } from "./migrations/0075-page-sessions.ts";
import type { DialectName } from "./migrations/tables.ts";
import type { Db } from "./schema.ts";

/** All migrations by number and name. A published migration never changes. */
function migrations(dialect: DialectName): Record<string, Migration> {
  return {
    "0001-accounts": accounts(dialect),
    "0002-deployments": deployments(dialect),
    "0003-notifications": notifications(dialect),
    "0004-list-orders": listOrders(),
    "0005-access": access(),
    "0006-idempotency": idempotency(),
    "0007-servers": servers(dialect),
    "0008-seal-prefix": sealPrefix(),
    "0010-states": states(dialect),
    "0011-deployment-urls": deploymentUrls(),
    "0012-session-options": sessionOptions(),
    "0013-permissions": permissions(),
    "0014-data-models": dataModels(dialect),
    "0015-environments": environments(),
    "0016-git-connections": gitConnections(dialect),
    "0017-environment-tokens": environmentTokens(dialect),
    "0018-folders": folders(dialect),
    "0019-audit-logs": auditLogs(dialect),
    "0020-roles": roles(dialect),
    "0021-account-settings": accountSettings(dialect),
    "0022-reports": reports(dialect),
    "0023-log-lines": logLines(dialect),
    "0024-transform-sync": transformSync(dialect),
    "0025-branch-times": branchTimes(),
    "0026-oauth-integrations": oauthIntegrations(dialect),
    "0027-scim": scim(),
    "0028-sign-in": signIn(dialect),
    "0029-embed-access": embedAccess(dialect),
    "0030-workload-trusts": workloadTrusts(dialect),
    "0031-dashboard-comments": dashboardComments(dialect),
    "0032-identity-providers": identityProviders(dialect),
    "0033-oauth-clients": oauthClients(dialect),
    "0034-grant-providers": grantProviders(),
    "0035-last-uploads": lastUploads(),
    "0040-content-views": contentViews(dialect),
    "0041-user-settings": userSettings(),
    "0060-dashboard-exports": dashboardExports(dialect),
    "0061-notification-runs": notificationRuns(dialect),
    "0063-upload-sizes": uploadSizes(),
    "0064-unsubscribed-recipients": unsubscribedRecipients(),
    "0065-scim-integrations": scimIntegrations(dialect),
    "0066-unread-columns": unreadColumns(),
    "0067-name-keys": nameKeys(),
    "0068-shown-reports": shownReports(),
    "0069-report-writers": reportWriters(),
    "0070-mail-fingerprints": mailFingerprints(),
    "0071-recipient-catalogues": recipientCatalogues(),
    "0072-disabled-credentials": disabledCredentials(),
    "0073-shared-emails": sharedEmails(),
    "0074-lease-holders": leaseHolders(),
    "0075-page-sessions": pageSessions(),
  };
}

/** Returns the names of all migrations. */
export function knownMigrations(): readonly string[] {
  return Object.keys(migrations("sqlite"));
}

/**
 * Runs pending migrations under the database's lock. `schema` selects one of several schemas. Throws `corrupt` if a
 * newer version created the store, or if its migrations ran in another order.
 */
export async function migrate(db: Db, dialect: DialectName, schema?: string): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations(dialect) },
    migrationTableName: "migrations",
    migrationLockTableName: "migrations_lock",
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (isFailure(error)) throw error;
  if (error instanceof Error && error.message.startsWith("corrupted migrations")) {
    throw unknownMigrationsError(error);
  }
  throw error instanceof Error ? error : new Error("a migration failed", { cause: error });
}

/**
 * Returns true if the record of migrations could not come from this version: it contains unknown names, or lacks one
 * in between.
 */
function unknownMigrationsError(cause: Error): Failure {
  const isNewer = cause.message.endsWith("is missing");
  const summary = isNewer
    ? "a newer version of svc created the store"
    : "an unreleased build of svc created the store, with migrations in another order";
  const remedy = isNewer
    ? "Use that version, or restore a backup from before it."
    : "Restore a backup of a released version, or use that build. Nothing was changed.";
  return new Failure("corrupt", summary, { cause, remedy });
}
