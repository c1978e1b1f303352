// The objects that policies can be set on: their tables, and their containers.
import { type RawBuilder, sql } from "kysely";
import { limits } from "../../core/limits/limits.ts";
import type { ResourceKind } from "../../core/operation/permission-actions.ts";
import { preparedQuery } from "./prepared-query.ts";
import type { Db, Row, Tables } from "./schema.ts";

type NumericColumn<Table extends keyof Tables> = {
  [Column in keyof Row<Table>]: NonNullable<Row<Table>[Column]> extends number ? Column : never;
}[keyof Row<Table>];

/** The table of a type, and the columns with the ID of an object's container, which is the first that is set. */
type ResourceTable = {
  [Table in keyof Tables]: {
    readonly table: Table;
    readonly parents: { readonly [Type in ResourceKind]?: NumericColumn<Table> };
  };
}[keyof Tables];

/** The table of each type of object. An object inherits the policies of its containers. */
export const resourceTables: Readonly<Partial<Record<ResourceKind, ResourceTable>>> = {
  deployment: { table: "deployments", parents: {} },
  folder: { table: "folders", parents: { folder: "parent_id", deployment: "deployment_id" } },
  workbook: { table: "workbooks", parents: { folder: "folder_id", deployment: "deployment_id" } },
  report: { table: "reports", parents: { folder: "folder_id", deployment: "deployment_id" } },
  dashboard: { table: "dashboards", parents: { workbook: "workbook_id" } },
};

/** An object that policies can be set on. */
export interface Resource {
  readonly type: ResourceKind;
  readonly id: number;
}

/** The ID of an object, and the IDs of its containers by type. */
type LineageRow = Readonly<Partial<Record<ResourceKind | "id", number | null>>>;

const lineages = Object.fromEntries(
  Object.keys(resourceTables).map((type) => [
    type,
    preparedQuery((db: Db, values: { id: number }) => ({
      compile: () => lineageQuery(type as ResourceKind, values.id).compile(db),
    })),
  ]),
) as Readonly<
  Partial<Record<string, (db: Db, values: { id: number }) => Promise<readonly LineageRow[]>>>
>;

/** Selects an object, followed by its containers of the same type. */
function lineageQuery(type: ResourceKind, id: number): RawBuilder<LineageRow> {
  const { table, parents } = resourceTables[type] ?? { table: "deployments", parents: {} };
  const own: Readonly<Partial<Record<ResourceKind, string>>> = parents;
  const columns = Object.entries(own).map(
    ([parent, column]) => sql`${sql.ref(`one.${column}`)} as ${sql.ref(parent)}`,
  );
  const selected = sql.join([sql`one.id`, ...columns]);
  const first = sql<LineageRow>`select ${selected}, 1 as depth from ${sql.table(table)} as one where one.id = ${id}`;
  if (own[type] === undefined) return first;
  const next = sql`select ${selected}, up.depth + 1 from ${sql.table(table)} as one
    join up on one.id = up.${sql.ref(type)} where up.depth < ${sql.lit(limits.folderDepth)}`;
  return sql<LineageRow>`with recursive up as (${first} union all ${next}) select * from up order by depth`;
}

/** Returns an object and all its containers, the innermost first; an empty list if there is no such object. */
export async function withParents(db: Db, resource: Resource): Promise<readonly Resource[]> {
  const found: Resource[] = [];
  // A request that is not validated yet can name a number of any size, which PostgreSQL refuses to compare.
  const isPossible =
    Number.isInteger(resource.id) && resource.id > 0 && resource.id <= limits.idMax;
  let next: Resource | undefined = isPossible ? resource : undefined;
  while (next !== undefined) {
    const { type, id }: Resource = next;
    // The referenced object exists, and is only read for its containers.
    if (found.length > 0 && isOutermost(type)) return [...found, next];
    const rows: readonly LineageRow[] = (await lineages[type]?.(db, { id })) ?? [];
    found.push(...rows.map((row) => ({ type, id: row.id ?? id })));
    next = rows[0] && containerOf(type, rows[0]);
  }
  return found;
}

function isOutermost(type: ResourceKind): boolean {
  return Object.keys(resourceTables[type]?.parents ?? {}).length === 0;
}

/** Returns the container of an object, if it has another type. */
function containerOf(type: ResourceKind, row: LineageRow): Resource | undefined {
  for (const parent of Object.keys(resourceTables[type]?.parents ?? {}) as ResourceKind[]) {
    const id = row[parent];
    if (parent !== type && id != null) return { type: parent, id };
  }
  return undefined;
}
