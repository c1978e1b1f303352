// Duplicates a workbook with its dashboards and reports. The copies share nothing with the originals.
import { isObject, type JsonValue } from "../../../core/json.ts";
import { requireResourcePermission } from "../../security/authorize-call.ts";
import { fromJson, toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { WriteStamp } from "../folders/folders.ts";
import { authorizePlacement, requirePlacement } from "../folders/placement.ts";
import type { Call } from "../shared/operation-handler.ts";
import { generatePublicId } from "../shared/public-id.ts";
import { selectReports } from "../reports/reports.ts";
import type { DashboardWidget } from "./chart-widgets.ts";
import { reportOfChart, widgetsOf, writersOf } from "./report-writers.ts";
import { authorizeReports, reportsOf } from "./widget-reports.ts";
import { readWorkbook, type WorkbookKey } from "./workbooks.ts";

const nameMax = 255;
const suffix = " copy";

type Caller = Pick<Call, "db" | "principal">;

/**
 * Inserts the copy, which has no slug and is not embedded, and returns its row. Throws `forbidden` for a report that the
 * caller may not read, or not create, whether it is copied or a widget shows it.
 */
export async function duplicateWorkbook(
  caller: Caller,
  key: WorkbookKey,
  by: WriteStamp,
): Promise<Row<"workbooks">> {
  const { db } = caller;
  const { id, name, ...original } = await readWorkbook(db, key);
  const reports = await copiesOfReports(caller, { ...key, workbookId: id }, original.folder_id);
  const copyName = `${name.slice(0, nameMax - suffix.length).trimEnd()}${suffix}`;
  const copy = await db
    .insertInto("workbooks")
    .values({
      ...original,
      name: copyName,
      name_key: copyName.toLowerCase(),
      slug: null,
      last_viewed_at: "",
      created_by: by.userId,
      created_at: by.at,
      updated_at: by.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const ids = await insertReports(db, reports, { workbookId: copy.id, by });
  await copyDashboards(caller, { from: id, to: copy, ids, by });
  return copy;
}

/** The IDs of the copies by the IDs of the originals: numbers by number, public IDs by public ID. */
type CopiedIds = ReadonlyMap<number | string, number | string>;

/**
 * Returns the reports of a workbook, each in the folder of its copy: the folder of the original if the caller may
 * create reports there, otherwise `otherFolder`. Throws `forbidden` for a report that the caller may not read, or may
 * not create in either folder.
 */
async function copiesOfReports(
  caller: Caller,
  { deploymentId, workbookId }: WorkbookKey,
  otherFolder: number | null,
): Promise<readonly Row<"reports">[]> {
  const originals = await selectReports(caller.db, deploymentId)
    .where("workbook_id", "=", workbookId)
    .execute();
  for (const { id } of originals) {
    await requireResourcePermission(caller, "ReportRead", { type: "report", id });
  }
  const folders = new Map<number | null, number | null>();
  for (const folder of new Set(originals.map(({ folder_id }) => folder_id))) {
    const placement = { type: "report", deploymentId } as const;
    const refusal = await authorizePlacement(caller, { ...placement, folderId: folder });
    if (refusal) await requirePlacement(caller, { ...placement, folderId: otherFolder });
    folders.set(folder, refusal === undefined ? folder : otherFolder);
  }
  return originals.map((one) => ({ ...one, folder_id: folders.get(one.folder_id) ?? null }));
}

async function insertReports(
  db: Db,
  reports: readonly Row<"reports">[],
  { workbookId, by }: { readonly workbookId: number; readonly by: WriteStamp },
): Promise<CopiedIds> {
  const ids = new Map<number | string, number | string>();
  for (const { id, ...report } of reports) {
    const copy = await db
      .insertInto("reports")
      .values({
        ...report,
        public_id: generatePublicId(),
        workbook_id: workbookId,
        last_viewed_at: "",
        version: 1,
        created_by: by.userId,
        created_at: by.at,
        updated_at: by.at,
      })
      .returning(["id", "public_id"])
      .executeTakeFirstOrThrow();
    ids.set(id, copy.id).set(report.public_id, copy.public_id);
  }
  return ids;
}

async function copyDashboards(
  caller: Caller,
  { from, to, ids, by }: { from: number; to: Row<"workbooks">; ids: CopiedIds; by: WriteStamp },
): Promise<void> {
  const { db } = caller;
  const originals = await db
    .selectFrom("dashboards")
    .selectAll()
    .where("workbook_id", "=", from)
    .execute();
  for (const original of originals) {
    const { id: _, ...dashboard } = original;
    const config = withCopies(fromJson(dashboard.config), ids);
    const { widgets = [] } = config as { readonly widgets?: readonly DashboardWidget[] };
    // The caller's rights decide about the reports that the original shows. The copy shows no others.
    const shown = await reportsOf(db, original, widgetsOf(original));
    const copies = [...shown.keys()].map((name) => ids.get(name) ?? name);
    const others = [...writersOf([original])].filter(([name]) => !shown.has(name));
    const reports = await authorizeReports(caller, {
      deploymentId: to.deployment_id,
      widgets,
      kept: new Set([...shown.keys()].flatMap((name) => ids.get(name) ?? []).filter(isNumber)),
      writers: new Map(others.map(([name, users]) => [ids.get(name) ?? name, users])),
      isWritten: (widget) => copies.includes(reportOfChart(widget) ?? ""),
    });
    await db
      .insertInto("dashboards")
      .values({
        ...dashboard,
        workbook_id: to.id,
        public_id: dashboard.public_id === null ? null : generatePublicId(),
        allow_embed: 0,
        config: toJson(config),
        ...reports,
        version_number: 1,
        last_viewed_at: "",
        created_at: by.at,
      })
      .execute();
  }
}

const isNumber = (value: number | string): value is number => typeof value === "number";

/** Returns a dashboard's content with the copies in place of the reports that it names by `reportId` or public ID. */
function withCopies(value: JsonValue, ids: CopiedIds, member = ""): JsonValue {
  if (typeof value === "string") return ids.get(value) ?? value;
  if (typeof value === "number") return member === "reportId" ? (ids.get(value) ?? value) : value;
  if (Array.isArray(value)) return value.map((one: JsonValue) => withCopies(one, ids, member));
  if (!isObject(value)) return value;
  const copy: Record<string, JsonValue> = {};
  for (const [name, one] of Object.entries(value)) {
    if (one !== undefined) copy[name] = withCopies(one, ids, name);
  }
  return copy;
}
