// The configuration of the application, stored as JSON in the account's row.
import type { AnswerOf } from "../../../core/operation/operation.ts";
import type { getAppConfig } from "../../../api/app.ts";
import { Failure } from "../../../core/errors.ts";
import type { Principal } from "../../security/principal.ts";
import { fromJson } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";

/** The configuration in responses. */
export type AppConfig = AnswerOf<typeof getAppConfig>;

/**
 * Throws `forbidden` for a caller who is not an administrator, if the account restricts downloads to administrators.
 */
export async function requireDownloads(db: Db, { isAdmin }: Pick<Principal, "isAdmin">) {
  if (isAdmin) return;
  const { restrictDataDownload } = await readAppConfig(db);
  if (!restrictDataDownload) return;
  throw new Failure("forbidden", "only administrators may download data from this account", {
    remedy: "Ask an administrator for the file, or to set restrictDataDownload to false.",
  });
}

/** Reads the configuration of the account. */
export async function readAppConfig(db: Db): Promise<AppConfig> {
  const { app_config } = await db
    .selectFrom("account")
    .select("app_config")
    .executeTakeFirstOrThrow();
  const stored = app_config === null ? {} : (fromJson(app_config) as Partial<AppConfig>);
  const defaults = { restrictDataDownload: false, sheetsAgentChatEnabled: false };
  return { applyThemeGlobally: false, ...defaults, ...stored };
}
