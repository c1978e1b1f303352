// Formats answers for a terminal: lists as tables, single objects as JSON or as a table of their members.
import { membersOf } from "../../core/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { nonNull, typesOf } from "../../core/schema.ts";
import { alignColumns } from "../../core/align-columns.ts";
import { escapeInvisible } from "../../core/escape-text.ts";
import { jsonText } from "../../reconciler/report/json-text.ts";
import { cellText } from "../shared/table-output.ts";
import type { Columns, OperationCommand } from "./command.ts";

/** Columns of a table whose command names none. */
const columnsMax = 6;

/** Returns an answer as text. */
export function answerText(command: OperationCommand, answer: JsonValue, isTable: boolean): string {
  if (!isTable) return jsonText(answer);
  const rows = rowsOf(command, answer);
  if (rows === undefined) return isObject(answer) ? memberTable(answer) : jsonText(answer);
  const columns = Object.entries(command.columns ?? defaultColumns(command));
  const cells = rows.map((row) =>
    columns.map(([, column]) => cellText(typeof column === "string" ? row[column] : column(row))),
  );
  return alignColumns([columns.map(([title]) => title), ...cells]).join("\n");
}

function rowsOf(
  { operation, rows, columns }: OperationCommand,
  answer: JsonValue,
): readonly Readonly<Record<string, unknown>>[] | undefined {
  if (rows !== undefined) return rows(answer as never) as readonly JsonObject[];
  if (operation.list === undefined) {
    return columns !== undefined && isObject(answer) ? [answer] : undefined;
  }
  const items = isObject(answer) ? answer["items"] : answer;
  return (items as readonly JsonValue[]).filter(isObject);
}

function memberTable(answer: JsonObject): string {
  const rows = Object.entries(answer).map(([name, value]) => [
    escapeInvisible(name),
    cellText(value),
  ]);
  return alignColumns([["FIELD", "VALUE"], ...rows]).join("\n");
}

/** Returns the first members of an item that are not objects. */
function defaultColumns({
  operation,
}: OperationCommand): Columns<Readonly<Record<string, unknown>>> {
  const schema = operation.answer.schema;
  const members = schema === undefined ? [] : membersOf(schema);
  const simple = members.filter(({ schema: member }) =>
    nonNull(member).every(
      (one) => !typesOf(one).some((type) => ["object", "array"].includes(type)),
    ),
  );
  return Object.fromEntries(
    simple.slice(0, columnsMax).map(({ name }) => [titleOf(name), name] as const),
  );
}

/** `createdAt` -> `CREATED AT`. */
function titleOf(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/gu, "$1 $2").toUpperCase();
}
