// Tables: alignment, order, totals, conditional formats and links.
import type { ColumnConfig, ChartConfig, ConditionConfig } from "../config/config.ts";
import {
  isAdditive,
  linkedValues,
  neededPlace,
  type Place,
  placeOf,
  placesOf,
} from "../data/columns.ts";
import { compareRows, compareTexts, sortsOf } from "../data/order.ts";
import { formatValue, numberOf, sumExactly } from "../formats/format-value.ts";
import { webAddress } from "../formats/web-address.ts";
import type {
  CellLink,
  ChartModel,
  ChartSpace,
  ChartValue,
  ResultTable,
  TableCell,
  TableModel,
  TableRow,
} from "../model/model.ts";
import { note, textIn } from "../model/notes.ts";
import { colorAt, readableOn, surfaceColors } from "../scales/colors.ts";
import { extent } from "../scales/ticks.ts";

interface TablePlace extends Place {
  readonly config: Partial<ColumnConfig>;
}

type Row = readonly ChartValue[];

/** Returns the table of a result. */
export function describeTable(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): Extract<ChartModel, { kind: "table" | "pivot" }> {
  return { kind: "table", table: tableOf(result, config, space), notes: cutNotes(result) };
}

/** Returns the note of a result that has more rows. */
export function cutNotes({ isCut, rows }: ResultTable) {
  return isCut ? [note("chart.moreRows", { shown: rows.length })] : [];
}

/** Returns the values of a result as a table. */
export function tableOf(result: ResultTable, config: ChartConfig, space: ChartSpace): TableModel {
  const places = placesOf(result, config);
  const columns = columnsOf(places, config);
  const sorts = sortsOf(places, config);
  const order = result.rows.map((row, index) => ({ row, index }));
  order.sort((a, b) => compareRows(a.row, b.row, sorts));
  const write = cellWriters(result, { places, columns, config, space });
  const rows = order.map(({ row, index }): TableRow => ({
    cells: write.map((cell) => cell(row, index)),
    row: index,
  }));
  const totals = config.totals ? totalsOf(result, { columns, space }) : undefined;
  return {
    columns: columns.map(({ column, config: { title, align, wrap }, index }) => {
      const sorted = sorts.find((one) => one.index === index)?.direction;
      return {
        title: title ?? column.title,
        align: align ?? (column.type === "number" ? "right" : "left"),
        name: column.name,
        ...(column.kind === "measure" && { isMeasure: true }),
        ...(wrap === true && { isWrapped: true }),
        ...(sorted !== undefined && { sorted }),
      };
    }),
    rows,
    ...(totals && { totals }),
    isCut: result.isCut,
  };
}

function columnsOf(places: readonly Place[], { columns }: ChartConfig): readonly TablePlace[] {
  if (columns === undefined) return places.map((place) => ({ ...place, config: {} }));
  return columns.map((config) => {
    const { column, index } = neededPlace(places, config.member);
    const { format = column.format } = config;
    return { column: { ...column, ...(format !== undefined && { format }) }, index, config };
  });
}

interface CellOptions {
  readonly places: readonly Place[];
  readonly columns: readonly TablePlace[];
  readonly config: ChartConfig;
  readonly space: ChartSpace;
}

/** Returns a function for each column that writes its cell. */
function cellWriters(result: ResultTable, { places, columns, config, space }: CellOptions) {
  return columns.map((place) => {
    const { column, index } = place;
    const rules = config.conditions.filter(
      ({ member }) => placeOf(places, member)?.index === index,
    );
    const range = rules.some(({ scale }) => scale !== undefined)
      ? extent(result.rows.map((row) => numberOf(row[index])))
      : undefined;
    return (row: Row, at: number): TableCell => {
      const value = row[index] ?? null;
      const text = formatValue(value, column, space);
      const href = result.addresses?.[column.name]?.[at];
      const links = [
        ...linksOf(place, { row, places, space }),
        ...(href == null ? [] : [{ label: text, href }]),
      ];
      const image = column.format === "imageUrl" ? webAddress(String(value ?? "")) : undefined;
      return {
        text,
        value,
        ...(links.length > 0 && { links }),
        ...(value !== null && linkedValues(place, places, (one) => row[one.index] ?? null)),
        ...(image !== undefined && { image }),
        ...Object.assign({}, ...rules.map((rule) => formatOf(rule, { value, range, space }))),
      };
    };
  });
}

interface LinkContext {
  readonly row: Row;
  readonly places: readonly Place[];
  readonly space: ChartSpace;
}

/** Returns the links of a cell: of the widget, or of the format `link`. */
function linksOf({ column, index, config }: TablePlace, at: LinkContext): readonly CellLink[] {
  const value = at.row[index] ?? null;
  if (value === null) return [];
  const text = formatValue(value, column, at.space);
  const own = config.link === undefined ? [] : [config.link];
  const { linkLabel } = column;
  const first = { url: String(value), ...(linkLabel !== undefined && { label: linkLabel }) };
  const links = column.format === "link" ? [first, ...own] : own;
  return links.flatMap(({ url, label = text }): readonly CellLink[] => {
    const href = url === undefined ? undefined : webAddress(filledIn(url, value, at));
    return href === undefined ? [] : [{ label, href }];
  });
}

/** Replaces `{cube.member}` by the value of the row, `{value}` by that of the cell. A whole address is kept as it is. */
function filledIn(url: string, value: ChartValue, { row, places }: LinkContext): string {
  return url.replace(/\{([\w.]+)\}/gu, (whole, name: string) => {
    if (name === "value") return encodeURIComponent(String(value));
    const place = placeOf(places, name);
    return place === undefined ? whole : encodeURIComponent(String(row[place.index] ?? ""));
  });
}

interface FormatContext {
  readonly value: ChartValue;
  readonly range: readonly [number, number] | undefined;
  readonly space: ChartSpace;
}

/** Returns what a condition changes in a cell. */
function formatOf(
  rule: ConditionConfig,
  { value, range, space }: FormatContext,
): Partial<TableCell> {
  const { scale, color, background, bold } = rule;
  const number = numberOf(value);
  if (scale !== undefined) {
    if (number === null || range === undefined) return {};
    const [least, most] = range;
    if (scale === "bars") {
      const end = Math.max(Math.abs(least), Math.abs(most));
      return { bar: end === 0 ? 0 : Math.abs(number) / end };
    }
    const share = most === least ? 0.5 : (number - least) / (most - least);
    const fill = colorAt(surfaceColors(space).sequential, share);
    return { background: fill, color: readableOn(fill) };
  }
  if (!isMet(rule, value)) return {};
  return {
    ...(background !== undefined && {
      background,
      ...(background.startsWith("#") && { color: readableOn(background) }),
    }),
    ...(color !== undefined && { color }),
    ...(bold === true && { isBold: true }),
  };
}

function isMet({ operator = "equals", value: wanted = "" }: ConditionConfig, value: ChartValue) {
  if (operator === "set") return value !== null;
  if (operator === "notSet") return value === null;
  if (value === null) return false;
  if (operator === "contains") {
    return String(value).toLowerCase().includes(String(wanted).toLowerCase());
  }
  const [a, b] = [numberOf(value), typeof wanted === "boolean" ? null : numberOf(wanted)];
  const order = a !== null && b !== null ? a - b : compareTexts(String(value), String(wanted));
  const isSame = a !== null && b !== null ? a === b : String(value) === String(wanted);
  const results: Readonly<Record<string, boolean>> = {
    equals: isSame,
    notEquals: !isSame,
    gt: order > 0,
    gte: order > 0 || isSame,
    lt: order < 0,
    lte: order < 0 || isSame,
  };
  return results[operator] ?? false;
}

/** Returns the row of totals. Only sums and counts are added up. */
function totalsOf(
  { rows }: ResultTable,
  { columns, space }: Pick<CellOptions, "columns" | "space">,
): TableRow {
  const cells = columns.map(({ column, index }): TableCell => {
    const isSum = column.kind === "measure" && isAdditive(column);
    const value = isSum ? sumExactly(rows.map((row) => row[index])) : null;
    const text = value === null ? "" : formatValue(value, column, space);
    return { text, value, isBold: true };
  });
  const [first, ...rest] = cells;
  if (first === undefined || first.text !== "") return { cells };
  return { cells: [{ ...first, text: textIn(space, note("chart.total")) }, ...rest] };
}
