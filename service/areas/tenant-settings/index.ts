// Area tenant-settings: features of the account that its administrators switch on or off.
import { getTenantSettings, updateTenantSettings } from "../../../api/tenant-settings.ts";
import { readAccount } from "../../accounts/account.ts";
import { toFlag, toTimestamp } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { handle, type OperationHandler } from "../shared/operation-handler.ts";

/** The handlers of this area. */
export const tenantSettings: readonly OperationHandler[] = [
  handle(getTenantSettings, async ({ db }) => showTenantSettings(db)),
  handle(updateTenantSettings, async ({ db, body, now }) => {
    const { useCreatorMode, embeddingEnabled, personalKeysEnabled } = body;
    const { auditLogEnabled, oidcEnabled, scimEnabled } = body;
    const { auditLogEnabled: wasEnabled } = await readAccount(db);
    const isSwitched = auditLogEnabled != null && auditLogEnabled !== wasEnabled;
    const columns = {
      ...(useCreatorMode == null ? {} : { use_creator_mode: toFlag(useCreatorMode) }),
      ...(embeddingEnabled == null ? {} : { embedding_enabled: toFlag(embeddingEnabled) }),
      ...(personalKeysEnabled == null ? {} : { personal_keys: toFlag(personalKeysEnabled) }),
      ...(oidcEnabled == null ? {} : { oidc_enabled: toFlag(oidcEnabled) }),
      ...(isSwitched && {
        audit_log_enabled: toFlag(auditLogEnabled),
        audit_log_changed_at: toTimestamp(now()),
      }),
      ...(scimEnabled == null ? {} : { scim_enabled: toFlag(scimEnabled) }),
    };
    if (Object.keys(columns).length > 0) await db.updateTable("account").set(columns).execute();
    return showTenantSettings(db);
  }),
];

async function showTenantSettings(db: Db) {
  const { useCreatorMode, embeddingEnabled, personalKeys, ...account } = await readAccount(db);
  const { auditLogEnabled, auditLogChangedAt, oidcEnabled, scimEnabled } = account;
  return {
    auditLogEnabled,
    auditLogEnabledCurrent: auditLogEnabled,
    ...(auditLogChangedAt && { auditLogEnabledTimestamp: auditLogChangedAt.getTime() }),
    oidcEnabled,
    scimEnabled,
    useCreatorMode,
    embeddingEnabled,
    personalKeysEnabled: personalKeys,
  };
}
