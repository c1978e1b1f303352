// Translates a statement in SQL into a query as `load` takes it, so that access, rows and limits are the same. The text
// of the statement never reaches a database.
import { isCalendarUnit } from "../../core/text/calendar-units.ts";
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import type { QueryCaller } from "../query/access.ts";
import type { CompiledModel } from "../model/types.ts";
import { measureOf } from "../query/measures.ts";
import type { JoinTree } from "../query/join-tree.ts";
import { indexModel, resolveMember } from "../query/model-index.ts";
import {
  type CallExpr,
  type Expr,
  type NameExpr,
  type OrderItem,
  parseStatement,
  type SelectedColumn,
} from "./parse-statement.ts";
import { conjuncts, filterOf } from "./statement-conditions.ts";
import {
  type Column,
  columnOf,
  findColumn,
  readScope,
  requireColumn,
  type Scope,
  shownMembers,
  tablesOf,
} from "./statement-scope.ts";
import { withDateRanges } from "./time-ranges.ts";
import { refusal } from "./tokens.ts";

/** A column of the result of a statement. */
export interface SqlColumn {
  readonly name: string;
  /** The column of the query that has its values: `cube.member`, or `cube.time.granularity`. */
  readonly key: string;
  readonly type: "Int64" | "Double" | "Boolean" | "Timestamp" | "String";
}

/** A translated statement. */
export interface SqlQuery {
  readonly query: JsonObject;
  /** In the order of the statement. */
  readonly columns: readonly SqlColumn[];
  /** The cubes that LEFT JOIN leads from and to. */
  readonly joins: readonly (readonly [from: string, to: string])[];
  /** The first cube or view of FROM. */
  readonly root: string | undefined;
  /** Whether the statement limits its rows. Otherwise its result must be complete. */
  readonly isLimited: boolean;
}

/** What a statement is translated for. */
export interface SqlContext {
  readonly model: CompiledModel;
  readonly caller: QueryCaller;
  /** The zone of `date_trunc` and of times in conditions: an IANA name. */
  readonly timezone: string;
  /** The rows of a statement without LIMIT. */
  readonly rowsMax: number;
}

/** A dimension, a time truncated to a granularity, or a measure. */
interface Value extends Column {
  readonly key: string;
  readonly granularity?: string;
  readonly isAggregate: boolean;
}

interface Output {
  readonly name: string;
  readonly value: Value;
  readonly item: Expr;
}

/** Translates a statement. Throws `invalid` for what a query cannot answer exactly as SQL does. */
export function sqlToQuery(text: string, context: SqlContext): SqlQuery {
  const select = parseStatement(text);
  const hasGroups = select.groupBy.length > 0 || select.having !== undefined;
  if (select.isDistinct && hasGroups) {
    const message = "DISTINCT with GROUP BY is not supported; GROUP BY removes duplicates";
    throw refusal(text, select, message);
  }
  const on = { text, model: indexModel(context.model), caller: context.caller };
  const scope = readScope(select.from, on);
  const outputs: Output[] = [];
  for (const column of select.columns) {
    outputs.push(...outputsOf(scope, column));
    if (outputs.length > limits.sqlColumns) {
      throw refusal(text, column.expr, `SELECT has more than ${limits.sqlColumns} columns`);
    }
  }
  const groups = select.groupBy.map((item) => groupOf(scope, item, outputs));
  const having = conditionsOf(scope, select.having, measureIn);
  const isGrouped =
    hasGroups || select.isDistinct || outputs.some(({ value }) => value.isAggregate);
  const values = outputs.map(({ value }) => value);
  const keys = select.isDistinct ? values : groups;
  if (isGrouped) requireGrouped(scope, outputs, keys);
  const sorted = select.orderBy.map((item) => sortKey(scope, item, outputs));
  const used = [...values, ...keys, ...sorted.map(({ value }) => value)];
  const inQuery = new Set([...values, ...keys].map(({ key }) => key));
  for (const { value, item } of sorted) {
    // A measure can be computed for the order alone; another dimension would change the groups.
    if (inQuery.has(value.key) || (isGrouped && value.isAggregate)) continue;
    throw refusal(text, item, "ORDER BY takes columns of the result");
  }
  const { filters, segments } = rowConditions(scope, select.where);
  const unique = (kind: (value: Value) => boolean, of: readonly Value[]) => [
    ...new Map(of.filter(kind).map((value) => [value.key, value])).values(),
  ];
  const names = (list: readonly Value[]) => list.map(({ member }) => member.name);
  const isMeasure = ({ member }: Value) => member.kind === "measure";
  const times = unique(({ granularity }) => granularity !== undefined, used);
  const measures = names(unique(isMeasure, used));
  const isPlain = (value: Value) => !isMeasure(value) && value.granularity === undefined;
  const dimensions = names(unique(isPlain, used));
  const ranged = withDateRanges(
    times.map(({ member, granularity = "" }) => ({ dimension: member.name, granularity })),
    filters,
    { timezone: context.timezone, isTime: (name) => isTime(scope, name) },
  );
  const query = {
    measures,
    dimensions,
    segments,
    ...ranged,
    order: sorted.map(({ value, isDescending }) => [value.key, isDescending ? "desc" : "asc"]),
    timezone: context.timezone,
    limit: select.limit ?? context.rowsMax,
    ...(select.offset !== undefined && { offset: select.offset }),
    ...(!isGrouped && { ungrouped: true }),
    ...(scope.joins.length > 0 && { joinHints: scope.joins.map((pair) => [...pair]) }),
  };
  requireUsed(scope);
  return {
    query: { ...query, filters: [...query.filters, ...having] },
    columns: outputs.map(({ name, value }) => ({
      name,
      key: value.key,
      type: typeOf(scope, value),
    })),
    joins: scope.joins,
    root: scope.tables[0]?.subject,
    isLimited: select.limit !== undefined,
  };
}

/** Returns the columns that an item of SELECT adds: one, or all dimensions that the caller may query. */
function outputsOf(scope: Scope, { expr, alias }: SelectedColumn): readonly Output[] {
  if (expr.type === "all") {
    const members = tablesOf(scope, expr).flatMap(({ subject }) =>
      shownMembers(scope.model, subject, scope.caller),
    );
    return members
      .filter(({ kind }) => kind === "dimension")
      .map((member) => ({
        item: expr,
        name: member.ownName,
        value: { ...columnOf(scope, member), key: member.name, isAggregate: false },
      }));
  }
  const value = valueOf(scope, expr);
  const plain = expr.type === "call" ? expr.name : value.member.ownName;
  return [{ name: alias ?? plain, value, item: expr }];
}

const unsupported =
  "the expression is not supported; write a dimension, date_trunc('month', time), or MEASURE(measure)";

function valueOf(scope: Scope, expression: Expr): Value {
  if (expression.type === "name") {
    const column = requireColumn(scope, expression);
    if (column.member.kind !== "segment") {
      return { ...column, key: column.member.name, isAggregate: false };
    }
    const message = `${column.member.name} is a segment, which is a condition: WHERE ${expression.name}`;
    throw refusal(scope.text, expression, message);
  }
  if (expression.type !== "call") throw refusal(scope.text, expression, unsupported);
  if (expression.name === "date_trunc") return truncated(scope, expression);
  const measure = measureIn(scope, expression);
  if (measure) return { ...measure, key: measure.member.name, isAggregate: true };
  throw refusal(scope.text, expression, unsupported);
}

function truncated(scope: Scope, call: CallExpr): Value {
  const [unit, time, other] = call.args;
  if (unit?.type !== "text" || time?.type !== "name" || other || call.isDistinct) {
    throw refusal(
      scope.text,
      call,
      "date_trunc takes a unit and a dimension: date_trunc('month', time)",
    );
  }
  const column = requireColumn(scope, time);
  const { name, kind } = column.member;
  if (kind !== "dimension" || column.type !== "time") {
    throw refusal(scope.text, time, `${name} is not a dimension of type time`);
  }
  const lower = unit.value.toLowerCase();
  const granularity = isCalendarUnit(lower) ? lower : unit.value;
  return { ...column, granularity, key: `${name}.${granularity}`, isAggregate: false };
}

/** The types of measures that each function may aggregate again, besides `number`. */
const functionTypes: ReadonlyMap<string, readonly string[]> = new Map([
  ["sum", ["sum"]],
  ["avg", ["avg"]],
  ["min", ["min", "time"]],
  ["max", ["max", "time"]],
  ["count", ["count"]],
  ["count distinct", ["count_distinct", "count_distinct_approx"]],
]);

/** Returns the measure that a call names; undefined for a call of another function. */
function measureIn(scope: Scope, call: Expr): Column | undefined {
  if (call.type !== "call") return undefined;
  const name = call.name + (call.isDistinct ? " distinct" : "");
  const types = functionTypes.get(name);
  if (types === undefined && name !== "measure") return undefined;
  const [argument, other] = call.args;
  if ((argument?.type !== "name" && argument?.type !== "all") || other) {
    throw refusal(scope.text, call, `${name} takes the name of one measure`);
  }
  if (argument.type === "all") return rowCountMeasure(scope, call, name);
  const column = requireColumn(scope, argument);
  const { member } = column;
  if (member.kind !== "measure") {
    const message = `${member.name} is a ${member.kind}; functions aggregate measures, so declare a measure of it in the data model`;
    throw refusal(scope.text, argument, message);
  }
  const { type } = measureOf(scope.model, member);
  if (types === undefined || type === "number" || types.includes(type)) return column;
  const message = `Measure aggregation type doesn't match: ${member.name} is of type ${type}; write MEASURE(${argument.name})`;
  throw refusal(scope.text, call, message);
}

/** Returns the measure that counts the rows of the only cube. */
function rowCountMeasure(scope: Scope, call: CallExpr, name: string): Column {
  const [table, other] = scope.tables;
  const cube = scope.model.cubes.get(table?.subject ?? "");
  const members = cube && !other ? shownMembers(scope.model, cube.cube.name, scope.caller) : [];
  const count = members.find(({ kind, member }) => {
    const { type, sql, filters, rollingWindow, stage } = cube?.measures.get(member) ?? {};
    const isOfRows = type === "count" && !sql && filters?.length === 0;
    return kind === "measure" && isOfRows && rollingWindow === undefined && stage === undefined;
  });
  if (count && name === "count") return columnOf(scope, count);
  const message = `${name}(*) needs a single cube with a visible measure that counts its rows; write MEASURE(measure)`;
  throw refusal(scope.text, call, message);
}

/** Returns the value that a number or a name in ORDER BY or GROUP BY stands for; undefined for another expression. */
function byPosition(scope: Scope, item: Expr, outputs: readonly Output[]): Value | undefined {
  if (item.type !== "number") return undefined;
  const output = outputs[Number(item.value) - 1];
  if (output) return output.value;
  throw refusal(scope.text, item, `SELECT has no column ${item.value}`);
}

function byAlias(scope: Scope, item: NameExpr, outputs: readonly Output[]): Value | undefined {
  if (item.table) return undefined;
  const named = outputs.filter(({ name }) => name === item.name);
  if (new Set(named.map(({ value }) => value.key)).size > 1) {
    throw refusal(
      scope.text,
      item,
      `SELECT has several columns ${item.name}; write its expression`,
    );
  }
  return named[0]?.value;
}

/** Returns what GROUP BY names: a column of the tables, otherwise of the result. */
function groupOf(scope: Scope, item: Expr, outputs: readonly Output[]): Value {
  const alias =
    item.type === "name" && !findColumn(scope, item) ? byAlias(scope, item, outputs) : undefined;
  const value = byPosition(scope, item, outputs) ?? alias ?? valueOf(scope, item);
  if (value.member.kind === "dimension") return value;
  throw refusal(
    scope.text,
    item,
    `${value.member.name} is a measure, and GROUP BY takes dimensions`,
  );
}

interface SortKey {
  readonly item: Expr;
  readonly value: Value;
  readonly isDescending: boolean;
}

/** Returns what ORDER BY names: a column of the result, otherwise of the tables. */
function sortKey(
  scope: Scope,
  { by, isDescending }: OrderItem,
  outputs: readonly Output[],
): SortKey {
  const alias = by.type === "name" ? byAlias(scope, by, outputs) : undefined;
  const value = byPosition(scope, by, outputs) ?? alias ?? valueOf(scope, by);
  return { item: by, value, isDescending };
}

/** Throws `invalid` for a column that has several values in a group. */
function requireGrouped(scope: Scope, outputs: readonly Output[], keys: readonly Value[]): void {
  const grouped = new Set(keys.map(({ key }) => key));
  for (const { value, item } of outputs) {
    const { member, isAggregate, key } = value;
    if (isAggregate || (grouped.has(key) && member.kind === "dimension")) continue;
    const name = member.ownName;
    const remedy =
      member.kind === "measure"
        ? `write MEASURE(${name})`
        : `add ${name} to GROUP BY as it is in SELECT`;
    const message = `Projection references non-aggregate values: ${remedy}`;
    throw refusal(scope.text, item, message);
  }
}

type ColumnReader = (scope: Scope, expression: Expr) => Column | undefined;

function conditionsOf(
  scope: Scope,
  expression: Expr | undefined,
  read: ColumnReader,
): readonly JsonObject[] {
  const clause = { text: scope.text, columnOf: (operand: Expr) => read(scope, operand) };
  return expression ? conjuncts(expression).map((one) => filterOf(clause, one)) : [];
}

/** Returns the conditions of WHERE. A segment is one of them, or is joined to others with AND. */
function rowConditions(
  scope: Scope,
  where: Expr | undefined,
): { readonly filters: readonly JsonObject[]; readonly segments: readonly string[] } {
  const filters: JsonObject[] = [];
  const segments: string[] = [];
  for (const condition of where ? conjuncts(where) : []) {
    const segment = segmentIn(scope, condition);
    if (segment === undefined) filters.push(...conditionsOf(scope, condition, dimensionIn));
    else segments.push(segment);
  }
  return { filters, segments };
}

function segmentIn(scope: Scope, condition: Expr): string | undefined {
  if (condition.type === "is") {
    return condition.value === true ? segmentIn(scope, condition.operand) : undefined;
  }
  if (condition.type === "compare" && condition.op === "=") {
    const [value, other] = condition.values;
    const isTrue = value?.type === "constant" && value.value === true && !other;
    return isTrue ? segmentIn(scope, condition.operand) : undefined;
  }
  if (condition.type !== "name") return undefined;
  const { kind, name } = findColumn(scope, condition)?.member ?? {};
  return kind === "segment" ? name : undefined;
}

function dimensionIn(scope: Scope, expression: Expr): Column | undefined {
  if (expression.type !== "name") return undefined;
  const column = requireColumn(scope, expression);
  const { kind, name } = column.member;
  if (kind === "dimension") return column;
  const message =
    kind === "measure"
      ? `${name} is a measure; write HAVING MEASURE(${expression.name}) …`
      : `${name} is a segment, which only AND can join to other conditions`;
  throw refusal(scope.text, expression, message);
}

/** Throws `invalid` for a cube that the query would not join, because none of its members is used. */
function requireUsed({ tables, used }: Scope): void {
  const unused = tables.find(({ subject }) => !used.has(subject));
  if (tables.length < 2 || unused === undefined) return;
  const message = `the query uses no member of ${unused.subject}; remove it from FROM`;
  throw new Failure("invalid", message);
}

function isTime(scope: Scope, name: string): boolean {
  return columnOf(scope, resolveMember(scope.model, name, ["dimension"])).type === "time";
}

function typeOf({ model }: Scope, { member, type }: Value): SqlColumn["type"] {
  if (type === "boolean") return "Boolean";
  if (type === "time") return "Timestamp";
  if (type !== "number") return "String";
  const isCount = member.kind === "measure" && measureOf(model, member).type.startsWith("count");
  return isCount ? "Int64" : "Double";
}

/** Throws `invalid` if the joins of a plan keep the rows of other cubes than the statement's LEFT JOIN. */
export function requireJoined({ joins, root }: SqlQuery, tree: JoinTree): void {
  for (const [from, to] of joins) {
    const isEdge = tree.edges.some((edge) => edge.from === from && edge.join.cube === to);
    if (isEdge && tree.root === root) continue;
    const name = root === from ? from : `${root} over ${from}`;
    throw new Failure("invalid", `the data model does not join ${name} to ${to} in this direction`);
  }
}

/** Throws `limit_reached` for a result that a statement without LIMIT does not limit, and that may have more rows. */
export function requireComplete(
  { isLimited }: Pick<SqlQuery, "isLimited">,
  rows: number,
  most: number,
): void {
  if (isLimited || rows < most) return;
  throw new Failure(
    "limit_reached",
    `the result has ${most} rows or more, and a query returns at most ${most}; add conditions, or ORDER BY with LIMIT and OFFSET`,
  );
}
