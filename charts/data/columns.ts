// Finds the columns of a result that a configuration names, and those that a chart takes by itself.
import { isObject } from "../../core/json.ts";
import type { ChartType } from "../../core/spec/chart-config.ts";
import type { ChartConfig, ValueConfig } from "../config/config.ts";
import { type ChartNote, type ChartTextKey, note } from "../model/notes.ts";
import type { ChartValue, LinkedValues, ResultColumn, ResultTable } from "../model/model.ts";

/** A column with its place in rows. */
export interface Place {
  readonly column: ResultColumn;
  readonly index: number;
}

/** A measure with what the configuration says of it. */
export interface MeasurePlace extends Place {
  readonly config: Partial<ValueConfig>;
}

/** A chart that cannot be drawn. */
export class Refusal extends Error {
  readonly note: ChartNote;

  constructor(reason: ChartNote) {
    super(reason.key);
    this.name = "Refusal";
    this.note = reason;
  }
}

/** Returns the refusal of a chart by its type. */
export function refusal(
  key: ChartTextKey,
  chart: string,
  values: ChartNote["values"] = {},
): Refusal {
  return new Refusal(note(key, { chart, ...values }));
}

/** Returns the columns with their places, each with the format of the widget if it has one. */
export function placesOf({ columns }: ResultTable, { formats }: Pick<ChartConfig, "formats">) {
  return columns.map((column, index): Place => {
    const format = formats[column.name] ?? formats[memberOf(column)];
    return { column: format === undefined ? column : { ...column, format }, index };
  });
}

/** Returns the format of a column, as the data model declares it: a text, or a link with a text of its own. */
export function declaredFormat(format: unknown): Pick<ResultColumn, "format" | "linkLabel"> {
  if (typeof format === "string") return { format };
  if (!isObject(format) || format["type"] !== "link") return {};
  const { label } = format;
  return { format: "link", ...(typeof label === "string" && { linkLabel: label }) };
}

/** Returns the links of a column, as the annotation of a result describes them. */
export function declaredLinks(links: unknown): Pick<ResultColumn, "links"> {
  if (!Array.isArray(links)) return {};
  return {
    links: links.filter(isObject).map(({ name, label, dashboard, target }) => ({
      name: textOf(name),
      label: textOf(label),
      isDashboard: dashboard !== undefined,
      isSameTab: target === "self",
    })),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns what the links of a dimension's value depend on: the values of dimensions beside it. */
export function linkedValues(
  { column }: Place,
  beside: readonly Place[],
  valueOf: (place: Place) => ChartValue,
): { readonly linkedTo?: LinkedValues } {
  if (column.links === undefined || column.kind !== "dimension") return {};
  const dimensions = beside.filter((place) => place.column.kind === "dimension");
  const values = dimensions.map((place) => ({ name: place.column.name, value: valueOf(place) }));
  return { linkedTo: { column, values } };
}

/** Returns the member of a column: its name without the granularity. */
export function memberOf({ name, granularity }: ResultColumn): string {
  const end = `.${granularity ?? ""}`;
  return granularity !== undefined && name.endsWith(end) ? name.slice(0, -end.length) : name;
}

/** Returns the column of a member, with or without its granularity; undefined if the result has none. */
export function placeOf(places: readonly Place[], member: string): Place | undefined {
  return (
    places.find(({ column }) => column.name === member) ??
    places.find(({ column }) => memberOf(column) === member)
  );
}

/** Returns the column of a member, or refuses the chart. */
export function neededPlace(places: readonly Place[], member: string): Place {
  const place = placeOf(places, member);
  if (place === undefined) throw new Refusal(note("chart.refused.member", { member }));
  return place;
}

/** Returns whether the sum of a measure's values is a value of it. */
export function isAdditive({ aggType = "" }: ResultColumn): boolean {
  return ["sum", "count"].includes(aggType);
}

/** Returns the measures of a chart: those of the configuration, otherwise all that are numbers. */
export function measuresOf(
  places: readonly Place[],
  { y }: Pick<ChartConfig, "y">,
): readonly MeasurePlace[] {
  if (y === undefined) {
    return places
      .filter(({ column }) => column.kind === "measure" && column.type === "number")
      .map((place) => ({ ...place, config: {} }));
  }
  return y.map((config) => {
    const { column, index } = neededPlace(places, config.member);
    const { format = column.format, label = column.title } = config;
    const own = { ...column, title: label, ...(format !== undefined && { format }) };
    return { column: own, index, config };
  });
}

/** Returns the dimensions of a result. */
export function dimensionsOf(places: readonly Place[]): readonly Place[] {
  return places.filter(({ column }) => column.kind !== "measure");
}

/** Returns the type of chart that suits a result. */
export function chartFor({ columns, rows }: ResultTable): ChartType {
  const measures = columns.filter(({ kind, type }) => kind === "measure" && type === "number");
  const dimensions = columns.filter(({ kind }) => kind !== "measure");
  if (measures.length === 0 || dimensions.length > 2) return "table";
  if (dimensions.length === 0) return rows.length <= 1 ? "number" : "table";
  return dimensions.some(({ type }) => type === "time") ? "line" : "bar";
}
