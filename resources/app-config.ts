// AppConfig: the theme of the application, and the defaults of pages.
import { type Static, Type } from "typebox";
import {
  AppTheme,
  applyThemeGlobally,
  CreatorModeConfig,
  EmbeddingConfig,
  getAppConfig,
  restrictDataDownload,
  sheetsAgentChatEnabled,
  updateAppConfig,
} from "../api/app.ts";
import { defineKind, defineObserve, type ObjectWrite } from "../core/kind/kind.ts";
import { mergePatch } from "../core/spec/patch.ts";
import { field, traitsOf } from "../core/schema/traits.ts";
import { changedFields, definedMembers } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

/** Manifests have the time zone in the spelling of the IANA database; the service looks up any. */
const DeclaredEmbeddingConfig = Type.Object(
  {
    ...EmbeddingConfig.properties,
    timezone: Type.Optional({ ...EmbeddingConfig.properties.timezone, format: "time-zone" }),
  },
  { additionalProperties: false },
);

const spec = Type.Object({
  applyThemeGlobally: Type.Optional(
    field(applyThemeGlobally, { doc: traitsOf(applyThemeGlobally).doc, neverCleared: true }),
  ),
  restrictDataDownload: Type.Optional(
    field(restrictDataDownload, { doc: traitsOf(restrictDataDownload).doc, neverCleared: true }),
  ),
  sheetsAgentChatEnabled: Type.Optional(
    field(sheetsAgentChatEnabled, {
      doc: traitsOf(sheetsAgentChatEnabled).doc,
      neverCleared: true,
    }),
  ),
  appTheme: Type.Optional(
    field(AppTheme, { doc: "Colors, logos and fonts.", typeName: "AppTheme" }),
  ),
  creatorMode: Type.Optional(
    field(CreatorModeConfig, { doc: "What creators see.", typeName: "CreatorModeConfig" }),
  ),
  embedding: Type.Optional(
    field(DeclaredEmbeddingConfig, {
      doc: "What embedded pages show unless their session says otherwise. It applies to sessions that are exchanged afterwards.",
      typeName: "EmbeddingConfig",
    }),
  ),
});

type Spec = Static<typeof spec>;

/** The fields that a request contains unchanged. */
const plain = ["applyThemeGlobally", "restrictDataDownload", "sheetsAgentChatEnabled"] as const;

/** Returns the changed parts with their undeclared members unchanged: the API replaces each part as a whole. */
function changedParts({ spec: desired, live, changed }: ObjectWrite<Spec>) {
  const parts = ["appTheme", "creatorMode", "embedding"] as const;
  return Object.fromEntries(
    parts
      .filter((name) => changed.has(name))
      .map((name) => [name, mergePatch(live?.spec[name], desired[name] ?? null)]),
  );
}

/** The AppConfig resource type. Only declared members are managed, at any depth. */
export const appConfig = defineKind(
  {
    name: "AppConfig",
    plural: "app-configs",
    recordedAs: "app-config",
    doc: "The theme of the application, and what its pages show by default. Members that are not declared are not changed.",
    shape: "singleton",
    key: [],
    scope: [],
    spec,
    status: statusSchema({}),
    examples: [
      {
        title: "A theme, a title for creators, and defaults of embedded pages",
        name: "app",
        spec: {
          applyThemeGlobally: true,
          restrictDataDownload: true,
          sheetsAgentChatEnabled: true,
          appTheme: {
            light: { accentColor: "#1a6b4c", logoUrl: "https://cdn.example.com/logo.svg" },
            dark: { accentColor: "#7fd1ae", contrast: 60 },
            typography: { body: "Inter", heading: "Inter Display" },
          },
          creatorMode: {
            workspaceTitle: "Analytics",
            localizedTitles: [{ locale: "de", title: "Auswertungen" }],
            showGeneratedSql: false,
          },
          embedding: {
            locale: "en-GB",
            enableDashboardComments: true,
            queryScope: "model",
          },
        },
        variations: {
          applyThemeGlobally: false,
          restrictDataDownload: false,
          sheetsAgentChatEnabled: false,
          appTheme: {
            light: { accentColor: "#aa3311", logoUrl: "https://cdn.example.com/new-logo.svg" },
            dark: { accentColor: "#ffbb99", contrast: 80 },
            typography: { body: "Lato", heading: "Lato" },
          },
          creatorMode: {
            workspaceTitle: "Reports",
            localizedTitles: [{ locale: "fr", title: "Rapports" }],
            showGeneratedSql: true,
          },
          embedding: {
            locale: "de-DE",
            enableDashboardComments: false,
            queryScope: "dashboards",
          },
        },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Spec>({
      cost: "list",
      needs: [getAppConfig],
      read: async (reader) => {
        const config = await reader.one(getAppConfig, {});
        return config === undefined
          ? []
          : [{ id: undefined, spec: definedMembers(config), status: {} }];
      },
    }),
    create: [],
    update: [
      bind.perObject(updateAppConfig, (subject) => ({
        body: {
          ...changedParts(subject),
          ...definedMembers(changedFields(subject, plain)),
        },
      })),
    ],
    delete: [],
  }),
);
