// Report rows: find, create, update by id or public id, and convert to the API form.
import type { createReport, updateReport, upsertReport } from "../../../api/reports.ts";
import { Failure, invariant } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { jsonLossReason, lossText } from "../../../core/text/exact-numbers.ts";
import { jsonErrorPosition } from "../../../core/text/json-error.ts";
import { emptyToNull, fromJson, toShortJson } from "../../store/codec.ts";
import { upserting } from "../../store/transaction.ts";
import type { Db, Row } from "../../store/schema.ts";
import { requireDeployment } from "../../store/deployments.ts";
import { fieldError } from "../shared/field-error.ts";
import { type WriteStamp, requireFolder } from "../folders/folders.ts";
import { folderPaths } from "../folders/paths.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { generatePublicId } from "../shared/public-id.ts";
import { userSummaries } from "../users/users.ts";

/** A report as identified by a path. */
export interface ReportKey {
  readonly deploymentId: number;
  readonly reportId: number;
}

const defaultReportName = "Untitled";

/** Selects the reports of a deployment. */
export function selectReports(db: Db, deploymentId: number) {
  return db
    .selectFrom("reports")
    .selectAll("reports")
    .where("reports.deployment_id", "=", deploymentId);
}

/** Returns the row of a report. Throws `not_found` if the deployment does not have it. */
export async function readReport(
  db: Db,
  { deploymentId, reportId }: ReportKey,
): Promise<Row<"reports">> {
  const row = await selectReports(db, deploymentId)
    .where("reports.id", "=", reportId)
    .executeTakeFirst();
  if (row) return row;
  throw new Failure("not_found", `the deployment has no report ${reportId}`);
}

/** Converts reports to their API form, in row order. Reads the users and folders of all in one query each. */
export async function showReports(db: Db, rows: readonly Row<"reports">[]) {
  const users = await userSummaries(
    db,
    rows.flatMap((row) => [row.created_by, row.refreshed_by]),
  );
  const paths = await folderPaths(
    db,
    rows.map((row) => row.folder_id),
  );
  return rows.map((row) => {
    const path = row.folder_id === null ? undefined : paths.get(row.folder_id);
    return {
      id: row.id,
      publicId: row.public_id,
      name: row.name,
      deploymentId: row.deployment_id,
      type: "REPORT" as const,
      meta: fromJson(row.meta) as JsonObject,
      version: row.version,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      ...omitNullish({
        title: row.title,
        folderId: row.folder_id,
        folderPath: path && [...path],
        workbookId: row.workbook_id,
        jsonQuery: row.json_query,
        sqlQuery: row.sql_query,
        pivotItems: row.pivot_items === null ? null : (fromJson(row.pivot_items) as JsonObject),
        source: row.source,
        host: row.host,
        externalWorkbookId: row.external_workbook_id,
        resultLocation: row.result_location,
        endResultCell: row.end_result_cell,
        sheetId: row.sheet_id,
        workbookName: row.workbook_name,
        resultChecksum: row.result_checksum,
        userId: row.created_by,
        user: users.get(row.created_by ?? 0),
        refreshedByUser: users.get(row.refreshed_by ?? 0),
        refreshedAt: row.refreshed_at,
        lastViewedAt: emptyToNull(row.last_viewed_at),
      }),
    };
  });
}

/** Converts one report to its API form. */
export async function showReport(db: Db, row: Row<"reports">) {
  const [shown] = await showReports(db, [row]);
  invariant(shown, "a report could not be converted");
  return shown;
}

/** Throws `invalid` for a query that is JSON and would change when it is parsed. */
function refuseLoss(query: string | null | undefined): void {
  const loss = query != null && jsonErrorPosition(query) === undefined && jsonLossReason(query);
  if (loss) throw new Failure("invalid", `in jsonQuery, ${lossText(loss)}`);
}

type Definition = Omit<RequestOf<typeof updateReport>["body"], "expectedVersion">;

/** Returns the columns of the given members. An empty text or object clears a column. */
async function columnsOf(db: Db, deploymentId: number, body: Definition) {
  refuseLoss(body.jsonQuery);
  await requireFolder(db, deploymentId, body.folderId);
  await requireWorkbook(db, deploymentId, body.workbookId);
  const texts = {
    title: body.title,
    json_query: body.jsonQuery,
    sql_query: body.sqlQuery,
    host: body.host,
    external_workbook_id: body.externalWorkbookId,
    result_location: body.resultLocation,
    end_result_cell: body.endResultCell,
    sheet_id: body.sheetId,
    workbook_name: body.workbookName,
    result_checksum: body.resultChecksum,
  };
  const given = Object.entries(texts).filter(([, text]) => text != null);
  const cleared = Object.fromEntries(given.map(([name, text]) => [name, emptyToNull(text)]));
  return {
    ...(cleared as { [Name in keyof typeof texts]?: string | null }),
    ...omitNullish({
      name: body.name,
      name_key: body.name?.toLowerCase(),
      folder_id: body.folderId,
      workbook_id: body.workbookId,
      meta: body.meta && freeForm("meta", body.meta),
    }),
    ...(body.pivotItems == null
      ? {}
      : {
          pivot_items:
            Object.keys(body.pivotItems).length === 0
              ? null
              : freeForm("pivotItems", body.pivotItems),
        }),
  };
}

function freeForm(name: string, value: Readonly<Record<string, unknown>>): string {
  return toShortJson(value as JsonObject, { name, most: limits.freeFormBytes });
}

async function requireWorkbook(
  db: Db,
  deploymentId: number,
  workbookId: number | null | undefined,
): Promise<void> {
  if (workbookId == null) return;
  const row = await db
    .selectFrom("workbooks")
    .select("id")
    .where("id", "=", workbookId)
    .where("deployment_id", "=", deploymentId)
    .executeTakeFirst();
  if (row) return;
  throw fieldError("workbookId", ["invalid", `the deployment has no workbook ${workbookId}`]);
}

/** Inserts a report. Throws `conflict` if another report of the account has the public ID. */
export async function insertReport(
  db: Db,
  deploymentId: number,
  { body, by }: { body: RequestOf<typeof createReport>["body"]; by: WriteStamp },
): Promise<Row<"reports">> {
  await requireDeployment(db, deploymentId);
  const publicId = body.publicId ?? generatePublicId();
  if ((await reportNamed(db, publicId)) !== undefined) {
    throw fieldError("publicId", ["conflict", `another report has the public ID ${publicId}`]);
  }
  return storeReport(db, deploymentId, { body: { ...body, publicId }, by });
}

interface NewReport {
  readonly body: RequestOf<typeof createReport>["body"] & { readonly publicId: string };
  readonly by: WriteStamp;
}

async function storeReport(
  db: Db,
  deploymentId: number,
  { body, by }: NewReport,
): Promise<Row<"reports">> {
  const columns = await columnsOf(db, deploymentId, body);
  const name = body.name ?? defaultReportName;
  return db
    .insertInto("reports")
    .values({
      meta: "{}",
      ...columns,
      deployment_id: deploymentId,
      public_id: body.publicId,
      name,
      name_key: name.toLowerCase(),
      source: body.source ?? null,
      version: 1,
      created_by: by.userId,
      refreshed_by: by.userId,
      refreshed_at: by.at,
      created_at: by.at,
      updated_at: by.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Updates the given members. Throws `conflict` if the report has another version than the caller expects. */
export async function changeReport(
  db: Db,
  key: ReportKey,
  { body, at }: { body: RequestOf<typeof updateReport>["body"]; at: string },
): Promise<Row<"reports">> {
  const { id, version } = await readReport(db, key);
  requireVersion(version, body.expectedVersion);
  const columns = await columnsOf(db, key.deploymentId, body);
  return db
    .updateTable("reports")
    .set({ ...columns, version: version + 1, updated_at: at })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function requireVersion(version: number | undefined, expected: number | null | undefined): void {
  if (expected == null || expected === version) return;
  const found =
    version === undefined ? "the report does not exist" : `the report has version ${version}`;
  throw fieldError("expectedVersion", ["conflict", `expected version ${expected}, but ${found}`], {
    remedy: "Read the report again, and repeat the change on its current version.",
  });
}

type Upsert = RequestOf<typeof upsertReport>;

/** Creates or updates the report with a public ID. Throws `conflict` if another deployment has it. */
export async function putReport(
  db: Db,
  { params, body, by }: Pick<Upsert, "params" | "body"> & { by: WriteStamp },
): Promise<Row<"reports">> {
  const { deploymentId, publicId } = params;
  const { source, ...changes } = body;
  const known = await reportNamed(db, publicId);
  if (known === undefined) {
    requireVersion(undefined, body.expectedVersion);
    await requireDeployment(db, deploymentId);
    const insert = () => storeReport(db, deploymentId, { body: { ...body, publicId }, by });
    return upserting(`the report ${publicId}`, insert);
  }
  if (known.deployment_id !== deploymentId) {
    throw new Failure("conflict", `a report of another deployment has the public ID ${publicId}`);
  }
  if (source != null && source !== known.source) {
    const own = known.source === null ? "no source" : `the source ${known.source}`;
    throw fieldError("source", ["invalid", `the report has ${own}, which cannot be changed`]);
  }
  const key = { deploymentId, reportId: known.id };
  return upserting(`the report ${publicId}`, () =>
    changeReport(db, key, { body: changes, at: by.at }),
  );
}

/** Returns the report with a public ID; undefined if there is none. */
export async function reportNamed(db: Db, publicId: string): Promise<Row<"reports"> | undefined> {
  return db.selectFrom("reports").selectAll().where("public_id", "=", publicId).executeTakeFirst();
}

/** Moves a report to a folder, or to the root. */
export async function moveReport(
  db: Db,
  key: ReportKey,
  { folderId, at }: { folderId: number | null; at: string },
): Promise<Row<"reports">> {
  const { id } = await readReport(db, key);
  await requireFolder(db, key.deploymentId, folderId);
  return db
    .updateTable("reports")
    .set((eb) => ({ folder_id: folderId, version: eb("version", "+", 1), updated_at: at }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Connects a report to a workbook, or disconnects it. */
export async function connectReport(
  db: Db,
  key: ReportKey,
  { workbookId, at }: { workbookId: number | null; at: string },
): Promise<Row<"reports">> {
  const { id } = await readReport(db, key);
  await requireWorkbook(db, key.deploymentId, workbookId);
  return db
    .updateTable("reports")
    .set((eb) => ({ workbook_id: workbookId, version: eb("version", "+", 1), updated_at: at }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Records that a user refreshed the results of a report. */
export async function recordRefresh(
  db: Db,
  key: ReportKey,
  { checksum, by }: { checksum: string | null | undefined; by: WriteStamp },
): Promise<Row<"reports">> {
  const { id } = await readReport(db, key);
  return db
    .updateTable("reports")
    .set({
      refreshed_by: by.userId,
      refreshed_at: by.at,
      ...omitNullish({ result_checksum: checksum }),
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Deletes a report. */
export async function dropReport(db: Db, key: ReportKey): Promise<void> {
  const { id } = await readReport(db, key);
  await db.deleteFrom("reports").where("id", "=", id).execute();
}
