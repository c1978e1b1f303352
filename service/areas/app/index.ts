// Area app: the configuration of the application and its theme.
import { getAppConfig, getAppTheme, getEmbedTheme, updateAppConfig } from "../../../api/app.ts";
import type { JsonObject } from "../../../core/json.ts";
import { toJson } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { handle, omitNullish, type OperationHandler } from "../shared/operation-handler.ts";
import { checkTimezone } from "../shared/time-zone.ts";
import { readAppConfig } from "./app-config.ts";

/** The handlers of this area. */
export const app: readonly OperationHandler[] = [
  handle(getAppConfig, async ({ db }) => readAppConfig(db)),
  handle(updateAppConfig, async ({ db, body }) => {
    const { timezone } = body.embedding ?? {};
    if (timezone !== undefined) checkTimezone(timezone, "embedding.timezone");
    const config = omitNullish({ ...(await readAppConfig(db)), ...body });
    await db
      .updateTable("account")
      .set({ app_config: toJson(config as JsonObject) })
      .execute();
    return readAppConfig(db);
  }),
  handle(getAppTheme, async ({ db }) => {
    const { applyThemeGlobally, appTheme = {} } = await readAppConfig(db);
    return { applyThemeGlobally, light: {}, dark: {}, ...appTheme };
  }),
  handle(getEmbedTheme, async ({ db, principal }) => {
    const { appTheme = {} } = await readAppConfig(db);
    const theme = principal.session?.theme ?? (await themeOfUser(db, principal.userId));
    const mode = theme === "dark" ? appTheme.dark : appTheme.light;
    return omitNullish({ primaryColor: mode?.accentColor, font: appTheme.typography?.body });
  }),
];

async function themeOfUser(db: Db, id: number): Promise<string | null | undefined> {
  const user = await db
    .selectFrom("users")
    .select("embed_theme")
    .where("id", "=", id)
    .executeTakeFirst();
  return user?.embed_theme;
}
