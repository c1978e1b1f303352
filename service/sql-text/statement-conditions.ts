// Conditions of WHERE and HAVING as filters of a query. Filters that would keep NULL, or ignore case where SQL does
// not, are combined or refused, so that the rows are those of SQL.
import type { JsonObject } from "../../core/json.ts";
import type { FilterOperator } from "../query/query-schema.ts";
import type { CompareExpr, Expr, IsExpr, LikeExpr } from "./parse-statement.ts";
import type { Column } from "./statement-scope.ts";
import { refusal } from "./tokens.ts";

/** How a clause reads its conditions. */
export interface Clause {
  readonly text: string;
  /** Returns the dimension or measure that an expression stands for; undefined for another expression. */
  readonly columnOf: (expression: Expr) => Column | undefined;
}

/** Returns the conditions that AND joins. */
export function conjuncts(expression: Expr): readonly Expr[] {
  return expression.type === "and" ? expression.operands.flatMap(conjuncts) : [expression];
}

/** Returns a condition as a filter; a negated one is true where SQL's NOT of it is. */
export function filterOf(clause: Clause, expression: Expr, isNegated = false): JsonObject {
  if (expression.type === "and" || expression.type === "or") {
    const inner = expression.operands.map((operand) => filterOf(clause, operand, isNegated));
    return (expression.type === "and") === isNegated ? { or: inner } : { and: inner };
  }
  if (expression.type === "not") return filterOf(clause, expression.operand, !isNegated);
  if (expression.type === "compare") return comparison(clause, expression, isNegated);
  if (expression.type === "like") return likeness(clause, expression, isNegated);
  if (expression.type === "is") return test(clause, expression, isNegated);
  const column = clause.columnOf(expression);
  if (column?.type === "boolean") return filter(column, "equals", [String(!isNegated)]);
  throw refusal(clause.text, expression, unsupported);
}

const unsupported =
  "the condition is not supported; compare a dimension in WHERE, or a measure in HAVING, with values: =, <>, <, >, IN, BETWEEN, LIKE, ILIKE, IS NULL, IS TRUE, AND, OR, NOT";

function filter({ member }: Column, operator: FilterOperator, values?: (string | null)[]) {
  return { member: member.name, operator, ...(values && { values }) };
}

/** Returns a test, which is true or false, but never NULL. */
function test(clause: Clause, expression: IsExpr, isNegated: boolean): JsonObject {
  const column = clause.columnOf(expression.operand);
  if (column === undefined) throw refusal(clause.text, expression, unsupported);
  if (expression.value === null) return filter(column, isNegated ? "set" : "notSet");
  if (column.type !== "boolean") {
    throw refusal(clause.text, expression, `${column.member.name} is not a boolean`);
  }
  return filter(column, isNegated ? "notEquals" : "equals", [String(expression.value)]);
}

/** The operators of comparisons, and those of their negations. */
const operators: Readonly<
  Record<CompareExpr["op"], readonly [op: FilterOperator, negation: FilterOperator]>
> = {
  "=": ["equals", "notEquals"],
  "<": ["lt", "gte"],
  "<=": ["lte", "gt"],
  ">": ["gt", "lte"],
  ">=": ["gte", "lt"],
};
const flipped = { "=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<=" } as const;

function comparison(
  clause: Clause,
  { op, operand, values }: CompareExpr,
  isNegated: boolean,
): JsonObject {
  const [value, other] = values;
  const column = clause.columnOf(operand);
  if (column === undefined) {
    const swapped = value && !other ? clause.columnOf(value) : undefined;
    if (swapped === undefined) throw refusal(clause.text, operand, unsupported);
    return compared(clause, swapped, { op: flipped[op], values: [operand], isNegated });
  }
  return compared(clause, column, { op, values, isNegated });
}

function compared(
  clause: Clause,
  column: Column,
  on: Pick<CompareExpr, "op" | "values"> & { readonly isNegated: boolean },
): JsonObject {
  const operator = operators[on.op][on.isNegated ? 1 : 0];
  const texts = on.values.map((value) => literal(clause, column, value));
  // With null among its values, the filter does not match NULL.
  return filter(column, operator, operator === "notEquals" ? [...texts, null] : texts);
}

const timePattern = /^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?$/;

/** Returns the text of a value. Throws `invalid` for another type than that of its member, for NULL, and for expressions. */
function literal({ text }: Clause, { member, type }: Column, value: Expr): string {
  const refuse = (what: string) =>
    refusal(text, value, `${member.name} is compared with ${what} here`);
  const constant = value.type === "constant" ? value.value : undefined;
  if (constant === null) throw refuse("values only; NULL equals nothing, so use IS NULL");
  if (type === "number") {
    if (value.type === "number") return value.value;
    throw refuse("a number such as 10.5 only");
  }
  if (type === "boolean") {
    if (constant !== undefined) return String(constant);
    throw refuse("TRUE or FALSE only");
  }
  if (type !== "time") {
    if (value.type === "text") return value.value;
    throw refuse("text in single quotes only");
  }
  const [written, to] = value.type === "cast" ? [value.operand, value.to] : [value, "timestamp"];
  if (written.type === "text" && timePattern.test(written.value)) {
    if (to === "timestamp" || (to === "date" && written.value.length === 10)) return written.value;
  }
  throw refuse("a time such as '2026-01-31' or '2026-01-31 10:30:00.000' only");
}

function likeness(clause: Clause, expression: LikeExpr, isNot: boolean): JsonObject {
  const { ignoresCase, operand, pattern } = expression;
  const column = clause.columnOf(operand);
  const refuse = (message: string) => refusal(clause.text, expression, message);
  if (column === undefined) throw refuse(unsupported);
  if (["number", "boolean", "time"].includes(column.type)) {
    throw refuse(`${column.member.name} is a ${column.type}, and only text has a pattern`);
  }
  if (pattern.type !== "text") throw refuse("a pattern is text in single quotes");
  const [, start, escaped = "", end] =
    /^(%*)(?!%)((?:\\[^]|[^\\%_])*?)(%*)$/.exec(pattern.value) ?? [];
  if (start === undefined || end === undefined) {
    throw refuse("a pattern has text, and % at its start, at its end or both");
  }
  const text = escaped.replaceAll(/\\([^])/g, "$1");
  const hasCase = text.toLowerCase() !== text.toUpperCase();
  if (start === "" && end === "") {
    if (ignoresCase && hasCase) throw refuse("write ILIKE with %, or = for the whole text");
    return filter(column, isNot ? "notEquals" : "equals", isNot ? [text, null] : [text]);
  }
  if (hasCase && !ignoresCase) {
    throw refuse(
      "LIKE with letters and % is not supported, because patterns ignore case; write ILIKE",
    );
  }
  // Every text matches: NOT of it is true for none.
  if (text === "") {
    const isSet = filter(column, "set");
    return isNot ? { and: [isSet, filter(column, "notSet")] } : isSet;
  }
  const name = start === "" ? "StartsWith" : end === "" ? "EndsWith" : "Contains";
  const operator = isNot ? `not${name}` : `${name[0]?.toLowerCase()}${name.slice(1)}`;
  return filter(column, operator as FilterOperator, isNot ? [text, null] : [text]);
}
