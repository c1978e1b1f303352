// Decides whether a condition of a query can fail for some rows, so that it must not be evaluated for hidden ones.
import { isColumn } from "./measures.ts";
import { dimensionOf } from "./member-sql.ts";
import type { QueryContext } from "./query-context.ts";
import type { NormalizedQuery, QueryFilter } from "./query-schema.ts";
import { shownWhen, visibleMember } from "./selection.ts";

/**
 * Returns whether a condition of a query on rows can fail. A comparison of a column with a value cannot: values are cast
 * before any row is read. Numbers with fractions are doubles, to which a database cannot convert every column.
 */
export function conditionsCanFail(context: QueryContext, query: NormalizedQuery): boolean {
  return (
    query.segments.length > 0 ||
    query.timeDimensions.some(({ dimension }) => !isPlainColumn(context, dimension)) ||
    query.filters.some((filter) => filterCanFail(context, filter))
  );
}

function filterCanFail(context: QueryContext, filter: QueryFilter): boolean {
  if ("and" in filter) return filter.and.some((one) => filterCanFail(context, one));
  if ("or" in filter) return filter.or.some((one) => filterCanFail(context, one));
  const { member: name, operator, values } = filter;
  const member = visibleMember(context, name, ["dimension", "measure"]);
  // A measure is compared after its rows were aggregated.
  if (member.kind === "measure") return operator === "measureFilter";
  const isInteger = (value: string | null) => value === null || /^[+-]?\d+$/.test(value);
  const isNumber = dimensionOf(context, member).type === "number";
  return !isPlainColumn(context, name) || (isNumber && !values.every(isInteger));
}

function isPlainColumn(context: QueryContext, name: string): boolean {
  const member = visibleMember(context, name, ["dimension"]);
  const { sql, subQuery } = dimensionOf(context, member);
  if (sql === undefined || subQuery || !isColumn(sql, context)) return false;
  return shownWhen(context, member) === "always";
}
