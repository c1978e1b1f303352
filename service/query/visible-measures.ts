// Measures as the caller sees them: their values, or their masks in the groups with rows that do not show them.
import { maskName } from "../model/measures.ts";
import { leavesOf, measureOf, valueType, windowOf } from "./measures.ts";
import type { MemberRef, QueryMember } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import { maskedSql, maskSql, type RowSql, type ShownWhen, shownWhen } from "./selection.ts";
import { type Sql, sql } from "./sql-fragments.ts";

/** Writes a measure for the caller: `write` returns its value or that of its mask, and `isShown` where to show which. */
export function visibleMeasure(
  context: QueryContext,
  member: QueryMember,
  {
    write,
    isShown,
  }: { readonly write: (shown: MemberRef) => Sql; readonly isShown: (rows: RowSql) => Sql },
): Sql {
  const { mask, type } = measureOf(context.model, member);
  const isMeasure = mask && "sql" in mask;
  const masked = () =>
    isMeasure ? write(maskOf(member)) : maskSql(mask, valueType(type), context);
  const shown = measureShownWhen(context, member);
  if (shown === "always") return write(member);
  if (shown === "never") return masked();
  const value = write(member);
  if (isMeasure) return sql`CASE WHEN ${isShown(shown)} THEN ${value} ELSE ${masked()} END`;
  return maskedSql(isShown(shown), { value, mask, type: valueType(type) }, context);
}

/** Returns the measure of a mask in SQL. */
function maskOf(member: QueryMember): QueryMember {
  return { ...member, member: maskName(member.member) };
}

/** Returns when a measure is shown. One that reads rows of other groups is masked in all groups if it is in any row. */
export function measureShownWhen(context: QueryContext, member: QueryMember): ShownWhen {
  const shown = shownWhen(context, member);
  if (typeof shown === "string") return shown;
  const readsOthers = leavesOf(context.model, [member])
    .map((leaf) => measureOf(context.model, leaf))
    .some((leaf) => leaf.stage !== undefined || windowOf(leaf) !== undefined);
  return readsOthers ? "never" : shown;
}

/** Returns the measures from which the caller's view of a measure is computed: it, or a separate one for a mask in SQL. */
export function shownMeasures(context: QueryContext, member: QueryMember): readonly QueryMember[] {
  const shown = measureShownWhen(context, member);
  const { mask } = measureOf(context.model, member);
  const masks = mask && "sql" in mask && shown !== "always" ? [maskOf(member)] : [];
  return shown === "never" ? masks : [member, ...masks];
}
