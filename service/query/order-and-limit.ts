// Writes the order and the limit of a statement. Pure.
import type { QueryContext } from "./query-context.ts";
import type { NormalizedQuery } from "./query-schema.ts";
import { requireOrderMember } from "./selection.ts";
import { raw, type Sql } from "./sql-fragments.ts";

/** A column of the result, in its position. */
interface OutputColumn {
  readonly column: {
    readonly member: string;
    readonly kind: "dimension" | "timeDimension" | "measure";
    readonly granularity?: string;
  };
}

/**
 * Writes the order by the selected members, and groups that are equal in it by their other dimensions: whoever asks again
 * has the same rows in the same order. An empty order stays empty. Throws `invalid` for a member that the model does not
 * have.
 */
export function orderSql(
  context: QueryContext,
  { order, ungrouped }: NormalizedQuery,
  columns: readonly OutputColumn[],
): Sql {
  const directions = new Map<number, "ASC" | "DESC">();
  for (const { id, desc } of order) {
    const index = columns.findIndex(({ column: { member, granularity } }) =>
      [member, `${member}.${granularity ?? ""}`].includes(id),
    );
    if (index < 0) requireOrderMember(context, id);
    else if (!directions.has(index)) directions.set(index, desc ? "DESC" : "ASC");
  }
  if (directions.size === 0) return [];
  if (ungrouped !== true) {
    for (const [index, { column }] of columns.entries()) {
      if (column.kind !== "measure" && !directions.has(index)) directions.set(index, "ASC");
    }
  }
  const terms = [...directions].map(([index, direction]) => `${index + 1} ${direction} NULLS LAST`);
  return raw(` ORDER BY ${terms.join(", ")}`);
}

/** Writes the limit and the offset. */
export function limitSql({ limit, offset = 0 }: NormalizedQuery): Sql {
  return raw(` LIMIT ${limit}${offset === 0 ? "" : ` OFFSET ${offset}`}`);
}
