// Area tenant-settings: features of the account that its administrators switch on or off.
import { getTenantSettings, updateTenantSettings } from "../../../api/tenant-settings.ts";
import { readAccount } from "../../accounts/account.ts";
import { toFlag } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { handle, type OperationHandler } from "../operation-handler.ts";

/** The handlers of this area. */
export const tenantSettings: readonly OperationHandler[] = [
  handle(getTenantSettings, async ({ db }) => showTenantSettings(db)),
  handle(updateTenantSettings, async ({ db, body }) => {
    const { useCreatorMode, embeddingEnabled, personalKeysEnabled } = body;
    const columns = {
      ...(useCreatorMode == null ? {} : { use_creator_mode: toFlag(useCreatorMode) }),
      ...(embeddingEnabled == null ? {} : { embedding_enabled: toFlag(embeddingEnabled) }),
      ...(personalKeysEnabled == null ? {} : { personal_keys: toFlag(personalKeysEnabled) }),
    };
    if (Object.keys(columns).length > 0) await db.updateTable("account").set(columns).execute();
    return showTenantSettings(db);
  }),
];

async function showTenantSettings(db: Db) {
  const { useCreatorMode, embeddingEnabled, personalKeys } = await readAccount(db);
  return { useCreatorMode, embeddingEnabled, personalKeysEnabled: personalKeys };
}
