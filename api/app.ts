// Operations on the configuration of the application: its theme, and the defaults of embedded pages.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { colorPattern, pageOriginPattern, timeZonePattern } from "../core/text/text-patterns.ts";
import { field, oneOf, optionalForClient, recordedOnly } from "../core/schema/traits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { recordedBecause } from "./recorded-because.ts";
import { nullish, Picture, strictObject } from "./schemas.ts";

const common = { area: "app" } as const;

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const recordedFlag = (reason: string, doc: string) =>
  Type.Optional(field(recordedOnly(Type.Boolean(), reason), { doc }));
const text = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));
const color = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: colorPattern,
      description: `${description}, such as \`#1a2b3c\`.`,
    }),
  );

const scheme = strictObject({
  accentColor: color("Color of buttons and links"),
  backgroundColor: color("Color of the background"),
  foregroundColor: color("Color of text"),
  contrast: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: "Contrast of borders with the background, in percent.",
    }),
  ),
  logoUrl: Type.Optional({
    ...Picture,
    description: "URL of the logo. Sign-in pages show one that begins with `https:`.",
  }),
});

const typography = strictObject({
  body: text("Font of text."),
  heading: text("Font of headings."),
});

const themeMode = field(scheme, {
  doc: "Colors and logo of the light or the dark mode.",
  typeName: "AppThemeMode",
});

/** The theme of the application. */
export const AppTheme = strictObject(
  {
    light: Type.Optional(themeMode),
    dark: Type.Optional(themeMode),
    typography: Type.Optional({ ...typography, description: "Fonts." }),
  },
  { description: "Colors, logos and fonts." },
);

/** The interface of creators. */
export const CreatorModeConfig = strictObject(
  {
    workspaceTitle: text("Title of the workspace. The sign-in pages of this service show it too."),
    showWorkspaceTitle: flag("Whether the title is shown. Defaults to `true`."),
    localizedTitles: Type.Optional(
      Type.Array(
        strictObject(
          {
            locale: Type.String({ minLength: 2, maxLength: 35, description: "BCP 47 tag." }),
            title: Type.String({ maxLength: 255, description: "Title in this language." }),
          },
          { description: "The title in another language." },
        ),
        {
          maxItems: limits.localizedTitles,
          description:
            "Titles in other languages: pages have that of the browser's language, and sessions that of their `locale`.",
        },
      ),
    ),
    showGeneratedSql: flag(
      "Whether generated SQL is shown. If `false`, the data API refuses it to sessions of creator mode.",
    ),
    showSemanticSql: recordedFlag(
      recordedBecause.creatorMode,
      "Whether queries of the data model are shown as SQL.",
    ),
  },
  { description: "What creators see." },
);

/** The defaults of embedded pages, which a session can override. */
export const EmbeddingConfig = strictObject({
  locale: text("Language of embedded pages, as a BCP 47 tag such as `en-GB`."),
  timezone: Type.Optional(
    field(Type.String({ maxLength: 255, pattern: timeZonePattern }), {
      doc: "IANA time zone of embedded pages, and of exports that their sessions start.",
    }),
  ),
  allowAi: flag("Whether embedded pages offer AI features; `false` hides AI widgets."),
  showDashboardChat: recordedFlag(
    recordedBecause.chat,
    "Whether embedded dashboards show the chat, which is the default.",
  ),
  showWorkbookChat: recordedFlag(recordedBecause.chat, "Whether embedded workbooks show the chat."),
  showAiWidgets: flag("Whether embedded dashboards show AI widgets."),
  enableDashboardComments: flag("Whether viewers may comment on embedded dashboards."),
  allowedOrigins: Type.Optional(
    field(
      Type.Array(Type.String({ maxLength: 255, pattern: pageOriginPattern }), {
        maxItems: limits.allowedOrigins,
        uniqueItems: true,
      }),
      {
        doc: "Origins of the pages that may show dashboards in a frame and exchange messages with them, such as `https://app.example.com` or `https://*.example.com`. Without them, or with none in the list, any page may show a dashboard with a session, and none a dashboard that its viewer signs in to.",
      },
    ),
  ),
  queryScope: Type.Optional(
    field(oneOf(["dashboards", "model"]), {
      doc: "What sessions of external users may query, except in creator mode: members of the dashboards that they may view and drill members of their measures, which is the default, or all of the data model that access policies open.",
    }),
  ),
});

/** Whether the theme applies to all pages. */
export const applyThemeGlobally = Type.Boolean({
  description:
    "Whether the theme applies to all pages, not only to embedded ones. The sign-in pages of this service take its colors, fonts and logo.",
});

/** Whether only administrators may download data. */
export const restrictDataDownload = Type.Boolean({
  description:
    "Whether only administrators may export dashboards, whatever permissions others have. Queries of the data API, which dashboards need, are not limited.",
});

/** Whether an add-on for spreadsheets offers the chat with agents. */
export const sheetsAgentChatEnabled = field(recordedOnly(Type.Boolean(), recordedBecause.chat), {
  doc: "Whether an add-on for spreadsheets offers the chat with agents.",
});

const config = {
  applyThemeGlobally,
  restrictDataDownload: optionalForClient(restrictDataDownload),
  sheetsAgentChatEnabled: optionalForClient(sheetsAgentChatEnabled),
  appTheme: Type.Optional(AppTheme),
  creatorMode: Type.Optional(CreatorModeConfig),
  embedding: Type.Optional(EmbeddingConfig),
};

/** Get the configuration of the application. */
export const getAppConfig = defineOperation({
  ...common,
  id: "getAppConfig",
  method: "GET",
  path: "/api/v1/app-config",
  summary: "Get the configuration of the application",
  description: "Returns the theme, and what pages show by default.",
  source: "public",
  effect: "read",
  permission: "self",
  crossOrigin: true,
  answer: strictObject(config),
});

/** Update the configuration of the application. */
export const updateAppConfig = defineOperation({
  ...common,
  id: "updateAppConfig",
  method: "PUT",
  path: "/api/v1/app-config",
  summary: "Update the configuration of the application",
  description:
    "Omitted members keep their value; a given member is replaced as a whole, and `null` removes it; what it leaves out is cleared, and within it `null` is refused. What `embedding` sets is the default of each session that is exchanged afterwards, and the token of a session of creator mode has `creator` with the title in the language of the session and what `creatorMode` shows.",
  source: "proposed",
  effect: "write",
  permission: { action: "TenantSettingsManage", scope: "account" },
  body: strictObject({
    applyThemeGlobally: nullish(applyThemeGlobally),
    restrictDataDownload: nullish(restrictDataDownload),
    sheetsAgentChatEnabled: nullish(sheetsAgentChatEnabled),
    appTheme: nullish(AppTheme),
    creatorMode: nullish(CreatorModeConfig),
    embedding: nullish(EmbeddingConfig),
  }),
  answer: strictObject(config),
});

/** Get the theme of the application. */
export const getAppTheme = defineOperation({
  ...common,
  id: "getAppTheme",
  method: "GET",
  path: "/api/v1/app-theme",
  summary: "Get the theme of the application",
  description: "Returns the colors, fonts and logos of the pages.",
  source: "public",
  unlisted: true,
  effect: "read",
  permission: "self",
  crossOrigin: true,
  answer: strictObject({
    applyThemeGlobally,
    light: scheme,
    dark: scheme,
    typography: Type.Optional(typography),
  }),
});

/** Get the theme of an embedded page. */
export const getEmbedTheme = defineOperation({
  ...common,
  id: "getEmbedTheme",
  method: "GET",
  path: "/api/v1/users/embed-theme",
  summary: "Get the theme of an embedded page",
  description:
    "Returns color and font of the account's theme: of its dark mode for an embed session whose `embedTheme` is `dark`, otherwise of its light mode.",
  source: "public",
  unlisted: true,
  effect: "read",
  permission: "self",
  crossOrigin: true,
  answer: strictObject({
    primaryColor: color("Color of buttons and links"),
    font: text("Font of text."),
  }),
});
