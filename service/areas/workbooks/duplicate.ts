// Duplicates a workbook with its dashboards and reports. The copies share nothing with the originals.
import { isObject, type JsonValue } from "../../../core/json.ts";
import { fromJson, toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { Change } from "../folders/folders.ts";
import { generatePublicId } from "../public-id.ts";
import { selectReports } from "../reports/reports.ts";
import { readWorkbook, type WorkbookKey } from "./workbooks.ts";

const nameMax = 255;
const suffix = " copy";

/** Inserts the copy, which has no slug and is not embedded, and returns its row. */
export async function duplicateWorkbook(
  db: Db,
  key: WorkbookKey,
  by: Change,
): Promise<Row<"workbooks">> {
  const { id, name, ...original } = await readWorkbook(db, key);
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
  const ids = await copyReports(db, { from: { ...key, workbookId: id }, to: copy.id, by });
  await copyDashboards(db, { from: id, to: copy.id, ids, by });
  return copy;
}

/** The IDs of the copies by those of the originals: numbers by number, public IDs by public ID. */
type CopiedIds = ReadonlyMap<number | string, number | string>;

async function copyReports(
  db: Db,
  { from, to, by }: { from: WorkbookKey; to: number; by: Change },
): Promise<CopiedIds> {
  const ids = new Map<number | string, number | string>();
  const originals = await selectReports(db, from.deploymentId)
    .where("workbook_id", "=", from.workbookId)
    .execute();
  for (const { id, ...report } of originals) {
    const copy = await db
      .insertInto("reports")
      .values({
        ...report,
        public_id: generatePublicId(),
        workbook_id: to,
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
  db: Db,
  { from, to, ids, by }: { from: number; to: number; ids: CopiedIds; by: Change },
): Promise<void> {
  const originals = await db
    .selectFrom("dashboards")
    .selectAll()
    .where("workbook_id", "=", from)
    .execute();
  for (const { id: _, ...dashboard } of originals) {
    await db
      .insertInto("dashboards")
      .values({
        ...dashboard,
        workbook_id: to,
        public_id: dashboard.public_id === null ? null : generatePublicId(),
        allow_embed: 0,
        config: toJson(withCopies(fromJson(dashboard.config), ids)),
        version_number: 1,
        last_viewed_at: "",
        created_at: by.at,
      })
      .execute();
  }
}

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
