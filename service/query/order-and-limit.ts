// Writes the order and the limit of a statement. Pure.
import type { QueryContext } from "./query-context.ts";
import type { NormalizedQuery } from "./query-schema.ts";
import { requireOrderMember } from "./selection.ts";
import { raw, type Sql } from "./sql-fragments.ts";

/** A column of the result, in its position. */
interface OutputColumn {
  readonly column: { readonly member: string; readonly granularity?: string };
}

/** Writes the order by the selected members. Throws `invalid` for a member that the model does not have. */
export function orderSql(
  context: QueryContext,
  { order }: NormalizedQuery,
  columns: readonly OutputColumn[],
): Sql {
  const terms = order.flatMap(({ id, desc }) => {
    const index = columns.findIndex(({ column: { member, granularity } }) =>
      [member, `${member}.${granularity ?? ""}`].includes(id),
    );
    if (index >= 0) return [`${index + 1} ${desc ? "DESC" : "ASC"} NULLS LAST`];
    requireOrderMember(context, id);
    return [];
  });
  return terms.length === 0 ? [] : raw(` ORDER BY ${terms.join(", ")}`);
}

/** Writes the limit and the offset. */
export function limitSql({ limit, offset = 0 }: NormalizedQuery): Sql {
  return raw(` LIMIT ${limit}${offset === 0 ? "" : ` OFFSET ${offset}`}`);
}
