// Lists of the items of a workspace in one order, by type.
import { type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import { type PageSource, sortedKeyset } from "./keyset.ts";
import type { Db, Tables } from "./schema.ts";
import { contains } from "./sql-conditions.ts";

/** A type of item. */
export type ItemType = "FOLDER" | "WORKBOOK" | "REPORT";

/** The columns of an item that a list reads. */
export interface ItemRow {
  readonly type: ItemType;
  readonly id: number;
  readonly name: string;
  readonly name_key: string;
  readonly deployment_id: number;
  readonly folder_id: number | null;
  readonly slug: string | null;
  readonly public_id: string | null;
  readonly created_by: number | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** Only read for the order by last view; empty otherwise, and without a view. */
  readonly viewer_last_viewed_at: string;
}

/** The items to list, and their order. */
export interface ItemQuery {
  readonly deploymentId: number;
  /** Undefined for the root; with `search`, for every folder. */
  readonly folderId: number | undefined;
  readonly search: string | undefined;
  /** A condition on the rows; undefined for all. */
  readonly permitted: RawBuilder<SqlBool> | undefined;
  /** A user whose items are left out. */
  readonly notCreatedBy: number | undefined;
  /** The user whose views `viewer_last_viewed_at` orders by. */
  readonly viewer: number;
  readonly field: "name" | "created_at" | "updated_at" | "viewer_last_viewed_at";
  readonly direction: "asc" | "desc";
}

/** Returns the list of the items of one type. */
export function itemsOfType(db: Db, type: ItemType, query: ItemQuery): PageSource<ItemRow> {
  const view = lastView(type, query);
  const viewed = view.as("viewer_last_viewed_at");
  if (type === "FOLDER") {
    const folders = db
      .selectFrom("folders")
      .select(["id", "name", "deployment_id", "created_by", "created_at", "updated_at", "name_key"])
      .select([sql<ItemType>`'FOLDER'`.as("type"), "parent_id as folder_id", viewed])
      .select(
        ["slug", "public_id"].map((name) => sql<null>`null`.as(name as "slug" | "public_id")),
      );
    return sorted(filtered(folders, "parent_id", query), query, view);
  }
  if (type === "REPORT") {
    const reports = db
      .selectFrom("reports")
      .select(["id", "name", "deployment_id", "created_by", "created_at", "updated_at", "name_key"])
      .select([sql<ItemType>`'REPORT'`.as("type"), "folder_id", "public_id", viewed])
      .select(sql<null>`null`.as("slug"));
    return sorted(filtered(reports, "folder_id", query), query, view);
  }
  const workbooks = db
    .selectFrom("workbooks")
    .select(["id", "name", "deployment_id", "created_by", "created_at", "updated_at", "name_key"])
    .select([sql<ItemType>`'WORKBOOK'`.as("type"), "folder_id", "slug", viewed])
    .select(sql<null>`null`.as("public_id"));
  return sorted(filtered(workbooks, "folder_id", query), query, view);
}

/** Returns an expression for the time of the viewer's last view of an item. Folders have no views. */
function lastView(type: ItemType, { field, viewer }: ItemQuery): RawBuilder<string> {
  if (field !== "viewer_last_viewed_at" || type === "FOLDER") return sql<string>`''`;
  const [table, column] =
    type === "REPORT" ? ["reports", "report_id"] : ["workbooks", "workbook_id"];
  return sql<string>`coalesce((select max(v.last_viewed_at) from content_views v where v.user_id = ${viewer} and v.${sql.ref(column ?? "")} = ${sql.ref(`${table}.id`)}), '')`;
}

function filtered<TB extends keyof Tables>(
  query: SelectQueryBuilder<Tables, TB, ItemRow>,
  folderColumn: string,
  { deploymentId, folderId, search, permitted, notCreatedBy }: ItemQuery,
): SelectQueryBuilder<Tables, TB, ItemRow> {
  const folder = sql.ref(folderColumn);
  let found = query.where(sql<SqlBool>`deployment_id = ${deploymentId}`);
  if (folderId !== undefined) found = found.where(sql<SqlBool>`${folder} = ${folderId}`);
  else if (search === undefined) found = found.where(sql<SqlBool>`${folder} is null`);
  if (search !== undefined) found = found.where(contains("name", search));
  if (permitted !== undefined) found = found.where(permitted);
  if (notCreatedBy === undefined) return found;
  return found.where(sql<SqlBool>`(created_by is null or created_by <> ${notCreatedBy})`);
}

/**
 * The column and the value of each order. IDs grow with the time of creation, so that order needs no separate index.
 */
const orders = {
  name: { column: "name_key", type: "text", valueOf: (row: ItemRow) => row.name_key },
  updated_at: { column: "updated_at", type: "text", valueOf: (row: ItemRow) => row.updated_at },
  created_at: { column: "id", type: "integer", valueOf: (row: ItemRow) => row.id },
} as const;

function sorted<TB extends keyof Tables>(
  query: SelectQueryBuilder<Tables, TB, ItemRow>,
  { field, direction }: ItemQuery,
  view: RawBuilder<string>,
): PageSource<ItemRow> {
  const order =
    field === "viewer_last_viewed_at"
      ? { column: view, type: "text" as const, valueOf: (row: ItemRow) => row[field] }
      : orders[field];
  return sortedKeyset(query, { ...order, id: "id", direction });
}

/** Returns the order of two items in the list: folders first. Text is ordered by its bytes, as in the stores. */
export function compareItems({
  field,
  direction,
}: Pick<ItemQuery, "field" | "direction">): (one: ItemRow, other: ItemRow) => number {
  const member = field === "name" ? "name_key" : field;
  const sign = direction === "asc" ? 1 : -1;
  return (one, other) => {
    const folders = Number(other.type === "FOLDER") - Number(one.type === "FOLDER");
    return folders || sign * Buffer.compare(Buffer.from(one[member]), Buffer.from(other[member]));
  };
}
