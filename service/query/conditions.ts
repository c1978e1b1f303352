// Operators of filters as SQL. Queries, row filters of access policies and FILTER_PARAMS share them.
import { Failure } from "../../core/errors.ts";
import { type Clock, type LocalRange, resolveDate, resolveDateRange } from "./date-range.ts";
import { cast, type Dialect, timeLiteral, type ValueType } from "./dialect.ts";
import { addUnits, printTime, startOf, toInstant } from "./local-time.ts";
import type { FilterOperator, MemberFilter, QueryFilter } from "./query-schema.ts";
import type { QueryCost } from "./query-cost.ts";
import { allOf, anyOf, bind, joinSql, pieceText, raw, type Sql, sql } from "./sql-fragments.ts";

/** A comparison of an expression. */
export interface Comparison {
  readonly expression: Sql;
  /** The type of the member: `string`, `number`, `boolean` or `time`; others are text. */
  readonly type: string;
  readonly operator: FilterOperator;
  readonly values: readonly (string | null)[];
}

/** The context of a comparison. */
export interface ConditionContext {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly cost: QueryCost;
}

/** The zone of times and the database that compares them. */
type TimeContext = Pick<ConditionContext, "dialect" | "clock">;

/** Returns a filter with its groups as SQL; undefined if it has no effect. */
export function filterCondition(
  filter: QueryFilter,
  leaf: (filter: MemberFilter) => Sql,
): Sql | undefined {
  if ("member" in filter) return leaf(filter);
  const isAnd = "and" in filter;
  const inner = (isAnd ? filter.and : filter.or).flatMap((one) => {
    const condition = filterCondition(one, leaf);
    return condition === undefined ? [] : [condition];
  });
  if (inner.length === 0) return undefined;
  return isAnd ? allOf(inner) : anyOf(inner);
}

/** Returns a comparison as SQL. */
export function comparisonSql(comparison: Comparison, context: ConditionContext): Sql {
  const { operator, expression } = comparison;
  switch (operator) {
    case "set":
      return sql`${expression} IS NOT NULL`;
    case "notSet":
      return sql`${expression} IS NULL`;
    case "equals":
    case "in":
      return equalsSql(comparison, context);
    case "notEquals":
    case "notIn":
      return notEqualsSql(comparison, context);
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return orderedSql(comparison, context);
    case "measureFilter":
      return raw("TRUE");
    default:
      return operator in textPatterns ? textSql(comparison, context) : dateSql(comparison, context);
  }
}

/** Returns whether a comparison with values, none of them NULL, is true for NULL. */
export function admitsNull(operator: FilterOperator): boolean {
  return operator.startsWith("not") && operator !== "notInDateRange";
}

/** Returns whether the values of a type of members are text. */
export function isTextType(type: string): boolean {
  return type !== "number" && type !== "boolean" && type !== "time";
}

/** Throws `invalid` where the database does not compare text as the data source does. */
export function requireTextOrder({ isTextOpaque }: Dialect): void {
  if (isTextOpaque) throw new Failure("invalid", "the text is compared for equality only");
}

function typed({ expression, type }: Comparison, { dialect }: ConditionContext): Sql {
  // A column can be a number although its dimension is a string.
  return isTextType(type) ? cast(expression, "text", dialect) : expression;
}

function literal(value: string, type: string, context: ConditionContext): Sql {
  const { dialect, clock } = context;
  if (type === "number") return numberLiteral(value, dialect);
  if (type === "time") {
    return timeLiteral(instantText(resolveDate(value, clock)[0], clock), dialect);
  }
  if (type !== "boolean") return cast(bind(value), "text", dialect);
  if (!/^(?:true|false|1|0)$/i.test(value)) throw badValue(value, "boolean");
  return bind(/^(?:true|1)$/i.test(value));
}

function badValue(value: string, type: string): Failure {
  return new Failure("invalid", `the filter value ${JSON.stringify(value)} is not a ${type}`);
}

/** Writes a number. Integers and long decimals stay exact, because adjacent numbers of 17 digits are equal as doubles. */
export function numberLiteral(value: string, dialect: Dialect): Sql {
  const text = value.trim();
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text)) throw badValue(value, "number");
  const [, sign = "", digits = ""] = /^([+-]?)0*(\d+)(?:\.0*)?$/.exec(text) ?? [];
  const isLost = Number(text) === 0 ? /^[^e]*[1-9]/iu.test(text) : !Number.isFinite(Number(text));
  if (digits === "" && isLost) throw badValue(value, "number that a double can hold");
  if (digits === "") return fractionLiteral(text, dialect);
  if (digits.length > 38) throw badValue(value, "number of at most 38 digits");
  const type: ValueType = digits.length <= 18 ? "integer" : "wholeNumber";
  return cast(bind(`${sign}${digits}`), type, dialect);
}

/** Writes a number that is no integer: a double, unless that loses digits. */
function fractionLiteral(text: string, dialect: Dialect): Sql {
  const [, whole = "", fraction = ""] = /^[+-]?0*(\d*)\.(\d+)$/.exec(text) ?? [];
  const length = whole.length + fraction.length;
  const isLong = length > 15 && length <= 38;
  if (!isLong) return cast(bind(text), "double", dialect);
  return sql`CAST(${bind(text)} AS DECIMAL(${raw(`${length},${fraction.length}`)}))`;
}

function equalsSql(comparison: Comparison, context: ConditionContext): Sql {
  const { expression, type } = comparison;
  const others = comparison.values.filter((value) => value !== null);
  const isNull = sql`${expression} IS NULL`;
  if (others.length === 0) return isNull;
  const list = others.map((value) => literal(value, type, context));
  const left = typed(comparison, context);
  const [only = raw("NULL")] = list;
  const same =
    list.length === 1 ? sql`${left} = ${only}` : sql`${left} IN (${joinSql(list, ", ")})`;
  const found = indexedText(comparison, others, context);
  const match = found.length === 0 ? same : allOf([...found, same]);
  return others.length === comparison.values.length ? match : anyOf([match, isNull]);
}

/** Returns a wider condition, which finds rows by an index of a column that compares text loosely. */
function indexedText(
  { expression, type }: Comparison,
  values: readonly string[],
  { dialect }: ConditionContext,
): readonly Sql[] {
  if (!dialect.isTextLoose || !isTextType(type) || !isColumn(expression)) return [];
  return [sql`${expression} IN (${joinSql(values.map(bind), ", ")})`];
}

const columnText =
  /^[\s(]*(?:(?:"[^"]+"|`[^`]+`|\w+)\s*\.\s*)?(?:"[^"]+"|`[^`]+`|[A-Za-z_]\w*)[\s)]*$/;

function isColumn(expression: Sql): boolean {
  return columnText.test(expression.map((piece) => pieceText(piece, () => "?")).join(""));
}

function notEqualsSql(comparison: Comparison, context: ConditionContext): Sql {
  const { expression, type, values } = comparison;
  const others = values.filter((value) => value !== null);
  if (others.length === 0) return sql`${expression} IS NOT NULL`;
  const list = others.map((value) => literal(value, type, context));
  const match = sql`${typed(comparison, context)} NOT IN (${joinSql(list, ", ")})`;
  // With null among the values, null does not match.
  return others.length === values.length ? anyOf([match, sql`${expression} IS NULL`]) : match;
}

const signs = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

function orderedSql(comparison: Comparison, context: ConditionContext): Sql {
  const value = comparison.values.find((one) => one !== null);
  if (value === undefined || value === null) return raw("FALSE");
  if (isTextType(comparison.type)) requireTextOrder(context.dialect);
  const sign = raw(signs[comparison.operator as keyof typeof signs]);
  return sql`${typed(comparison, context)} ${sign} ${literal(value, comparison.type, context)}`;
}

const textPatterns: Readonly<Record<string, (text: string) => string>> = {
  contains: (text) => `%${text}%`,
  startsWith: (text) => `${text}%`,
  endsWith: (text) => `%${text}`,
  notContains: (text) => `%${text}%`,
  notStartsWith: (text) => `${text}%`,
  notEndsWith: (text) => `%${text}`,
};

function textSql(
  { expression, operator, values }: Comparison,
  { dialect, cost }: ConditionContext,
): Sql {
  requireTextOrder(dialect);
  const column = cast(expression, "text", dialect);
  const isNegative = operator.startsWith("not");
  const isNull = sql`${expression} IS NULL`;
  const matches = values
    .filter((value) => value !== null)
    .map((value) => {
      // Each value repeats the expression.
      cost.charge(column);
      const escaped = value.replace(/[\\%_]/g, "\\$&");
      const pattern = bind(textPatterns[operator]?.(escaped) ?? escaped);
      const match = dialect.matches(column, cast(pattern, "text", dialect));
      return isNegative ? sql`NOT ${match}` : match;
    });
  const hasNull = values.includes(null);
  if (!isNegative) return anyOf(hasNull ? [...matches, isNull] : matches);
  if (hasNull) return allOf([...matches, sql`${expression} IS NOT NULL`]);
  return anyOf([allOf(matches), isNull]);
}

function instantText(local: number, { timezone }: Clock, edge: "first" | "last" = "first"): string {
  return printTime(toInstant(local, timezone, edge));
}

/** Returns the first instant of a range. */
function startLiteral([from]: LocalRange, { dialect, clock }: TimeContext): Sql {
  return timeLiteral(instantText(from, clock), dialect);
}

/** Returns the last instant of a range, to the microsecond. */
function endLiteral([, to]: LocalRange, { dialect, clock }: TimeContext): Sql {
  const text = `${instantText(to, clock, "last")}${to % 1000 === 999 ? "999" : ""}`;
  return timeLiteral(text, dialect);
}

/** Returns the condition that a time is in a range of calendar times. */
export function rangeSql(expression: Sql, range: LocalRange, context: TimeContext): Sql {
  return sql`${expression} >= ${startLiteral(range, context)} AND ${expression} <= ${endLiteral(range, context)}`;
}

/** Returns the first values of a range for a condition that takes `count`: its first and its last instant. */
export function rangeValues(
  range: LocalRange,
  count: number,
  { member, ...context }: TimeContext & { readonly member: string },
): readonly Sql[] {
  if (count > 2) throw wrongCount(member, 2, count);
  return [startLiteral(range, context), endLiteral(range, context)].slice(0, count);
}

/**
 * Returns the values of a comparison for a condition that takes `count`. Throws `invalid` for another number, and for an
 * operator that such a condition cannot replace.
 */
export function comparedValues(
  { type, operator, values }: Omit<Comparison, "expression">,
  count: number,
  { member, context }: { readonly member: string; readonly context: ConditionContext },
): readonly Sql[] {
  const texts = values.filter((value) => value !== null);
  if (operator === "inDateRange" && texts.length > 0) {
    const [first = "", second] = texts;
    const range =
      second === undefined
        ? resolveDate(first, context.clock)
        : resolveDateRange([first, second], context.clock);
    return rangeValues(range, count, { ...context, member });
  }
  const isEqual = operator === "equals" || operator === "in";
  if (!isEqual || texts.length < values.length) {
    throw new Failure(
      "invalid",
      `the data model passes the values of filters on ${member} to a condition, so that only equals, in and inDateRange with values can filter it, not ${operator}`,
    );
  }
  if (texts.length !== count) throw wrongCount(member, texts.length, count);
  return texts.map((value) => literal(value, type, context));
}

function wrongCount(member: string, count: number, taken: number): Failure {
  const message = `the filter on ${member} has ${count} values, and the condition of the data model takes ${taken}`;
  return new Failure("invalid", message);
}

function dayOf(time: number): LocalRange {
  const start = startOf("day", time);
  return [start, addUnits(start, 1, "day") - 1];
}

function dateSql({ expression, operator, values }: Comparison, context: ConditionContext): Sql {
  const { clock } = context;
  const texts = values.filter((value) => value !== null);
  const [first = "", second] = texts;
  if (texts.length === 0) return raw("FALSE");
  const isRange = operator === "inDateRange" || operator === "notInDateRange";
  const range =
    isRange && second !== undefined
      ? resolveDateRange([first, second], clock)
      : resolveDate(first, clock);
  switch (operator) {
    case "inDateRange":
      return rangeSql(expression, range, context);
    case "onTheDate":
      return rangeSql(expression, dayOf(range[0]), context);
    case "notInDateRange":
      return sql`(${expression} < ${startLiteral(range, context)} OR ${expression} > ${endLiteral(range, context)})`;
    case "beforeDate":
      return sql`${expression} < ${startLiteral(range, context)}`;
    case "afterOrOnDate":
      return sql`${expression} >= ${startLiteral(range, context)}`;
    case "beforeOrOnDate":
      return sql`${expression} <= ${endLiteral(range, context)}`;
    default:
      return sql`${expression} > ${endLiteral(range, context)}`;
  }
}
