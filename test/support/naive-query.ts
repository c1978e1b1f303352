// Evaluates filters, times and joins row by row, to check planned SQL. It shares no code with the planner.
import type { ResultRow, TestDatabase } from "./query-database.ts";

/** A value of a row. Times are milliseconds in UTC. */
export type Cell = string | number | null;
/** A row of a table. */
export type Row = Readonly<Record<string, Cell>>;
/** A filter of a query. */
export type NaiveFilter =
  | { readonly member: string; readonly operator: string; readonly values?: readonly Cell[] }
  | { readonly and: readonly NaiveFilter[] }
  | { readonly or: readonly NaiveFilter[] };

/** Returns whether a value matches a filter, by the documented meaning of the operators. */
export function matches(value: Cell, operator: string, values: readonly Cell[] = []): boolean {
  const others = values.filter((one) => one !== null);
  const hasNull = others.length < values.length;
  const isIn = value !== null && others.map(String).includes(String(value));
  const [first = 0] = others;
  switch (operator) {
    case "set":
      return value !== null;
    case "notSet":
      return value === null;
    case "equals":
    case "in":
      return isIn || (hasNull && value === null);
    case "notEquals":
    case "notIn":
      return value === null ? !hasNull : !isIn;
    case "gt":
      return value !== null && value > first;
    case "gte":
      return value !== null && value >= first;
    case "lt":
      return value !== null && value < first;
    case "lte":
      return value !== null && value <= first;
    default:
      return matchesText(value, operator, { others, hasNull });
  }
}

function matchesText(
  value: Cell,
  operator: string,
  { others, hasNull }: { readonly others: readonly Cell[]; readonly hasNull: boolean },
): boolean {
  const isNegative = operator.startsWith("not");
  if (value === null) return hasNull !== isNegative;
  const text = String(value).toLowerCase();
  const found = others.some((one) => {
    const part = String(one).toLowerCase();
    if (/startsWith/i.test(operator)) return text.startsWith(part);
    return /endsWith/i.test(operator) ? text.endsWith(part) : text.includes(part);
  });
  return found !== isNegative;
}

/** Returns whether a filter with its groups holds. A group without filters has no effect. */
export function holds(
  filter: NaiveFilter,
  leaf: (member: string, operator: string, values: readonly Cell[]) => boolean,
): boolean {
  return outcome(filter, leaf) ?? true;
}

function outcome(filter: NaiveFilter, leaf: Parameters<typeof holds>[1]): boolean | undefined {
  if ("member" in filter) return leaf(filter.member, filter.operator, filter.values ?? []);
  const all = ("and" in filter ? filter.and : filter.or).map((one) => outcome(one, leaf));
  const known = all.filter((one) => one !== undefined);
  if (known.length === 0) return undefined;
  return "and" in filter ? !known.includes(false) : known.includes(true);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the calendar time in a zone, as UTC milliseconds. */
export function localTime(instant: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("sv-SE", {
      timeZone,
      dateStyle: "short",
      timeStyle: "medium",
    });
    formats.set(timeZone, format);
  }
  const text = format.format(instant).replace(" ", "T");
  return Date.parse(`${text}Z`) + (((instant % 1000) + 1000) % 1000);
}

/** Returns the day of a time as `2026-01-31`. */
export function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Adds months. A day that the month does not have becomes its last day. */
export function addMonths(time: number, count: number): number {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}

const hour = 3_600_000;
const day = 24 * hour;

/** Returns the start of the interval of a granularity that contains a calendar time. */
export function truncated(time: number, granularity: string): number {
  const text = new Date(time).toISOString();
  const lengths: Readonly<Record<string, number>> = {
    second: 19,
    minute: 16,
    hour: 13,
    day: 10,
    month: 7,
    year: 4,
  };
  const length = lengths[granularity];
  if (length !== undefined) {
    return Date.parse(`${text.slice(0, length)}${"0000-01-01T00:00:00.000".slice(length)}Z`);
  }
  if (granularity === "quarter") {
    const month = Math.floor(new Date(time).getUTCMonth() / 3) * 3;
    return Date.UTC(new Date(time).getUTCFullYear(), month);
  }
  const midnight = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  return midnight - ((new Date(time).getUTCDay() + 6) % 7) * day;
}

/** Returns the start of the interval that contains a time. A function numbers the intervals from an origin. */
export function truncatedFrom(time: number, startOf: (index: number) => number): number {
  let index = 0;
  while (startOf(index) > time) index--;
  while (startOf(index + 1) <= time) index++;
  return startOf(index);
}

/**
 * Returns rows in a fixed order, with rounded numbers, because sums of doubles depend on their order, and with times as
 * milliseconds.
 */
export function comparable(rows: readonly ResultRow[]): readonly string[] {
  return rows
    .map((row) =>
      JSON.stringify(
        Object.keys(row)
          .toSorted()
          .map((key) => [key, comparableCell(row[key])]),
      ),
    )
    .toSorted();
}

/** Returns a cell as {@link comparable} does. */
export function comparableCell(cell: unknown): unknown {
  if (typeof cell === "number") return Math.round(cell * 1e6) + 0;
  if (typeof cell === "string" && /^\d{4}-\d\d-\d\d[ T]/.test(cell)) {
    return Math.round(Date.parse(`${cell.replace(" ", "T")}Z`) * 1e6);
  }
  return cell;
}

function literal(cell: Cell, type: string): string {
  if (cell === null) return "NULL";
  if (type === "TIMESTAMP")
    return `TIMESTAMP '${new Date(Number(cell)).toISOString().slice(0, -1)}'`;
  return typeof cell === "string" ? `'${cell}'` : String(cell);
}

/** Replaces tables. `columns` names their types. */
export async function fillTables(
  { execute }: TestDatabase,
  tables: Readonly<Record<string, readonly Row[]>>,
  columns: Readonly<Record<string, string>>,
): Promise<void> {
  const types = Object.entries(columns);
  const declared = types.map(([name, type]) => `${name} ${type}`).join(", ");
  for (const [name, rows] of Object.entries(tables)) {
    const values = rows.map(
      (row) => `(${types.map(([column, type]) => literal(row[column] ?? null, type)).join(", ")})`,
    );
    const insert = values.length === 0 ? "" : `INSERT INTO ${name} VALUES ${values.join(", ")};`;
    await execute(`DROP TABLE IF EXISTS ${name}; CREATE TABLE ${name} (${declared}); ${insert}`);
  }
}

/** Cubes in a line, each the child of one other, and their rows. */
export interface CubeLine<C extends string> {
  readonly cubes: readonly C[];
  readonly parentOf: Readonly<Partial<Record<C, C>>>;
  /** The rows of a cube that may be read. `parent` names the `id` of a row of the parent. */
  readonly rowsOf: (cube: C) => readonly Row[];
}

/** A row of each joined cube; undefined if there is none. */
export type Joined<C extends string> = Readonly<Partial<Record<C, Row | undefined>>>;

/** Joins cubes from the root outwards, row by row. */
export function joinRows<C extends string>(
  { cubes, parentOf, rowsOf }: CubeLine<C>,
  root: C,
  used: ReadonlySet<string>,
): readonly Joined<C>[] {
  let joined: Joined<C>[] = rowsOf(root).map((row) => ({ [root]: row }) as Joined<C>);
  const placed = new Set<C>([root]);
  const isNext = (one: C, other: C) => parentOf[one] === other || parentOf[other] === one;
  while (placed.size < used.size) {
    const next = cubes.find(
      (cube) => used.has(cube) && !placed.has(cube) && [...placed].some((one) => isNext(cube, one)),
    );
    const from = next && [...placed].find((one) => isNext(next, one));
    if (next === undefined || from === undefined) throw new Error("the cubes are not connected");
    const rows = rowsOf(next);
    joined = joined.flatMap((row) => {
      const partner = row[from];
      const isPartner = (one: Row) =>
        partner !== undefined &&
        (parentOf[next] === from ? one.parent === partner.id : partner.parent === one.id);
      const found = rows.filter(isPartner);
      return found.length === 0 ? [row] : found.map((one) => ({ ...row, [next]: one }));
    });
    placed.add(next);
  }
  return joined;
}
