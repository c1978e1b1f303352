// Pivots: dimensions in rows and columns, measures in the cells, with sums of what can be added up.
import type { ChartConfig } from "../config/config.ts";
import {
  dimensionsOf,
  isAdditive,
  linkedValues,
  type MeasurePlace,
  neededPlace,
  type Place,
  placesOf,
  refusal,
} from "../data/columns.ts";
import { compareRows, type Key, rowKey, sortedByKey, sortsOf } from "../data/order.ts";
import { formatValue, sumExactly } from "../formats/format-value.ts";
import type {
  ChartModel,
  ChartSpace,
  ChartValue,
  HeadCell,
  ResultTable,
  TableCell,
  TableRow,
} from "../model/model.ts";
import { note, textIn } from "../model/notes.ts";
import { cutNotes } from "./table.ts";

/** Most columns of values. */
const mostColumns = 100;

interface PivotKey extends Key {
  readonly id: string;
}

interface Shape {
  readonly rows: readonly Place[];
  readonly columns: readonly Place[];
  readonly measures: readonly Pick<MeasurePlace, "column" | "index">[];
}

/** Returns a pivot of a result. */
export function describePivot(
  unsorted: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): ChartModel {
  const places = placesOf(unsorted, config);
  const sorts = sortsOf(places, config);
  const result = {
    ...unsorted,
    rows: unsorted.rows.toSorted((a, b) => compareRows(a, b, sorts)),
  };
  const shape = shapeOf(places, config);
  if (shape.measures.length === 0) {
    throw refusal("chart.refused.measures", "pivot", { count: 1 });
  }
  const cells = new Map<string, ChartValue[][]>();
  const rowKeys = new Map<string, PivotKey>();
  const columnKeys = new Map<string, PivotKey>();
  for (const row of result.rows) {
    const [at, over] = [keyOf(row, shape.rows, space), keyOf(row, shape.columns, space)];
    rowKeys.set(at.id, at);
    columnKeys.set(over.id, over);
    const id = `${at.id}\u0001${over.id}`;
    const values = cells.get(id) ?? shape.measures.map(() => []);
    cells.set(id, values);
    for (const [index, measure] of shape.measures.entries()) {
      values[index]?.push(row[measure.index] ?? null);
    }
  }
  const columns = sortedByKey([...columnKeys.values()], shape.columns, result);
  const most = Math.max(1, Math.floor(mostColumns / shape.measures.length));
  const shown = columns.slice(0, most);
  const notes = [...cutNotes(result)];
  if (columns.length > most) {
    notes.push(note("chart.cutColumns", { shown: most, total: columns.length }));
  }
  const input = {
    shape,
    cells,
    config,
    space,
    rows: sortedByKey([...rowKeys.values()], shape.rows, result),
    columns: shown,
    pageOf: pagesOf(unsorted, shape.rows),
  };
  return { kind: "pivot", table: tableOf(input, result.isCut), notes };
}

/** Returns the dimensions of rows and columns; those that are not named are in the rows. */
function shapeOf(places: readonly Place[], { pivot, y }: ChartConfig): Shape {
  const dimensions = dimensionsOf(places);
  const named = (members: readonly string[] | undefined) =>
    members
      ?.filter((member) => member !== "measures")
      .map((member) => neededPlace(places, member))
      .filter(({ column }) => column.kind !== "measure");
  const own = named(pivot?.rows);
  const columns =
    named(pivot?.columns) ??
    (own === undefined
      ? dimensions.slice(1).slice(-1)
      : dimensions.filter((place) => !own.some(({ index }) => index === place.index)));
  const taken = new Set([...(own ?? []), ...columns].map(({ index }) => index));
  const left = dimensions.filter(({ index }) => !taken.has(index));
  const measures =
    y?.map(({ member }) => neededPlace(places, member)) ??
    places.filter(({ column }) => column.kind === "measure");
  return { rows: [...(own ?? []), ...left], columns, measures };
}

function keyOf(row: readonly ChartValue[], places: readonly Place[], space: ChartSpace): PivotKey {
  const key = rowKey(row, places, space);
  return { ...key, id: JSON.stringify(key.dimensionValues) };
}

interface Input {
  readonly shape: Shape;
  readonly cells: ReadonlyMap<string, readonly (readonly ChartValue[])[]>;
  readonly config: ChartConfig;
  readonly space: ChartSpace;
  readonly rows: readonly PivotKey[];
  readonly columns: readonly PivotKey[];
  /** Returns the page that a name in a row leads to. */
  readonly pageOf: (key: PivotKey, level: number) => string | undefined;
}

function tableOf(input: Input, isCut: boolean) {
  const { shape, config, rows, columns } = input;
  const { measures } = shape;
  const hasRowTotals = config.totals && shape.columns.length > 0 && measures.some(isSum);
  const hasTotals = config.totals && shape.rows.length > 0 && measures.some(isSum);
  const head = headOf(input, hasRowTotals);
  const titles = head.at(-1) ?? [];
  const values = measures.length * (columns.length + (hasRowTotals ? 1 : 0));
  return {
    columns: [
      ...shape.rows.map(({ column }) => ({ title: column.title, align: "left" as const })),
      ...Array.from({ length: values }, (_, at) => ({
        title: titles.at(at - values)?.text ?? "",
        align: "right" as const,
      })),
    ],
    head,
    headColumns: shape.rows.length,
    rows: rows.map((row, at): TableRow => ({
      cells: [
        ...row.texts.map((text, level): TableCell => ({
          text,
          value: text,
          ...linksAt(input, row, level),
          rowSpan: level === row.texts.length - 1 ? 1 : spanOf(rows, at, level),
        })),
        ...valuesOf(input, [row], hasRowTotals),
      ],
    })),
    ...(hasTotals && {
      totals: {
        cells: [
          ...shape.rows.map((_, level): TableCell => ({
            text: level === 0 ? textIn(input.space, note("chart.total")) : "",
            value: null,
            isBold: true,
          })),
          ...valuesOf(input, rows, hasRowTotals).map((cell) => ({ ...cell, isBold: true })),
        ],
      },
    }),
    isCut,
  };
}

/** Returns the page that a name leads to, and what its links depend on: its value and those before it. */
function linksAt({ shape: { rows }, pageOf }: Input, key: PivotKey, level: number) {
  const { dimensionValues, texts } = key;
  const place = rows[level];
  if (place === undefined || (dimensionValues[level] ?? null) === null) return {};
  const before = rows.slice(0, level + 1);
  const href = pageOf(key, level);
  return {
    ...(href !== undefined && { links: [{ label: texts[level] ?? "", href }] }),
    ...linkedValues(place, before, (one) => dimensionValues[before.indexOf(one)] ?? null),
  };
}

/** Returns a function that returns the page of a name in a row: that of all rows of the result with the name, if it is one. */
function pagesOf({ rows, addresses = {} }: ResultTable, names: readonly Place[]): Input["pageOf"] {
  const pages = new Map<string, Set<string | null>>();
  for (const [at, row] of rows.entries()) {
    const values = names.map(({ index }) => row[index] ?? null);
    for (const [level, { column }] of names.entries()) {
      const id = JSON.stringify(values.slice(0, level + 1));
      pages.set(id, (pages.get(id) ?? new Set()).add(addresses[column.name]?.[at] ?? null));
    }
  }
  return ({ dimensionValues }, level) => {
    const [page, ...others] = pages.get(JSON.stringify(dimensionValues.slice(0, level + 1))) ?? [];
    return others.length === 0 ? (page ?? undefined) : undefined;
  };
}

function isSum({ column }: Pick<MeasurePlace, "column">): boolean {
  return isAdditive(column);
}

/** Returns how many keys a name covers: those that follow with the same name and the same names before it; 0 if covered. */
function spanOf(keys: readonly PivotKey[], at: number, level: number): number {
  const isSame = (a: PivotKey | undefined, b: PivotKey | undefined) =>
    a !== undefined &&
    b !== undefined &&
    a.texts.slice(0, level + 1).every((text, index) => text === b.texts[index]);
  if (isSame(keys[at - 1], keys[at])) return 0;
  let end = at + 1;
  while (isSame(keys[at], keys[end])) end++;
  return end - at;
}

/** Returns the cells of one row, or the sums of several; only sums and counts are added up. */
function valuesOf(
  { shape, cells, columns, space }: Input,
  rows: readonly PivotKey[],
  hasRowTotals: boolean,
): readonly TableCell[] {
  const groups = [...columns.map((one) => [one]), ...(hasRowTotals ? [columns] : [])];
  return groups.flatMap((group) =>
    shape.measures.map(({ column }, index): TableCell => {
      const values = rows.flatMap((row) =>
        group.flatMap((over) => cells.get(`${row.id}\u0001${over.id}`)?.[index] ?? []),
      );
      const isSingle = values.length <= 1 && rows.length === 1 && group.length === 1;
      const value = isSingle ? (values[0] ?? null) : isAdditive(column) ? sumExactly(values) : null;
      const isTotal = rows.length > 1 || group.length > 1;
      const text =
        value === null && (isTotal || values.length === 0) ? "" : formatValue(value, column, space);
      return { text, value };
    }),
  );
}

/** Returns the rows of the header: one for each dimension of the columns, and one for the measures if there are several. */
function headOf(
  { shape, columns, space }: Input,
  hasRowTotals: boolean,
): readonly (readonly HeadCell[])[] {
  const { measures } = shape;
  const hasMeasureRow = measures.length > 1 || shape.columns.length === 0;
  const height = shape.columns.length + (hasMeasureRow ? 1 : 0);
  const corner = shape.rows.map(({ column }): HeadCell => ({
    text: column.title,
    colSpan: 1,
    rowSpan: height,
    align: "left",
  }));
  const total: readonly HeadCell[] = hasRowTotals
    ? [
        {
          text: textIn(space, note("chart.total")),
          colSpan: measures.length,
          rowSpan: shape.columns.length,
          align: "right",
        },
      ]
    : [];
  const levels = shape.columns.map((_, level): readonly HeadCell[] => [
    ...(level === 0 ? corner : []),
    ...columns.flatMap((column, at): HeadCell[] => {
      const span = spanOf(columns, at, level);
      if (span === 0) return [];
      const colSpan = span * measures.length;
      const align = colSpan > 1 ? "center" : "right";
      return [{ text: column.texts[level] ?? "", colSpan, rowSpan: 1, align }];
    }),
    ...(level === 0 ? total : []),
  ]);
  if (!hasMeasureRow) return levels;
  const groups = columns.length + (hasRowTotals ? 1 : 0);
  const names = Array.from({ length: groups }, () =>
    measures.map(({ column }): HeadCell => ({
      text: column.title,
      colSpan: 1,
      rowSpan: 1,
      align: "right",
    })),
  ).flat();
  return [...levels, [...(shape.columns.length === 0 ? corner : []), ...names]];
}
