// Spec and status schemas of Report.
import { Type, type Static } from "typebox";
import { ReportPublicId, ReportSource } from "../api/reports.ts";
import { Id, Name } from "../api/schemas.ts";
import { WorkbookSlug } from "../api/workbooks.ts";
import { limits } from "../core/limits.ts";
import { field } from "../core/traits.ts";
import { deploymentField } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

const Values = Type.Record(Type.String(), Type.Unknown());
const Query = Type.String({ minLength: 1, maxLength: limits.reportQueryCharacters });
const inDeployment = { within: { deployment: "deployment" } } as const;

/** An optional text of at most 255 characters, which an update can clear. */
function text(doc: string) {
  return Type.Optional(field(Type.String({ minLength: 1, maxLength: 255 }), { doc }));
}

/** The spec schema. */
export const spec = Type.Object({
  deployment: deploymentField,
  publicId: field(ReportPublicId, {
    doc: "Public ID: 12 letters and digits of your choice, unique in the account.",
    onChange: "replace",
  }),
  name: Type.Optional(field(Name, { doc: "Name.", neverCleared: true })),
  title: text("Title."),
  folder: Type.Optional(
    field(Name, {
      doc: "Folder that contains it. A change moves it; `null` moves it to the root.",
      refersTo: "Folder",
      ...inDeployment,
    }),
  ),
  workbook: Type.Optional(
    field(WorkbookSlug, {
      doc: "Workbook that it is connected to.",
      refersTo: "Workbook",
      ...inDeployment,
    }),
  ),
  jsonQuery: Type.Optional(field(Query, { doc: "Query of the data API, as JSON text." })),
  sqlQuery: Type.Optional(field(Query, { doc: "Query in SQL." })),
  meta: Type.Optional(
    field(Values, { doc: "Custom values, by name. `{}` removes all of them.", neverCleared: true }),
  ),
  pivotItems: Type.Optional(
    field(Type.Record(Type.String(), Type.Unknown(), { minProperties: 1 }), {
      doc: "Rows and columns of the pivot table, in the product's export format.",
    }),
  ),
  source: Type.Optional(
    field(ReportSource, {
      doc: "Where the report was created.",
      onChange: "replace",
      neverCleared: true,
    }),
  ),
  host: text("Host of the spreadsheet."),
  externalWorkbookId: text("ID of the spreadsheet that shows the results."),
  resultLocation: text("First cell of the results."),
  endResultCell: text("Last cell of the results."),
  sheetId: text("ID of the sheet that shows the results."),
  workbookName: text("Name of the spreadsheet that shows the results."),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** The status schema. */
export const status = statusSchema({ id: Id, deploymentId: Id });
