// What can be wished of a Workbook, and what the service reports of it.
import { Type, type Static } from "typebox";
import { Id, Name } from "../api/schemas.ts";
import { DashboardConfig, Widget, WorkbookSlug } from "../api/workbooks.ts";
import { limits } from "../core/limits.ts";
import { field } from "../core/traits.ts";
import { deploymentField } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

const Values = Type.Record(Type.String(), Type.Unknown());
const { kind } = DashboardConfig.properties;

const dashboard = Type.Object(
  {
    title: Type.Optional(
      field(Type.String({ minLength: 1, maxLength: 255 }), { doc: "Title above the dashboard." }),
    ),
    description: Type.Optional(
      field(Type.String({ minLength: 1, maxLength: 10_000 }), { doc: "What it shows." }),
    ),
    kind: Type.Optional(field(kind, { doc: "A classic dashboard, or an app." })),
    layout: Type.Optional(field(Values, { doc: "Layout, as the product exports it." })),
    theme: Type.Optional(field(Values, { doc: "Theme, as the product exports it." })),
    settings: Type.Optional(field(Values, { doc: "Settings, as the product exports them." })),
    widgets: Type.Optional(
      field(
        Type.Array(field(Widget, { doc: "A widget of a dashboard." }), {
          maxItems: limits.widgets,
        }),
        {
          doc: "What is on it, from top to bottom.",
        },
      ),
    ),
    allowEmbed: Type.Optional(
      field(Type.Boolean(), {
        doc: "Signed embedding may show it.",
        neverCleared: true,
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);

/** The wish. */
export const spec = Type.Object({
  deployment: deploymentField,
  slug: field(WorkbookSlug, {
    doc: "What it is called in addresses and by what refers to it: lowercase, unique in the deployment.",
  }),
  name: Type.Optional(
    field(Name, {
      doc: "Name that people see.",
      neverCleared: true,
    }),
  ),
  meta: Type.Optional(
    field(Values, { doc: "Values of your own, by name; `{}` empties them.", neverCleared: true }),
  ),
  dashboard: Type.Optional(
    field(dashboard, {
      doc: "Its dashboard, published with what is said here over what is published already. The API cannot take a published dashboard back.",
      neverCleared: true,
    }),
  ),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** What the service reports. */
export const status = statusSchema({
  id: Id,
  deploymentId: Id,
  dashboardId: Type.Optional(Id),
  publicId: Type.Optional(Type.String()),
});
