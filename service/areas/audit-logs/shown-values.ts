// The values of an audit entry: columns under the names of members, without secrets, and shortened.
import { isFailure } from "../../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { hiddenValue, hideValue } from "../../../core/spec/hide-secrets.ts";
import { openColumn } from "../../security/sealed-columns.ts";
import { fromJson } from "../../store/codec.ts";
import type { RecordedRow } from "../../store/record-rows.ts";
import type { Call } from "../shared/operation-handler.ts";
import { type AuditedTable, flagColumns, hiddenColumns, jsonColumns } from "./audited-tables.ts";

/** Names such as `tokenUrl` and `keyName` only describe a secret. Few may read a security context. */
const secretName =
  /(?:pass|secret|token|key|credential|authorization)(?!.*(?:url|name|at|type|prefix|seconds)$)|^session_?id$|^(?:code|state|security_?context)$/i;

/** A value, and a fingerprint by which a secret is compared. */
interface Column {
  readonly shown: JsonValue;
  readonly compared: JsonValue;
}

/** Values by the name of the member. */
export type Columns = ReadonlyMap<string, Column>;

/** A row of an object. */
export interface ObjectRow {
  readonly name: string;
  readonly table: AuditedTable;
  readonly row: RecordedRow;
}

/** Returns what the log shows of the rows of an object. Secrets are hidden, and have a fingerprint. */
export function shownColumns(call: Call, rows: readonly ObjectRow[]): Columns {
  const columns = new Map<string, Column>();
  for (const part of rows) {
    const { listed, member } = part.table.within ?? {};
    if (listed !== undefined) {
      const name = `${memberName(listed)}s`;
      const list = [...((columns.get(name)?.shown as JsonValue[] | undefined) ?? [])];
      list.push(part.row[listed] as JsonValue);
      columns.set(name, { shown: list, compared: list });
    } else if (member === undefined) {
      for (const [name, column] of columnsOf(call, part)) columns.set(name, column);
    } else {
      const inner = columnsOf(call, part).map(([name, { shown }]) => [name, shown]);
      const object = Object.fromEntries(inner) as JsonObject;
      columns.set(member(part.row), { shown: object, compared: object });
    }
  }
  return columns;
}

function columnsOf(call: Call, { name: table, table: { within, id }, row }: ObjectRow) {
  return Object.entries(row).flatMap(([column, value]): [string, Column][] => {
    const isId = within !== undefined && id.includes(column);
    if (value == null || isId || hiddenColumns.has(column)) return [];
    if (!/^sealed_|_hash$/u.test(column)) {
      return [[memberName(column), plainColumn(column, value)]];
    }
    const compared = fingerprint(call, { table, column, row });
    return [[memberName(column), { shown: hiddenValue, compared }]];
  });
}

function memberName(column: string): string {
  const name = column.replace(/^sealed_|_hash$/gu, "");
  return name.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());
}

function plainColumn(column: string, value: string | number): Column {
  const shown = flagColumns.has(column)
    ? value === 1
    : jsonColumns.has(column)
      ? fromJson(String(value))
      : value;
  return { shown, compared: shown };
}

/** Each write of a secret encrypts it differently. One that cannot be decrypted can be replaced and deleted. */
function fingerprint(
  { sealer, tokens }: Call,
  place: { readonly table: string; readonly column: string; readonly row: RecordedRow },
): string {
  const stored = String(place.row[place.column]);
  try {
    return tokens.shortHmac(openColumn(sealer, place) ?? stored);
  } catch (error) {
    if (isFailure(error, "corrupt")) return stored;
    throw error;
  }
}

/** Returns the named values without secrets, shortened to the limit of an entry. */
export function shownValues(columns: Columns, names: readonly string[]): JsonObject {
  const values = Object.fromEntries(names.map((name) => [name, columns.get(name)?.shown ?? null]));
  // An entry of a change has no name that stays the same.
  const label = columns.get("name")?.shown;
  const whole = shortened(values, limits, label) as JsonObject;
  if (JSON.stringify(whole).length <= limits.auditCharacters) return whole;
  const short = shortened(
    values,
    { auditTextCharacters: 100, auditItems: 20 },
    label,
  ) as JsonObject;
  if (JSON.stringify(short).length <= limits.auditCharacters) return short;
  return Object.fromEntries(names.slice(0, limits.auditItems).map((name) => [name, "…"]));
}

interface Bounds {
  readonly auditTextCharacters: number;
  readonly auditItems: number;
}

/** A secret-named `label` hides the values of an object; by default the label is its `name`. */
function shortened(value: JsonValue, bounds: Bounds, label?: JsonValue): JsonValue {
  if (typeof value === "string") return shortText(value, bounds.auditTextCharacters);
  if (Array.isArray(value)) {
    const items = value
      .slice(0, bounds.auditItems)
      .map((item: JsonValue) => shortened(item, bounds));
    const rest = value.length - items.length;
    return rest > 0 ? [...items, `… ${rest} more`] : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const named = label ?? value["name"];
  const isNamedSecret = typeof named === "string" && secretName.test(named);
  return Object.fromEntries(
    entries.flatMap(([name, member]) => {
      if (member === undefined) return [];
      const isSecret =
        secretName.test(name) || (isNamedSecret && /^(?:defaultV|v)alue$/u.test(name));
      return [[name, isSecret ? hideValue(member) : shortened(member, bounds)]];
    }),
  );
}

function shortText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… (${text.length} characters)`;
}
