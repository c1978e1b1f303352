// Spec and status schemas of Report.
import { Type, type Static } from "typebox";
import { recordedBecause } from "../api/recorded-because.ts";
import { ReportPublicId, ReportSource } from "../api/reports.ts";
import { Id, Name } from "../api/schemas.ts";
import { WorkbookSlug } from "../api/workbooks.ts";
import { limits } from "../core/limits/limits.ts";
import { field, recordedOnly } from "../core/schema/traits.ts";
import { deploymentField } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

const Values = Type.Record(Type.String(), Type.Unknown());
const PivotItems = Type.Record(Type.String(), Type.Unknown(), { minProperties: 1 });
const Query = Type.String({ minLength: 1, maxLength: limits.reportQueryCharacters });
const inDeployment = { within: { deployment: "deployment" } } as const;

/** An optional text of at most 255 characters, which an update can clear. */
function text(doc: string) {
  return Type.Optional(field(Type.String({ minLength: 1, maxLength: 255 }), { doc }));
}

/** A {@link text} that add-ons for spreadsheets read. */
function sheetText(doc: string) {
  const value = Type.String({ minLength: 1, maxLength: 255 });
  return Type.Optional(field(recordedOnly(value, recordedBecause.spreadsheets), { doc }));
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
  sqlQuery: Type.Optional(
    field(Query, {
      doc: "Query in SQL, as the data API takes it, for a report without `jsonQuery`.",
    }),
  ),
  meta: Type.Optional(
    field(Values, { doc: "Custom values, by name. `{}` removes all of them.", neverCleared: true }),
  ),
  pivotItems: Type.Optional(
    field(PivotItems, {
      doc: "Dimensions of the rows, `x`, and of the columns, `y`, where a chart shows the report as a pivot table.",
    }),
  ),
  source: Type.Optional(
    field(ReportSource, {
      doc: "Where the report was created.",
      onChange: "replace",
      neverCleared: true,
    }),
  ),
  host: sheetText("Host of the spreadsheet."),
  externalWorkbookId: text("ID of the spreadsheet that shows the results."),
  resultLocation: sheetText("First cell of the results."),
  endResultCell: sheetText("Last cell of the results."),
  sheetId: sheetText("ID of the sheet that shows the results."),
  workbookName: sheetText("Name of the spreadsheet that shows the results."),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** The status schema. */
export const status = statusSchema({ id: Id, deploymentId: Id });
