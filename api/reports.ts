// Operations on the reports of a deployment: saved queries with how their results are shown.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { publicIdPattern } from "../core/text/text-patterns.ts";
import { field, oneOf, optionalForClient, recordedOnly } from "../core/schema/traits.ts";
import { Folder, FolderPath, TargetFolder } from "./folders.ts";
import { recordedBecause } from "./recorded-because.ts";
import {
  ContentUser,
  deploymentScope,
  Id,
  Name,
  nullish,
  strictObject,
  Timestamp,
} from "./schemas.ts";

const area = "reports";
const base = "/api/v1/deployments/{deploymentId}/reports";
const one = `${base}/{reportId}` as const;
const reportScope = { ...deploymentScope, report: "params.reportId" } as const;
const byDeployment = strictObject({ deploymentId: Id });
const byId = strictObject({ deploymentId: Id, reportId: Id });

const FreeForm = Type.Record(Type.String(), Type.Unknown());
const Text = Type.String({ minLength: 1, maxLength: 255 });
/** A text of a report. An empty text clears it. */
const Clearable = Type.String({ maxLength: 255 });
const OfSpreadsheet = recordedOnly(Clearable, recordedBecause.spreadsheets);
const Query = Type.String({ maxLength: limits.reportQueryCharacters });

/** A report's public ID: 12 letters and digits. */
export const ReportPublicId = Type.String({
  pattern: publicIdPattern,
  description: "Public ID: 12 letters and digits, unique in the account. It cannot be changed.",
});

/** Where a report was created. */
export const ReportSource = oneOf(["GOOGLE_SHEETS", "EXCEL", "PLAYGROUND", "D3"]);

/** The fields of a report that can be changed. */
const definition = {
  name: nullish(Name),
  title: nullish(Clearable),
  folderId: TargetFolder,
  workbookId: nullish(Id),
  jsonQuery: nullish(Query),
  sqlQuery: nullish(Query),
  meta: nullish(FreeForm),
  pivotItems: nullish(FreeForm),
  host: nullish(OfSpreadsheet),
  externalWorkbookId: nullish(Clearable),
  resultLocation: nullish(OfSpreadsheet),
  endResultCell: nullish(OfSpreadsheet),
  sheetId: nullish(OfSpreadsheet),
  workbookName: nullish(OfSpreadsheet),
  resultChecksum: nullish(OfSpreadsheet),
};

const expectedVersion = nullish(
  Type.Integer({
    minimum: 1,
    description: "Version that the caller read. The call returns 409 if the report has another.",
  }),
);

/** A report in responses. */
export const Report = strictObject({
  id: Id,
  publicId: Type.String(),
  name: Type.String(),
  title: Type.Optional(Type.String()),
  deploymentId: Id,
  type: optionalForClient(Type.Literal("REPORT")),
  folderId: Type.Optional(Id),
  folderPath: Type.Optional(FolderPath),
  workbookId: Type.Optional(Id),
  jsonQuery: Type.Optional(Type.String()),
  sqlQuery: Type.Optional(Type.String()),
  meta: optionalForClient(FreeForm),
  pivotItems: Type.Optional(FreeForm),
  source: Type.Optional(ReportSource),
  host: Type.Optional(Type.String()),
  externalWorkbookId: Type.Optional(Type.String()),
  resultLocation: Type.Optional(Type.String()),
  endResultCell: Type.Optional(Type.String()),
  sheetId: Type.Optional(Type.String()),
  workbookName: Type.Optional(Type.String()),
  resultChecksum: Type.Optional(Type.String()),
  version: optionalForClient(
    Type.Integer({ minimum: 1, description: "Number of changes, the creation included." }),
  ),
  userId: Type.Optional(Id),
  user: Type.Optional(ContentUser),
  refreshedByUser: Type.Optional(ContentUser),
  refreshedAt: Type.Optional(Timestamp),
  lastViewedAt: Type.Optional(Timestamp),
  createdAt: optionalForClient(Timestamp),
  updatedAt: optionalForClient(Timestamp),
});

/** List reports. */
export const listReports = defineOperation({
  id: "listReports",
  area,
  method: "GET",
  path: base,
  summary: "List reports",
  description:
    "Returns the reports of the deployment that match every filter, newest first unless `sortBy` is given. `sortDirection` defaults to `ASC`. The order by `lastViewedAt` changes while it is read: it has pages by `offset` and `limit`, and `after` returns 400.",
  source: "public",
  effect: "read",
  permission: { action: "ReportRead", scope: { ...deploymentScope, report: "any" } },
  params: byDeployment,
  query: strictObject({
    workbookId: Type.Optional(Id),
    folderId: Type.Optional(Id),
    externalWorkbookId: Type.Optional(Text),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "Case-insensitive substring of the name, or the whole public ID.",
      }),
    ),
    sortBy: Type.Optional(oneOf(["name", "createdAt", "updatedAt", "lastViewedAt"])),
    sortDirection: Type.Optional(oneOf(["ASC", "DESC"])),
  }),
  answer: Report,
  list: "transitional",
  selectable: true,
  errorCodes: ["not_found"],
});

/** Create a report. */
export const createReport = defineOperation({
  id: "createReport",
  area,
  method: "POST",
  path: base,
  summary: "Create a report",
  description:
    "Creates a report. The name defaults to `Untitled`, and the public ID is generated unless it is given. Returns 409 if another report has it.",
  source: "public",
  effect: "write",
  permission: { action: "ReportEdit", scope: { ...deploymentScope, folder: "any" } },
  params: byDeployment,
  body: strictObject({
    ...definition,
    publicId: nullish(ReportPublicId),
    source: nullish(ReportSource),
  }),
  answer: Report,
  errorCodes: ["not_found", "conflict"],
});

const MemberError = strictObject({
  path: field(Type.String(), { doc: "JSON Pointer into the query: `/measures/0`." }),
  message: field(Type.String(), { doc: "What is wrong with the member." }),
});

/** Check the query of a report. */
export const checkReportQuery = defineOperation({
  id: "checkReportQuery",
  area,
  method: "POST",
  path: `${base}/check-query`,
  summary: "Check the query of a report",
  description:
    "Checks a query against the data model that production serves, without storing or running it. Returns 200 with the error of a query that it cannot answer, or with why it is not known yet, as before the first build. Members that the caller may not see are no error.",
  source: "proposed",
  effect: "read",
  permission: { action: "ReportRead", scope: { ...deploymentScope, report: "any" } },
  params: byDeployment,
  body: strictObject({ jsonQuery: Type.Optional(Query), sqlQuery: Type.Optional(Query) }),
  answer: strictObject({
    error: Type.Optional(field(Type.String(), { doc: "Why production cannot answer the query." })),
    unknown: Type.Optional(field(Type.String(), { doc: "Why the query cannot be checked yet." })),
    members: Type.Optional(
      field(Type.Array(MemberError, { maxItems: limits.diagnosticsShown }), {
        doc: "Members of the query that the data model does not have, or that are of another kind.",
      }),
    ),
  }),
  errorCodes: ["not_found"],
});

/** Get a report. */
export const getReport = defineOperation({
  id: "getReport",
  area,
  method: "GET",
  path: one,
  summary: "Get a report",
  description: "Returns one report.",
  source: "public",
  effect: "read",
  permission: { action: "ReportRead", scope: reportScope },
  params: byId,
  answer: Report,
  errorCodes: ["not_found"],
});

/** Get the definition of a report. */
export const getReportDefinition = defineOperation({
  id: "getReportDefinition",
  area,
  method: "GET",
  path: `${one}/definition`,
  summary: "Get the definition of a report",
  description:
    "Returns what the report shows as canonical JSON, and its SHA-256: two reports with the same hash show the same. The definition has no IDs, times or results, so that reports of two deployments can be compared.",
  source: "proposed",
  effect: "read",
  permission: { action: "ReportRead", scope: reportScope },
  params: byId,
  answer: strictObject({
    definition: field(Type.String(), {
      doc: "JSON without spaces and with sorted members: `name`, `title`, `jsonQuery`, `sqlQuery`, `meta`, `pivotItems`, `source`. Absent values are left out.",
    }),
    sha256: field(Type.String(), { doc: "SHA-256 of `definition` in UTF-8, hexadecimal." }),
    version: field(Type.Integer({ minimum: 1 }), {
      doc: "Version of the report, for `expectedVersion`.",
    }),
  }),
  errorCodes: ["not_found"],
});

/** Update a report. */
export const updateReport = defineOperation({
  id: "updateReport",
  area,
  method: "PUT",
  path: one,
  summary: "Update a report",
  description:
    "Omitted members are kept; an empty text, and an empty object, remove the value. `moveWorkspaceItem` moves a report to the root.",
  source: "public",
  effect: "write",
  // With `expectedVersion`, the second of two equal requests is a conflict.
  repeatable: false,
  permission: { action: "ReportEdit", scope: reportScope },
  params: byId,
  body: strictObject({ ...definition, expectedVersion }),
  answer: Report,
  errorCodes: ["not_found", "conflict"],
});

/** Create or update a report by its public ID. */
export const upsertReport = defineOperation({
  id: "upsertReport",
  area,
  method: "PUT",
  path: `${base}/by-public-id/{publicId}`,
  summary: "Create or update a report by its public ID",
  description:
    "Returns 409 if a report of another deployment has the public ID, and 400 for another `source` than that of the report.",
  source: "public",
  effect: "write",
  // With `expectedVersion`, the second of two equal requests is a conflict.
  repeatable: false,
  permission: { action: "ReportEdit", scope: { ...deploymentScope, report: "any" } },
  params: strictObject({ deploymentId: Id, publicId: ReportPublicId }),
  body: strictObject({ ...definition, source: nullish(ReportSource), expectedVersion }),
  answer: Report,
  errorCodes: ["not_found", "conflict", "upsert_branch_changed"],
});

/** Delete a report. */
export const deleteReport = defineOperation({
  id: "deleteReport",
  area,
  method: "DELETE",
  path: one,
  summary: "Delete a report",
  description: "Deletes the report.",
  source: "public",
  effect: "write",
  permission: { action: "ReportManage", scope: reportScope },
  params: byId,
  errorCodes: ["not_found"],
});

/** Record that a report was refreshed. */
export const refreshReport = defineOperation({
  id: "refreshReport",
  area,
  method: "PUT",
  path: `${one}/refresh`,
  summary: "Record that a report was refreshed",
  description:
    "Records that the caller refreshed the results now, and their checksum. The version of the report does not change.",
  source: "public",
  effect: "write",
  permission: { action: "ReportEdit", scope: reportScope },
  params: byId,
  body: strictObject({
    resultChecksum: nullish(recordedOnly(Text, recordedBecause.spreadsheets)),
  }),
  bodyOptional: true,
  answer: Report,
  errorCodes: ["not_found"],
});

/** Connect a report to a workbook. */
export const connectReportWorkbook = defineOperation({
  id: "connectReportWorkbook",
  area,
  method: "PUT",
  path: `${one}/connect-workbook`,
  summary: "Connect a report to a workbook",
  description: "Connects the report to a workbook of its deployment, in place of another one.",
  source: "public",
  effect: "write",
  permission: { action: "ReportEdit", scope: reportScope },
  params: byId,
  body: strictObject({ workbookId: Id }),
  answer: Report,
  errorCodes: ["not_found"],
});

/** Disconnect a report from its workbook. */
export const disconnectReportWorkbook = defineOperation({
  id: "disconnectReportWorkbook",
  area,
  method: "DELETE",
  path: `${one}/connect-workbook`,
  summary: "Disconnect a report from its workbook",
  description: "Disconnects the report. Succeeds if it is not connected.",
  source: "public",
  effect: "write",
  permission: { action: "ReportEdit", scope: reportScope },
  params: byId,
  errorCodes: ["not_found"],
});

/** List the folders with reports. */
export const listReportFolders = defineOperation({
  id: "listReportFolders",
  area,
  method: "GET",
  path: "/api/v1/deployments/{deploymentId}/report-folders",
  summary: "List the folders with reports",
  description:
    "Returns the folders that directly contain a report which the caller can read, newest first.",
  source: "public",
  unlisted: true,
  effect: "read",
  permission: { action: "ReportRead", scope: { ...deploymentScope, report: "any" } },
  params: byDeployment,
  answer: Folder,
  list: "cursor",
  errorCodes: ["not_found"],
});
