// Splits measures into the aggregates that subqueries compute, and the arithmetic over them.
import { Failure } from "../../core/errors.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import { calculatedTypes, isComposite } from "../model/composite-measures.ts";
import type { CompiledCube, CompiledMeasure, SqlTemplate } from "../model/types.ts";
import { type Dependencies, dependenciesOf, keyMembers, referencesIn } from "./dependencies.ts";
import { buildJoinTree, type JoinTree, multipliedFrom } from "./join-tree.ts";
import { groupedSql, templateSql } from "./member-sql.ts";
import { cubeOf, type MemberRef, type ModelIndex, nameOf } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import { allOf, raw, type Sql, sql } from "./sql-fragments.ts";

/** Returns the type of a measure as clients know it: `count_distinct` is `countDistinct`. */
export function aggregationType(type: string): string {
  return type.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Returns the type of a measure's value: counts and sums are numbers, and the least or greatest value of a dimension is like
 * it. SQL of its own is that of a time dimension, or a number: a dimension of texts can have the SQL of a number.
 */
export function valueType(model: ModelIndex, ref: MemberRef): string {
  const { type, sql: own = [] } = measureOf(model, ref);
  if (calculatedTypes.has(type)) return type;
  if (type !== "min" && type !== "max") return "number";
  const [part, ...rest] = own;
  if (rest.length === 0 && typeof part === "object" && part.kind === "member") {
    const dimension = cubeOf(model, part.path.at(-1) ?? "").dimensions.get(part.member);
    return dimension?.type ?? "number";
  }
  return sqlOfTimes(cubeOf(model, ref.cube).cube).has(JSON.stringify(own)) ? "time" : "number";
}

/** The SQL of the time dimensions of a cube. */
const sqlOfTimes = memoizePerObject(
  ({ dimensions }: CompiledCube): ReadonlySet<string> =>
    new Set(
      dimensions.flatMap(({ type, sql: own }) => (type === "time" ? JSON.stringify(own) : [])),
    ),
);

/** Types that repeated rows do not change. A count without SQL counts distinct keys. */
const distinctTypes: ReadonlySet<string> = new Set([
  "count_distinct",
  "count_distinct_approx",
  "min",
  "max",
]);

/** Types of counts: the values that they count can be hidden. */
const countTypes: ReadonlySet<string> = new Set([
  "count",
  "count_distinct",
  "count_distinct_approx",
]);

/** A window of a running measure. */
export interface RollingWindow {
  readonly type?: "fixed" | "to_date" | "year_to_date" | "quarter_to_date" | "month_to_date";
  readonly granularity?: string;
  readonly trailing?: string;
  readonly leading?: string;
  readonly offset?: "start" | "end";
}

/** Returns a measure of the model. */
export function measureOf(model: ModelIndex, { cube, member }: MemberRef): CompiledMeasure {
  const measure = cubeOf(model, cube).measures.get(member);
  const full = `${cube}.${member}`;
  if (measure === undefined) throw new Failure("invalid", `there is no measure ${full}`);
  return measure;
}

/** Returns the window of a measure; undefined if it has none. */
export function windowOf(measure: CompiledMeasure): RollingWindow | undefined {
  return measure.rollingWindow as RollingWindow | undefined;
}

/** A measure, or an aggregate that it is computed from. */
export interface MeasureRef extends MemberRef {
  /** For a measure that is masked in some rows: the position of its condition in the grouping. */
  readonly shownAt?: number;
}

/** Returns the identity of an aggregate in a query. */
export const leafKey = ({ cube, member, shownAt }: MeasureRef) => `${cube}.${member} ${shownAt}`;

/**
 * Returns the aggregates that measures are computed from, each once. A measure that is an aggregate is computed from
 * itself.
 */
export function leavesOf(model: ModelIndex, refs: readonly MeasureRef[]): readonly MeasureRef[] {
  const leaves: MeasureRef[] = [];
  const seen = new Set<string>();
  // Searches depth first with an explicit stack, which long chains cannot exhaust.
  const open = refs.toReversed();
  for (let ref = open.pop(); ref; ref = open.pop()) {
    if (seen.has(leafKey(ref))) continue;
    seen.add(leafKey(ref));
    const measure = measureOf(model, ref);
    if (isComposite(measure)) open.push(...partsOf(ref, measure).toReversed());
    else leaves.push(ref);
  }
  return leaves;
}

function partsOf(ref: MeasureRef, { sql: own }: CompiledMeasure): readonly MeasureRef[] {
  return referencesIn(own ?? []).members.map((part) => partOf(ref, part));
}

/** Returns a measure that another one uses, with the condition of that one. */
function partOf({ shownAt }: MeasureRef, part: MemberRef): MeasureRef {
  return { ...part, ...(shownAt !== undefined && { shownAt }) };
}

/** Writes a measure over the columns of its aggregates. */
export function measureOverColumns(
  ref: MeasureRef,
  context: QueryContext,
  column: (leaf: MeasureRef) => Sql,
): Sql {
  const measure = measureOf(context.model, ref);
  if (!isComposite(measure)) return column(ref);
  return templateSql(measure.sql ?? [], context, (inner) =>
    measureOverColumns(partOf(ref, inner), context, column),
  );
}

/** The place where an aggregate is computed: over the joined rows, or once for each key of its cube. */
export type Placement = "rows" | "keys";

/** Returns where an aggregate is computed, for joins that repeat the rows of its cube or not. */
export function placementOf(context: QueryContext, ref: MemberRef, isRepeated: boolean): Placement {
  const measure = measureOf(context.model, ref);
  if (!isRepeated) return "rows";
  if (distinctTypes.has(measure.type)) return "rows";
  return measure.type === "count" && measure.sql === undefined ? "rows" : "keys";
}

/** Returns the joins and subqueries that aggregates of one cube read. Throws `invalid` if they repeat its rows. */
export function ownSource(
  { model }: QueryContext,
  refs: readonly MemberRef[],
): { readonly tree: JoinTree; readonly subQueries: Dependencies["subQueries"] } {
  const [{ cube } = { cube: "" }] = refs;
  const placed = refs.map((ref) => ({ ...ref, path: [ref.cube] }));
  const { chains, subQueries } = dependenciesOf(model, placed);
  const tree = buildJoinTree(model, chains, { root: cube });
  const [several] = multipliedFrom(tree, cube);
  if (several === undefined) return { tree, subQueries };
  const names = refs.map((ref) => nameOf(ref)).join(", ");
  throw new Failure(
    "invalid",
    `${names} would count rows several times, because a row of ${cube} can have several of ${several}; use a dimension with sub_query: true`,
  );
}

/** The rows over which an aggregate is computed. */
interface AggregatedRows {
  /** Whether joins repeat the rows of the cube, so that counts must count distinct keys. */
  readonly isRepeated: boolean;
  /** Whether the joins have rows without a row of the cube. */
  readonly isOptional: boolean;
  /** The condition that there is a row, for a cube without a key. */
  readonly isPresent?: Sql;
  /** Returns the condition that a row shows the measure at a position, without which its SQL is not evaluated. */
  readonly isShown?: (position: number) => Sql;
}

/** Writes an aggregate of the rows of its cube. */
export function aggregateSql(ref: MeasureRef, context: QueryContext, rows: AggregatedRows): Sql {
  const measure = measureOf(context.model, ref);
  if (calculatedTypes.has(measure.type)) {
    // The compiler allows columns only together with aggregates of the same cube.
    return templateSql(measure.sql ?? [], context, (inner) => aggregateSql(inner, context, rows));
  }
  if (measure.type === "count" && measure.sql === undefined) {
    const { conditions } = aggregatedRow(ref, context, rows);
    return countKeys(ref.cube, context, { isRepeated: rows.isRepeated, conditions });
  }
  return aggregateCall(measure.type, context, aggregatedSql(ref, context, rows));
}

/** Writes the value of a row for an aggregate; NULL for a row that it leaves out. */
function aggregatedSql(ref: MeasureRef, context: QueryContext, rows: AggregatedRows): Sql {
  const { conditions, guard } = aggregatedRow(ref, context, rows);
  const { sql: own = [] } = measureOf(context.model, ref);
  return valueWhere(conditions, guard(templateSql(own, context)));
}

/** Returns the conditions of an aggregate on a row, and a function that writes SQL of a row which shows the measure. */
function aggregatedRow(
  ref: MeasureRef,
  context: QueryContext,
  rows: AggregatedRows,
): { readonly conditions: readonly Sql[]; readonly guard: (one: Sql) => Sql } {
  const shown = ref.shownAt === undefined ? undefined : rows.isShown?.(ref.shownAt);
  const guard = (one: Sql) => valueWhere(shown ? [shown] : [], one);
  const { filters } = measureOf(context.model, ref);
  const presence = rows.isOptional ? presenceSql(ref, context, rows.isPresent) : [];
  const own = filters.map((filter) => guard(templateSql(filter, context)));
  return { conditions: [...presence, ...own], guard };
}

/** The values of rows for an aggregate, and the aggregate of a column that has them. */
export interface AggregatedColumn {
  readonly value: Sql;
  readonly aggregate: (column: Sql) => Sql;
}

/** Splits an aggregate into values by which rows can be grouped first. Throws `invalid` for one that is SQL. */
export function aggregatedColumn(
  ref: MeasureRef,
  context: QueryContext,
  rows: AggregatedRows,
): AggregatedColumn {
  const { type } = measureOf(context.model, ref);
  if (calculatedTypes.has(type)) {
    throw new Failure(
      "invalid",
      `the SQL of ${nameOf(ref)} is an aggregate, and joins repeat the rows of ${ref.cube}, of which an access policy hides some; compute it from measures of the types sum, avg and count`,
    );
  }
  const value = aggregatedSql(ref, context, rows);
  // What is counted can have a type without groups.
  const isCount = type === "count";
  return {
    value: isCount ? sql`CASE WHEN ${value} IS NOT NULL THEN 1 END` : value,
    aggregate: (column) => aggregateCall(type, context, column),
  };
}

/** Writes a value where conditions hold; NULL elsewhere, so that aggregates leave the row out. */
function valueWhere(conditions: readonly Sql[], value: Sql): Sql {
  return conditions.length === 0 ? value : sql`CASE WHEN ${allOf(conditions)} THEN ${value} END`;
}

/**
 * Writes the condition that there is a row of the cube if the SQL of a measure, such as COALESCE, has a value without
 * one.
 */
function presenceSql(ref: MemberRef, context: QueryContext, isPresent?: Sql): readonly Sql[] {
  const { sql: own } = measureOf(context.model, ref);
  if (own === undefined || isColumn(own, ref.cube, context)) return [];
  const [key] = keysSql(ref.cube, context);
  if (key !== undefined) return [sql`${key} IS NOT NULL`];
  return isPresent === undefined ? [] : [isPresent];
}

/** Returns whether SQL is only a column of a cube, which is null if there is no row. */
function isColumn(template: SqlTemplate, cube: string, context: QueryContext): boolean {
  const [first, rest] = template;
  if (typeof first !== "object" || template.length > 2) return false;
  if (!("path" in first) || first.path.at(-1) !== cube) return false;
  if (first.kind === "member" && first.granularity === undefined && rest === undefined) {
    const dimension = cubeOf(context.model, cube).dimensions.get(first.member);
    if (dimension?.sql === undefined || dimension.subQuery) return false;
    // The compiler refuses cycles.
    return isColumn(dimension.sql, cube, context);
  }
  return (
    first.kind === "table" && typeof rest === "string" && /^\s*\.\s*(?:\w+|"[^"]+")\s*$/.test(rest)
  );
}

function aggregateCall(type: string, context: QueryContext, expression: Sql): Sql {
  switch (type) {
    case "count":
      return context.dialect.aggregate("count", expression, []);
    case "count_distinct":
      return context.dialect.countDistinct([expression], (value) => value);
    case "count_distinct_approx":
      return context.dialect.approximateDistinct(expression);
    case "running_total":
      return context.dialect.aggregate("sum", expression, []);
    default:
      return context.dialect.aggregate(type, expression, []);
  }
}

function countKeys(
  cube: string,
  context: QueryContext,
  { isRepeated, conditions }: { readonly isRepeated: boolean; readonly conditions: readonly Sql[] },
): Sql {
  const keys = keysSql(cube, context);
  if (keys.length === 0 && conditions.length === 0)
    return context.dialect.aggregate("count", raw("*"), []);
  const [key = raw("1"), other] = keys;
  const isSet = other ? keys.map((one) => sql`${one} IS NOT NULL`) : [];
  const where = (value: Sql) => valueWhere(conditions, valueWhere(isSet, value));
  if (isRepeated && keys.length > 0) return context.dialect.countDistinct(keys, where);
  return context.dialect.aggregate("count", where(other ? raw("1") : key), []);
}

/** Writes the primary key of a cube. */
export function keysSql(cube: string, context: QueryContext): readonly Sql[] {
  return keyMembers(context.model, cube).map((key) => sql`(${groupedSql(key, context)})`);
}

/** Writes the value of a measure for one row of an ungrouped query. */
export function rowValueSql(ref: MemberRef, context: QueryContext): Sql {
  const measure = measureOf(context.model, ref);
  if (measure.stage) {
    throw new Failure(
      "invalid",
      `${nameOf(ref)} is a multi-stage measure, which an ungrouped query cannot compute`,
    );
  }
  if (isComposite(measure)) {
    return templateSql(measure.sql ?? [], context, (inner) => rowValueSql(inner, context));
  }
  if (calculatedTypes.has(measure.type)) {
    throw new Failure(
      "invalid",
      `the SQL of ${nameOf(ref)} is an aggregate, which an ungrouped query cannot compute`,
    );
  }
  const own = measure.filters.map((filter) => templateSql(filter, context));
  const filters = [...presenceSql(ref, context), ...own];
  const isSet =
    measure.sql === undefined
      ? keysSql(ref.cube, context).map((key) => sql`${key} IS NOT NULL`)
      : [sql`(${templateSql(measure.sql, context)}) IS NOT NULL`];
  if (countTypes.has(measure.type))
    return sql`CASE WHEN ${allOf([...filters, ...isSet])} THEN 1 END`;
  const expression = templateSql(measure.sql ?? [], context);
  return filters.length === 0
    ? expression
    : sql`CASE WHEN ${allOf(filters)} THEN ${expression} END`;
}
