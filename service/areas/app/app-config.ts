// The configuration of the application, which the account's row holds as JSON.
import type { AnswerOf } from "../../../core/operation.ts";
import type { getAppConfig } from "../../../api/app.ts";
import { fromJson } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";

/** The configuration in responses. */
export type AppConfig = AnswerOf<typeof getAppConfig>;

/** Reads the configuration of the account. */
export async function readAppConfig(db: Db): Promise<AppConfig> {
  const { app_config } = await db
    .selectFrom("account")
    .select("app_config")
    .executeTakeFirstOrThrow();
  const stored = app_config === null ? {} : (fromJson(app_config) as Partial<AppConfig>);
  return { applyThemeGlobally: false, ...stored };
}
