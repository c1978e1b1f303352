// Chooses the columns of a table and sorts its rows.
import { Failure } from "../../../core/errors.ts";
import { choicesRemedy } from "../../../core/text/naming.ts";

/** Columns by title, each with a function that takes its value from a row. */
export type TableColumns = ReadonlyMap<string, (row: never) => unknown>;

/** Rows, the columns that are printed, and more that can be named. */
export interface Table {
  readonly columns: TableColumns;
  readonly more?: TableColumns;
  readonly rows: readonly unknown[];
}

/** Titles and values to print. */
export interface Cells {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** The columns and rows of a table to print. */
export interface Selection {
  /** Names of columns (default: the columns of the table). */
  readonly columns?: readonly string[] | undefined;
  /** Name of the column to sort by, after `-` for descending. */
  readonly sort?: string | undefined;
}

type Column = readonly [title: string, value: (row: unknown) => unknown];

/** Returns the cells of a selection. Fails with `usage` for a column that the table does not have. */
export function selectCells(table: Table, { columns, sort }: Selection): Cells {
  const chosen = columns?.map((name) => columnOf(table, name)) ?? columnsOf(table.columns);
  const rows = sort === undefined ? table.rows : sortedRows(table, sort);
  return {
    titles: chosen.map(([title]) => title),
    rows: rows.map((row) => chosen.map(([, value]) => value(row))),
  };
}

function columnsOf(columns: TableColumns): readonly Column[] {
  return [...columns] as readonly unknown[] as readonly Column[];
}

/** Finds a column by its title, or by its title without case and punctuation. */
function columnOf({ columns, more = new Map() }: Table, name: string): Column {
  const all = columnsOf(new Map([...columns, ...more, ...columns]));
  const found =
    all.find(([title]) => title === name) ??
    all.find(([title]) => plainName(title) === plainName(name));
  if (found !== undefined) return found;
  const titles = all.map(([title]) => title);
  throw new Failure("usage", `the table has no column ${JSON.stringify(name)}`, {
    remedy: choicesRemedy(name, titles),
  });
}

function plainName(name: string): string {
  return name.replace(/[\s_-]+/gu, "").toLowerCase();
}

const collator = new Intl.Collator("en", { numeric: true });

/** Sorts rows: numbers by value, the rest as text in which digits are numbers. Empty values come last. */
function sortedRows(table: Table, sort: string): readonly unknown[] {
  const isDescending = sort.startsWith("-");
  const [, valueOf] = columnOf(table, isDescending ? sort.slice(1) : sort);
  const keyed = table.rows.map((row) => ({ row, key: sortKey(valueOf(row)) }));
  const [present, empty] = [
    keyed.filter(({ key }) => key !== ""),
    keyed.filter(({ key }) => key === ""),
  ];
  present.sort((one, other) => (isDescending ? -1 : 1) * compareKeys(one.key, other.key));
  return [...present, ...empty].map(({ row }) => row);
}

function sortKey(value: unknown): number | string {
  if (typeof value === "number") return value;
  return plainText(value);
}

function compareKeys(one: number | string, other: number | string): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return collator.compare(String(one), String(other));
}

/** Returns a value as text. Lists are separated by commas. */
export function plainText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(plainText).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
