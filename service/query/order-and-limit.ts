// Writes the order and the limit of a statement. Pure.
import { isTextType, requireTextOrder } from "./conditions.ts";
import { quote } from "./dialect.ts";
import type { QueryContext } from "./query-context.ts";
import type { NormalizedQuery } from "./query-schema.ts";
import { requireOrderMember } from "./selection.ts";
import { joinSql, raw, type Sql, sql } from "./sql-fragments.ts";

/** A column of the result, in its position. */
interface OutputColumn {
  readonly column: {
    readonly alias: string;
    readonly member: string;
    readonly kind: "dimension" | "timeDimension" | "measure";
    readonly type: string;
    readonly granularity?: string;
  };
}

type OrderedColumn = Pick<OutputColumn["column"], "member" | "granularity">;

function isNamedBy(id: string, { member, granularity }: OrderedColumn): boolean {
  return [member, `${member}.${granularity ?? ""}`].includes(id);
}

/** Returns whether a query orders its rows by a column. */
export function isOrderedBy({ order }: NormalizedQuery, column: OrderedColumn): boolean {
  return order.some(({ id }) => isNamedBy(id, column));
}

/**
 * Orders a statement by the selected members, and groups that are equal in it by their other dimensions, text among them
 * by its bytes: whoever asks again has the same rows in the same order, also over the rows of a rollup. An empty order stays
 * empty. Throws `invalid` for a member that the model does not have.
 */
export function orderedSql(
  body: Sql,
  { order, ungrouped }: NormalizedQuery,
  {
    context,
    columns,
  }: { readonly context: QueryContext; readonly columns: readonly OutputColumn[] },
): Sql {
  const { inByteOrder, nullsLast, ordersByName } = context.dialect;
  const position = (index: number) =>
    ordersByName ? quote(columns[index]?.column.alias ?? "") : raw(String(index + 1));
  const terms = new Map<number, Sql>();
  let isAround = ordersByName;
  for (const { id, desc } of order) {
    const index = columns.findIndex(({ column }) => isNamedBy(id, column));
    if (index < 0) requireOrderMember(context, id);
    else if (!terms.has(index)) {
      if (isTextType(columns[index]?.column.type ?? "")) requireTextOrder(context.dialect);
      terms.set(index, nullsLast(position(index), desc ? "DESC" : "ASC"));
    }
  }
  if (terms.size === 0) return body;
  if (ungrouped !== true) {
    for (const [index, { column }] of columns.entries()) {
      if (column.kind === "measure" || terms.has(index)) continue;
      const isBytes = inByteOrder !== undefined && isTextType(column.type);
      isAround ||= isBytes;
      const value = isBytes ? inByteOrder(quote(column.alias)) : position(index);
      terms.set(index, nullsLast(value, "ASC"));
    }
  }
  const list = joinSql([...terms.values()], ", ");
  // Only around a query can an expression name its columns.
  const from = isAround ? sql`SELECT * FROM (${body}) AS page` : body;
  return sql`${from} ORDER BY ${list}`;
}

/** Writes the limit and the offset. */
export function limitSql({ limit, offset = 0 }: NormalizedQuery): Sql {
  return raw(` LIMIT ${limit}${offset === 0 ? "" : ` OFFSET ${offset}`}`);
}
