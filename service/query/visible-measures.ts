// Measures as the caller sees them: their values, or their masks in the groups with rows that do not show them.
import { calculatedTypes } from "../model/composite-measures.ts";
import { maskName } from "../model/measures.ts";
import { leavesOf, measureOf, type MeasureRef, valueType, windowOf } from "./measures.ts";
import type { QueryMember } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import { maskedSql, maskSql, type RowSql, type ShownWhen, shownWhen } from "./selection.ts";
import { type Sql, sql } from "./sql-fragments.ts";

/** The measures of a query, as the caller sees them. */
export interface VisibleMeasures {
  /** The measures to compute: values, and masks in SQL. */
  readonly computed: readonly (QueryMember & MeasureRef)[];
  /** For each measure that is masked in some rows: where its value is shown. Its position is `shownAt`. */
  readonly shown: readonly RowSql[];
  /** Writes a measure from the SQL of computed ones, and from the condition to show the one at a position. */
  readonly write: (
    member: QueryMember,
    write: (computed: MeasureRef) => Sql,
    isShown: (position: number) => Sql,
  ) => Sql;
}

/** Returns the measures of a query as the caller sees them. */
export function visibleMeasures(
  context: QueryContext,
  members: readonly QueryMember[],
): VisibleMeasures {
  const shown: RowSql[] = [];
  const parts = new Map<string, Parts>();
  for (const member of members) {
    if (parts.has(member.name)) continue;
    const when = measureShownWhen(context, member);
    const { mask } = measureOf(context.model, member);
    const isMeasure = mask && "sql" in mask && when !== "always";
    const shownAt = typeof when === "object" ? { shownAt: shown.push(when) - 1 } : {};
    parts.set(member.name, {
      value: when === "never" ? undefined : { ...member, ...shownAt },
      mask: isMeasure ? { ...member, member: maskName(member.member) } : undefined,
    });
  }
  return {
    shown,
    computed: [...parts.values()].flatMap(({ value, mask }) =>
      [value, mask].filter((one) => one !== undefined),
    ),
    write: (member, write, isShown) => {
      const { value, mask }: Parts = parts.get(member.name) ?? { value: member, mask: undefined };
      const { mask: declared } = measureOf(context.model, member);
      const type = valueType(context.model, member);
      if (value === undefined) return mask ? write(mask) : maskSql(declared, type, context);
      if (value.shownAt === undefined) return write(value);
      const condition = isShown(value.shownAt);
      if (mask) return sql`CASE WHEN ${condition} THEN ${write(value)} ELSE ${write(mask)} END`;
      return maskedSql(condition, { value: write(value), mask: declared, type }, context);
    },
  };
}

/** The measures from which a visible one is computed. */
interface Parts {
  readonly value: (QueryMember & MeasureRef) | undefined;
  readonly mask: QueryMember | undefined;
}

/**
 * Returns when a measure is shown. One that reads rows of other groups, or whose SQL is an aggregate, is masked in all
 * groups if it is in any row.
 */
function measureShownWhen(context: QueryContext, member: QueryMember): ShownWhen {
  const shown = shownWhen(context, member);
  if (typeof shown === "string") return shown;
  const isWhole = leavesOf(context.model, [member])
    .map((leaf) => measureOf(context.model, leaf))
    .some(
      (leaf) =>
        leaf.stage !== undefined || windowOf(leaf) !== undefined || calculatedTypes.has(leaf.type),
    );
  return isWhole ? "never" : shown;
}
