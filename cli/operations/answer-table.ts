// Converts answers to tables: lists with the columns of their command, single objects as their members.
import { membersOf } from "../../core/kind/fields.ts";
import { hideSecrets } from "../../core/spec/hide-secrets.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { nonNull, typesOf } from "../../core/schema/schema.ts";
import type { TableColumns } from "../shared/output/table.ts";
import type { TableResult } from "../shared/output/table-output.ts";
import { isScimList, type OperationCommand } from "./command.ts";

/** Columns of a table whose command names none. */
const columnsMax = 6;

type Row = Readonly<Record<string, unknown>>;

/** Returns an answer as it is printed: a secret is shown by the command that creates it, and by no command that reads. */
export function shownAnswer({ operation }: OperationCommand, answer: JsonValue): JsonValue {
  const { schema } = operation.answer;
  if (operation.effect !== "read" || schema === undefined) return answer;
  if (operation.list === undefined) return hideSecrets(schema, answer);
  // The schema of a list describes one item. A page repeats its items in deprecated members.
  const hideItems = (value: JsonValue): JsonValue =>
    Array.isArray(value)
      ? (value as readonly JsonValue[]).map((one) => hideSecrets(schema, one))
      : value;
  if (!isObject(answer)) return hideItems(answer);
  const members = Object.entries(answer).map(([name, value]) => [name, hideItems(value ?? null)]);
  return Object.fromEntries(members) as JsonObject;
}

/** Returns an answer as a table. */
export function answerTable(command: OperationCommand, answer: JsonValue): TableResult {
  const rows = rowsOf(command, answer);
  if (rows === undefined) return memberTable(isObject(answer) ? answer : { result: answer });
  return { ...tableColumns(command), rows, json: answer };
}

/** Returns the titles of the columns that a table prints, and of the others that can be named. */
export function columnTitles(command: OperationCommand): readonly string[] {
  const { columns, more } = tableColumns(command);
  return [...new Set([...columns.keys(), ...more.keys()])];
}

function tableColumns(command: OperationCommand): { columns: TableColumns; more: TableColumns } {
  const members = membersOfAnswer(command);
  const columns =
    command.columns === undefined
      ? columnsOf(members.filter(({ isSimple }) => isSimple).slice(0, columnsMax))
      : new Map(
          Object.entries(command.columns).map(([title, column]) => [
            title,
            (row: Row) => (typeof column === "string" ? row[column] : column(row)),
          ]),
        );
  return { columns, more: columnsOf(members) };
}

function rowsOf(
  { operation, rows, columns }: OperationCommand,
  answer: JsonValue,
): readonly Row[] | undefined {
  if (rows !== undefined) return rows(answer as never) as readonly JsonObject[];
  if (isScimList(operation)) return itemsOf(answer, "Resources");
  if (operation.list === undefined) {
    return columns !== undefined && isObject(answer) ? [answer] : undefined;
  }
  return itemsOf(answer, "items");
}

function itemsOf(answer: JsonValue, member: string): readonly Row[] {
  const items = isObject(answer) ? (answer[member] ?? []) : answer;
  return (items as readonly JsonValue[]).filter(isObject);
}

function memberTable(answer: JsonObject): TableResult {
  return {
    columns: new Map([
      ["FIELD", ([name]: readonly [string, JsonValue]) => name],
      ["VALUE", ([, value]: readonly [string, JsonValue]) => value],
    ]),
    rows: Object.entries(answer),
    json: answer,
  };
}

interface AnswerMember {
  readonly name: string;
  /** Whether it is neither an object nor a list. */
  readonly isSimple: boolean;
}

function membersOfAnswer({ operation }: OperationCommand): readonly AnswerMember[] {
  const { schema } = operation.answer;
  return (schema === undefined ? [] : membersOf(schema)).map(({ name, schema: member }) => ({
    name,
    isSimple: nonNull(member).every(
      (one) => !typesOf(one).some((type) => ["object", "array"].includes(type)),
    ),
  }));
}

function columnsOf(members: readonly AnswerMember[]): TableColumns {
  return new Map(members.map(({ name }) => [titleOf(name), (row: Row) => row[name]]));
}

/** `createdAt` -> `CREATED AT`. */
function titleOf(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/gu, "$1 $2").toUpperCase();
}
