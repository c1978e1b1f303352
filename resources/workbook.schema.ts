// Spec and status schemas of Workbook.
import { Type, type Static } from "typebox";
import { Id, Name } from "../api/schemas.ts";
import { DashboardConfig, dashboardRules, Widget, WorkbookSlug } from "../api/workbooks.ts";
import { limits } from "../core/limits/limits.ts";
import { memberRulesKeyword } from "../core/schema/member-rules.ts";
import { field } from "../core/schema/traits.ts";
import { deploymentField } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

const Values = Type.Record(Type.String(), Type.Unknown());
const { kind, layout, settings, theme } = DashboardConfig.properties;

const dashboard = Type.Object(
  {
    title: Type.Optional(
      field(Type.String({ minLength: 1, maxLength: 255 }), { doc: "Title of the dashboard." }),
    ),
    description: Type.Optional(
      field(Type.String({ minLength: 1, maxLength: 10_000 }), {
        doc: "Description of the dashboard.",
      }),
    ),
    kind: Type.Optional(field(kind, { doc: "Type of dashboard: classic, or app." })),
    layout: Type.Optional(field(layout, { doc: "Layout, in the product's export format." })),
    theme,
    settings: Type.Optional(field(settings, { doc: "Settings, in the product's export format." })),
    widgets: Type.Optional(
      field(
        Type.Array(field(Widget, { doc: "A dashboard widget." }), {
          maxItems: limits.widgets,
        }),
        {
          doc: "Widgets of the dashboard, from top to bottom.",
        },
      ),
    ),
    allowEmbed: Type.Optional(
      field(Type.Boolean(), {
        doc: "Whether signed embedding can show the dashboard.",
        neverCleared: true,
        whenRemoved: { becomes: false },
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1, [memberRulesKeyword]: dashboardRules },
);

/** The spec schema. */
export const spec = Type.Object({
  deployment: deploymentField,
  slug: field(WorkbookSlug, {
    doc: "Name in URLs and references: lowercase, unique in the deployment.",
  }),
  name: Type.Optional(
    field(Name, {
      doc: "Display name.",
      neverCleared: true,
    }),
  ),
  folder: Type.Optional(
    field(Name, {
      doc: "Folder that contains it. A change moves it; `null` moves it to the root.",
      refersTo: "Folder",
      within: { deployment: "deployment" },
    }),
  ),
  meta: Type.Optional(
    field(Values, { doc: "Custom values, by name. `{}` removes all of them.", neverCleared: true }),
  ),
  dashboard: Type.Optional(
    field(dashboard, {
      doc: "Published dashboard. Members that are not declared keep their published values. The API cannot unpublish a dashboard.",
      neverCleared: true,
    }),
  ),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** The status schema. */
export const status = statusSchema({
  id: Id,
  deploymentId: Id,
  dashboardId: Type.Optional(Id),
  publicId: Type.Optional(
    field(Type.String(), {
      doc: "Public ID of the published dashboard, with which pages embed it.",
      publicAddress: true,
    }),
  ),
});
