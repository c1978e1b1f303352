// Conditions of WHERE and HAVING as filters of a query. Filters that would keep NULL, or ignore case where SQL does
// not, are combined or refused, so that the rows are those of SQL.
import type { Expr, ExprBinary, ExprUnary } from "pgsql-ast-parser";
import type { JsonObject } from "../../core/json.ts";
import type { FilterOperator } from "../query/query-schema.ts";
import { numberText, refusal } from "./parse-statement.ts";
import type { Column } from "./statement-scope.ts";

/** How a clause reads its conditions. */
export interface Clause {
  readonly text: string;
  /** Returns the dimension or measure that an expression stands for; undefined for another expression. */
  readonly columnOf: (expression: Expr) => Column | undefined;
}

/** Returns the conditions that AND joins. */
export function conjuncts(expression: Expr): readonly Expr[] {
  return operandsOf(expression, "AND");
}

function operandsOf(expression: Expr, op: "AND" | "OR"): readonly Expr[] {
  const isJoined = expression.type === "binary" && expression.op === op;
  return isJoined
    ? [...operandsOf(expression.left, op), ...operandsOf(expression.right, op)]
    : [expression];
}

/** Returns a condition as a filter; a negated one is true where SQL's NOT of it is. */
export function filterOf(clause: Clause, expression: Expr, isNegated = false): JsonObject {
  if (expression.type === "binary") {
    if (expression.op !== "AND" && expression.op !== "OR") {
      return comparison(clause, expression, isNegated);
    }
    const inner = operandsOf(expression, expression.op).map((operand) =>
      filterOf(clause, operand, isNegated),
    );
    return (expression.op === "AND") === isNegated ? { or: inner } : { and: inner };
  }
  if (expression.type === "unary") return unary(clause, expression, isNegated);
  if (expression.type === "ternary") {
    const value = (bound: Expr, operator: FilterOperator) =>
      leaf(clause, { operand: expression.value, operator, values: [bound] });
    return (expression.op === "NOT BETWEEN") === isNegated
      ? { and: [value(expression.lo, "gte"), value(expression.hi, "lte")] }
      : { or: [value(expression.lo, "lt"), value(expression.hi, "gt")] };
  }
  const column = clause.columnOf(expression);
  if (column?.type === "boolean") return filter(column, "equals", [String(!isNegated)]);
  throw refusal(clause.text, expression, unsupported);
}

const unsupported =
  "the condition is not supported; compare a dimension in WHERE, or a measure in HAVING, with values: =, <>, <, >, IN, BETWEEN, LIKE, ILIKE, IS NULL, IS TRUE, AND, OR, NOT";

function filter({ member }: Column, operator: FilterOperator, values?: (string | null)[]) {
  return { member: member.name, operator, ...(values && { values }) };
}

/** Conditions that are true or false, but never NULL. */
const tests: Readonly<Record<string, readonly [FilterOperator, string?]>> = {
  "IS NULL": ["notSet"],
  "IS NOT NULL": ["set"],
  "IS TRUE": ["equals", "true"],
  "IS NOT TRUE": ["notEquals", "true"],
  "IS FALSE": ["equals", "false"],
  "IS NOT FALSE": ["notEquals", "false"],
};
const opposites = {
  set: "notSet",
  notSet: "set",
  equals: "notEquals",
  notEquals: "equals",
} as const;

function unary(clause: Clause, expression: ExprUnary, isNegated: boolean): JsonObject {
  if (expression.op === "NOT") return filterOf(clause, expression.operand, !isNegated);
  const [operator, value] = tests[expression.op] ?? [];
  const column = clause.columnOf(expression.operand);
  if (operator === undefined || column === undefined) {
    throw refusal(clause.text, expression, unsupported);
  }
  if (value !== undefined && column.type !== "boolean") {
    throw refusal(clause.text, expression, `${column.member.name} is not a boolean`);
  }
  const tested = isNegated ? opposites[operator as keyof typeof opposites] : operator;
  return filter(column, tested, value === undefined ? undefined : [value]);
}

/** The operators of comparisons, and those of their negations. */
const operators: Readonly<Record<string, readonly [FilterOperator, FilterOperator]>> = {
  "=": ["equals", "notEquals"],
  "!=": ["notEquals", "equals"],
  "<": ["lt", "gte"],
  "<=": ["lte", "gt"],
  ">": ["gt", "lte"],
  ">=": ["gte", "lt"],
  IN: ["equals", "notEquals"],
  "NOT IN": ["notEquals", "equals"],
};
const flipped: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

function comparison(clause: Clause, expression: ExprBinary, isNegated: boolean): JsonObject {
  const { op, left, right } = expression;
  if (op.endsWith("LIKE")) return likeness(clause, expression, isNegated);
  const isSwapped = !op.endsWith("IN") && clause.columnOf(left) === undefined;
  const pair = operators[isSwapped ? (flipped[op] ?? op) : op];
  if (pair === undefined) throw refusal(clause.text, expression, unsupported);
  const [operand, value] = isSwapped ? [right, left] : [left, right];
  const values = op.endsWith("IN") && value.type === "list" ? value.expressions : [value];
  return leaf(clause, { operand, operator: pair[isNegated ? 1 : 0], values });
}

interface Leaf {
  readonly operand: Expr;
  readonly operator: FilterOperator;
  readonly values: readonly Expr[];
}

function leaf(clause: Clause, { operand, operator, values }: Leaf): JsonObject {
  const column = clause.columnOf(operand);
  if (column === undefined) throw refusal(clause.text, operand, unsupported);
  const texts = values.map((value) => literal(clause, column, value));
  // With null among its values, the filter does not match NULL.
  return filter(column, operator, operator === "notEquals" ? [...texts, null] : texts);
}

const timePattern = /^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?$/;

/** Returns the text of a value. Throws `invalid` for another type than that of its member, for NULL, and for expressions. */
function literal({ text }: Clause, { member, type }: Column, value: Expr): string {
  const refuse = (what: string) =>
    refusal(text, value, `${member.name} is compared with ${what} here`);
  if (value.type === "null") throw refuse("values only; NULL equals nothing, so use IS NULL");
  if (type === "number") {
    const written = numberText(text, value);
    if (written !== undefined) return written;
    throw refuse("a number such as 10.5 only");
  }
  if (type === "boolean") {
    if (value.type === "boolean") return String(value.value);
    throw refuse("TRUE or FALSE only");
  }
  if (type !== "time") {
    if (value.type === "string") return value.value;
    throw refuse("text in single quotes only");
  }
  const isTyped = value.type === "cast" && "name" in value.to && !value.to.config;
  const cast = isTyped && "name" in value.to ? value.to.name : undefined;
  const written = value.type === "cast" ? value.operand : value;
  const isDated = cast === undefined ? value.type === "string" : cast === "timestamp";
  if (written.type === "string" && timePattern.test(written.value)) {
    if (isDated || (cast === "date" && written.value.length === 10)) return written.value;
  }
  throw refuse("a time such as '2026-01-31' or '2026-01-31 10:30:00.000' only");
}

function likeness(clause: Clause, expression: ExprBinary, isNegated: boolean): JsonObject {
  const { op, left, right } = expression;
  const column = clause.columnOf(left);
  const refuse = (message: string) => refusal(clause.text, expression, message);
  if (column === undefined) throw refuse(unsupported);
  if (["number", "boolean", "time"].includes(column.type)) {
    throw refuse(`${column.member.name} is a ${column.type}, and only text has a pattern`);
  }
  if (right.type !== "string") throw refuse("a pattern is text in single quotes");
  const [, start, escaped = "", end] =
    /^(%*)(?!%)((?:\\[^]|[^\\%_])*?)(%*)$/.exec(right.value) ?? [];
  if (start === undefined || end === undefined) {
    throw refuse("a pattern has text, and % at its start, at its end or both");
  }
  const text = escaped.replaceAll(/\\([^])/g, "$1");
  const isNot = op.startsWith("NOT") !== isNegated;
  const hasCase = text.toLowerCase() !== text.toUpperCase();
  if (start === "" && end === "") {
    if (op.endsWith("ILIKE") && hasCase)
      throw refuse("write ILIKE with %, or = for the whole text");
    return filter(column, isNot ? "notEquals" : "equals", isNot ? [text, null] : [text]);
  }
  if (hasCase && !op.endsWith("ILIKE")) {
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
