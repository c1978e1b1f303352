// Operations on the workbooks of a deployment and their dashboards.
import { Type } from "typebox";
import { widgetConfigDoc } from "../core/spec/chart-config.ts";
import { limits } from "../core/limits/limits.ts";
import type { MemberRule } from "../core/schema/member-rules.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { FolderPath, TargetFolder } from "./folders.ts";
import { field, oneOf, optionalForClient, recordedOnly } from "../core/schema/traits.ts";
import {
  ContentUser,
  strictObject,
  Id,
  nullish,
  Timestamp,
  Name,
  anyDeployment,
  deploymentScope,
} from "./schemas.ts";
import { recordedBecause } from "./recorded-because.ts";
import { looseSlugPattern, slugPattern } from "../core/text/text-patterns.ts";

const area = "workbooks";
const base = "/api/v1/deployments/{deploymentId}/workbooks";
const one = `${base}/{workbookId}` as const;
const workbookScope = { ...deploymentScope, workbook: "params.workbookId" } as const;
const byDeployment = strictObject({ deploymentId: Id });
const byId = strictObject({ deploymentId: Id, workbookId: Id });

const FreeForm = Type.Record(Type.String(), Type.Unknown());

/** A workbook's slug: lowercase letters and digits, separated by hyphens, dots or underscores. */
export const WorkbookSlug = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: slugPattern,
});

/** A slug in a request, which the service trims and converts to lowercase. */
const SlugInput = Type.String({ minLength: 1, maxLength: 255, pattern: looseSlugPattern });

/** A widget on a dashboard. */
export const Widget = strictObject({
  id: field(Type.String({ minLength: 1, maxLength: 128 }), {
    doc: "ID of the widget, unique on the dashboard.",
  }),
  type: field(
    oneOf([
      "CHART",
      "TEXT",
      "FILTER",
      "AI",
      "TIME_GRAIN",
      "FIELD",
      "PARENT",
      "SPACER",
      "DIVIDER",
      "CONTAINER",
    ]),
    { doc: "Type of the widget." },
  ),
  position: strictObject({
    x: Type.Integer({ minimum: 0, maximum: 10_000 }),
    y: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    w: Type.Integer({ minimum: 0, maximum: 10_000 }),
    h: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  }),
  responsiveLayouts: Type.Optional(
    field(FreeForm, {
      doc: "Other positions of the widget by the width of the page: `sm` for less than 720 pixels, `lg` for more. Each has `x`, `y`, `w` and `h`.",
    }),
  ),
  config: Type.Optional(field(FreeForm, { doc: widgetConfigDoc })),
  style: Type.Optional(
    field(FreeForm, {
      doc: "Style on the page and in files: `backgroundColor`, `padding`, `borderColor`, `borderRadius`, `borderStyle`, `borderWidth`, and `title` with `color`, `size`, `weight` and `family`.",
    }),
  ),
});

/** Content and layout of a dashboard. */
export const DashboardConfig = strictObject({
  title: Type.Optional(Type.String({ maxLength: 255 })),
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  kind: Type.Optional(recordedOnly(oneOf(["CLASSIC", "APP"]), recordedBecause.creatorMode)),
  layout: Type.Optional(recordedOnly(FreeForm, recordedBecause.grid)),
  theme: Type.Optional(
    field(FreeForm, {
      doc: "Theme of the page: `mode` (`light`, `dark` or `auto`), `primaryColor`, `backgroundColor`, `foregroundColor`, `cardColor`, `borderColor`, `borderRadius`, `font`.",
    }),
  ),
  settings: Type.Optional(recordedOnly(FreeForm, recordedBecause.notPublic)),
  widgets: Type.Optional(Type.Array(Widget, { maxItems: limits.widgets })),
});

/** The rules of a dashboard that a request sends. */
export const dashboardRules: readonly MemberRule<"widgets">[] = [
  { distinct: ["widgets", "id"], message: "must have widgets with different IDs" },
];

const DashboardInput = strictObject(DashboardConfig.properties, { rules: dashboardRules });

/** The draft or published dashboard of a workbook. Only a published dashboard has a `publicId`. */
export const Dashboard = strictObject({
  id: Id,
  publicId: Type.Optional(Type.String()),
  deploymentId: Id,
  workbookId: Id,
  status: optionalForClient(oneOf(["draft", "published"])),
  allowEmbed: optionalForClient(Type.Boolean()),
  config: optionalForClient(DashboardConfig),
  versionNumber: optionalForClient(Type.Integer({ minimum: 1 })),
  lastViewedAt: Type.Optional(Timestamp),
});

/** A workbook in responses. */
export const Workbook = strictObject({
  id: Id,
  name: Type.String(),
  slug: Type.Optional(Type.String()),
  meta: optionalForClient(FreeForm),
  deploymentId: Id,
  type: optionalForClient(Type.Literal("WORKBOOK")),
  folderId: Type.Optional(Id),
  folderPath: Type.Optional(FolderPath),
  createdBy: Type.Optional(Id),
  userId: Type.Optional(Id),
  user: Type.Optional(ContentUser),
  lastViewedAt: Type.Optional(Timestamp),
  createdAt: optionalForClient(Timestamp),
  updatedAt: optionalForClient(Timestamp),
  dashboardDraft: Type.Optional(Dashboard),
  publishedDashboard: Type.Optional(Dashboard),
});

/** List workbooks. */
export const listWorkbooks = defineOperation({
  id: "listWorkbooks",
  area,
  method: "GET",
  path: base,
  summary: "List workbooks",
  description: "Returns workbooks, newest first.",
  source: "public",
  effect: "read",
  permission: { action: "WorkbookRead", scope: { ...deploymentScope, workbook: "any" } },
  params: byDeployment,
  answer: Workbook,
  list: "transitional",
  selectable: true,
  errorCodes: ["not_found"],
});

/** Create a workbook. */
export const createWorkbook = defineOperation({
  id: "createWorkbook",
  area,
  method: "POST",
  path: base,
  summary: "Create a workbook",
  description: "Creates a workbook. The name defaults to `Untitled`.",
  source: "public",
  effect: "write",
  permission: { action: "WorkbookEdit", scope: { ...deploymentScope, folder: "any" } },
  params: byDeployment,
  body: strictObject({ name: nullish(Name), folderId: TargetFolder, meta: nullish(FreeForm) }),
  answer: Workbook,
  errorCodes: ["not_found"],
});

/** Get a workbook. */
export const getWorkbook = defineOperation({
  id: "getWorkbook",
  area,
  method: "GET",
  path: one,
  summary: "Get a workbook",
  description: "Returns one workbook with its dashboards.",
  source: "public",
  effect: "read",
  permission: { action: "WorkbookRead", scope: workbookScope },
  params: byId,
  answer: Workbook,
  errorCodes: ["not_found"],
});

/** Update a workbook. */
export const updateWorkbook = defineOperation({
  id: "updateWorkbook",
  area,
  method: "PUT",
  path: one,
  summary: "Update a workbook",
  description:
    "Omitted members are kept; `meta` is replaced. `moveWorkspaceItem` moves a workbook to the root. Returns 409 when another workbook has the slug, unless `slugTakeover` is `true`, which removes the slug from that workbook.",
  source: "public",
  effect: "write",
  permission: { action: "WorkbookEdit", scope: workbookScope },
  params: byId,
  body: strictObject({
    name: nullish(Name),
    folderId: TargetFolder,
    meta: nullish(FreeForm),
    slug: nullish(SlugInput),
    slugTakeover: nullish(Type.Boolean()),
  }),
  answer: Workbook,
  errorCodes: ["not_found", "conflict"],
});

/** Create or update a workbook by its slug. */
export const upsertWorkbook = defineOperation({
  id: "upsertWorkbook",
  area,
  method: "PUT",
  path: `${base}/by-slug/{slug}`,
  summary: "Create or update a workbook by its slug",
  description: "An update merges `meta` by key. The slug is trimmed and converted to lowercase.",
  source: "public",
  effect: "write",
  permission: { action: "WorkbookEdit", scope: { ...deploymentScope, workbook: "any" } },
  params: strictObject({ deploymentId: Id, slug: SlugInput }),
  body: strictObject({ name: nullish(Name), folderId: TargetFolder, meta: nullish(FreeForm) }),
  answer: Workbook,
  errorCodes: ["not_found", "conflict", "upsert_branch_changed"],
});

/** Duplicate a workbook. */
export const duplicateWorkbook = defineOperation({
  id: "duplicateWorkbook",
  area,
  method: "POST",
  path: `${one}/duplicate`,
  summary: "Duplicate a workbook",
  description:
    "Creates a copy with copies of its dashboards and reports, in the same folder. The caller must be able to create workbooks there, and to read the reports, and those of other workbooks that its charts name. The copy of a report is in the folder of the original if the caller may create reports there, otherwise in that of the workbook. The copy has no slug, and signed embedding of its dashboard is disabled.",
  source: "public",
  effect: "write",
  permission: { action: "WorkbookEdit", scope: workbookScope },
  params: byId,
  answer: Workbook,
  errorCodes: ["not_found"],
});

/** Delete a workbook. */
export const deleteWorkbook = defineOperation({
  id: "deleteWorkbook",
  area,
  method: "DELETE",
  path: one,
  summary: "Delete a workbook",
  description:
    "Deletes the workbook with its dashboards and their notifications. Its reports stay, without a workbook.",
  source: "public",
  effect: "write",
  permission: { action: "WorkbookManage", scope: workbookScope },
  params: byId,
  errorCodes: ["not_found"],
});

/** Save a workbook's dashboard draft. */
export const saveDashboardDraft = defineOperation({
  id: "saveDashboardDraft",
  area,
  method: "PUT",
  path: `${one}/dashboard`,
  summary: "Save a workbook's dashboard draft",
  description:
    "Saves the draft. The published dashboard does not change. The caller must be able to read each report that a chart names, unless the draft or the published dashboard shows it already.",
  source: "public",
  effect: "write",
  permission: { action: "WorkbookEdit", scope: workbookScope },
  params: byId,
  body: strictObject({ config: DashboardInput }),
  answer: Dashboard,
  errorCodes: ["not_found"],
});

/** Publish a workbook's dashboard. */
export const publishDashboard = defineOperation({
  id: "publishDashboard",
  area,
  method: "POST",
  path: `${one}/publish`,
  summary: "Publish a workbook's dashboard",
  description:
    "Publishes `config` as the workbook's dashboard, or the saved draft when `config` is omitted. `title` and `description` override those in `config`. Publishing again keeps the dashboard's IDs, and `allowEmbed` when it is omitted. `allowEmbed` defaults to `false`. The caller must be able to read each report that a chart names, unless the draft or the published dashboard shows it already: whoever views the dashboard gets its query. A chart shows a report that is created later if the user who published the dashboard can read it.",
  source: "public",
  effect: "write",
  permission: { action: "WorkbookManage", scope: workbookScope },
  repeatable: true,
  params: byId,
  body: strictObject({
    workbookId: Id,
    config: nullish(DashboardInput),
    dashboardId: nullish(Id),
    title: nullish(Type.String({ maxLength: 255 })),
    description: nullish(Type.String({ maxLength: 10_000 })),
    allowEmbed: nullish(Type.Boolean()),
  }),
  answer: Dashboard,
  errorCodes: ["not_found"],
});

/** Enable or disable signed embedding of a dashboard. */
export const setDashboardEmbedding = defineOperation({
  id: "setDashboardEmbedding",
  area,
  method: "PATCH",
  path: "/api/v1/embed/dashboard/{publicId}",
  summary: "Enable or disable signed embedding of a dashboard",
  description:
    "Enables or disables signed embedding of a published dashboard. A scoped key can access the dashboards of its deployments.",
  source: "public",
  effect: "write",
  permission: { action: "EmbedDashboardManage", scope: anyDeployment },
  params: strictObject({ publicId: Type.String({ minLength: 1, maxLength: 255 }) }),
  body: strictObject({ allowEmbed: Type.Boolean() }),
  answer: strictObject({ publicId: Type.String(), allowEmbed: Type.Boolean() }),
  errorCodes: ["not_found"],
});
