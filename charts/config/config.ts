// Reads the configuration of a chart. Never throws: what is wrong is left out, and the checks name it.
import { chartTypeOf, type ChartType, textIn } from "../../core/spec/chart-config.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { isColor } from "../scales/colors.ts";

/** A measure of a chart. */
export interface ValueConfig {
  readonly member: string;
  readonly axis?: "left" | "right";
  readonly type?: "bar" | "line" | "area";
  readonly label?: string;
  readonly format?: string;
  readonly color?: string;
}

/** An axis. */
export interface AxisConfig {
  readonly title?: string;
  readonly min?: number;
  readonly max?: number;
  readonly format?: string;
}

/** A column of a table. */
export interface ColumnConfig {
  readonly member: string;
  readonly title?: string;
  readonly align?: "left" | "right" | "center";
  readonly format?: string;
  readonly wrap?: boolean;
  readonly link?: { readonly url?: string; readonly label?: string };
}

/** A format of cells by their values. */
export interface ConditionConfig {
  readonly member: string;
  readonly operator?: string;
  readonly value?: string | number | boolean;
  readonly color?: string;
  readonly background?: string;
  readonly bold?: boolean;
  readonly scale?: "colors" | "bars";
}

/** What a number is compared with. */
export interface ComparisonConfig {
  readonly with?: "previous" | "first" | "none";
  readonly member?: string;
  readonly value?: number;
  readonly label?: string;
  readonly good?: "up" | "down";
}

/** How a chart is drawn. Options are described in `options.ts`. */
export interface ChartConfig {
  /** Undefined to choose by the values. */
  readonly chart: ChartType | undefined;
  /** Whether the configuration asks for a map. */
  readonly isMap: boolean;
  /** The title of the widget. */
  readonly title?: string;
  readonly x?: string;
  readonly y?: readonly ValueConfig[];
  readonly breakdown?: readonly string[];
  /** Dimension with a chart for each value. */
  readonly multiples?: string;
  readonly orientation?: "vertical" | "horizontal";
  readonly stacking?: "none" | "stacked" | "percent";
  readonly axes: { readonly x: AxisConfig; readonly left: AxisConfig; readonly right: AxisConfig };
  readonly dataLabels?: boolean;
  readonly legend?: boolean;
  readonly hole: boolean;
  readonly size?: string;
  readonly formats: Readonly<Record<string, string>>;
  readonly colors?: readonly string[];
  readonly columns?: readonly ColumnConfig[];
  readonly totals: boolean;
  readonly sort: readonly { readonly member: string; readonly direction: "asc" | "desc" }[];
  readonly conditions: readonly ConditionConfig[];
  readonly pivot?: { readonly rows?: readonly string[]; readonly columns?: readonly string[] };
  readonly comparison: ComparisonConfig;
  readonly sparkline?: boolean;
  readonly unit?: string;
  readonly html?: string;
}

/** Names of the type that this version does not draw. */
const mapNames = new Set(["map", "choropleth", "geo"]);

/** Reads the configuration of a widget, or the `meta` of a report. */
export function readChartConfig(config: JsonObject): ChartConfig {
  const name = nameOfType(config);
  const axes = objectAt(config, "axes");
  return defined({
    chart: chartTypeOf(config),
    isMap: mapNames.has(name),
    title: textIn(config, "title"),
    x: memberAt(config, "x"),
    y: values(config["y"]),
    breakdown: members(config["breakdown"]),
    multiples: memberAt(config, "multiples"),
    orientation: choice(config, "orientation", ["vertical", "horizontal"] as const),
    stacking: choice(config, "stacking", ["none", "stacked", "percent"] as const),
    axes: {
      x: axis(objectAt(axes, "x")),
      left: axis(objectAt(axes, "left")),
      right: axis(objectAt(axes, "right")),
    },
    dataLabels: boolean(config, "dataLabels"),
    legend: boolean(config, "legend"),
    hole: boolean(config, "hole") ?? ["donut", "doughnut"].includes(name),
    size: memberAt(config, "size"),
    formats: texts(objectAt(config, "formats")),
    colors: list(config["colors"])?.flatMap((one) => (isColorText(one) ? [one] : [])),
    columns: columns(config["columns"]),
    totals: config["totals"] === true,
    sort: sorts(config["sort"]),
    conditions: (list(config["conditions"]) ?? []).flatMap((one) =>
      isObject(one) ? condition(one) : [],
    ),
    pivot: pivot(config),
    comparison: comparison(config["comparison"]),
    sparkline: boolean(config, "sparkline"),
    unit: textIn(config, "unit"),
    html: textIn(config, "html"),
  }) as ChartConfig;
}

/** Returns the name of the type as it is written, in lower case. */
export function nameOfType(config: JsonObject): string {
  const names = ["chart", "chartType", "type"].map((name) => textIn(config, name));
  return (names.find((one) => one !== undefined) ?? "").toLowerCase();
}

/** Removes members without a value. */
function defined<T extends object>(object: T): T {
  const kept = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as T;
}

function list(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : undefined;
}

function objectAt(config: JsonObject, name: string): JsonObject {
  const value = config[name];
  return isObject(value) ? value : {};
}

function boolean(config: JsonObject, name: string): boolean | undefined {
  const value = config[name];
  return typeof value === "boolean" ? value : undefined;
}

function numberAt(config: JsonObject, name: string): number | undefined {
  const value = config[name];
  return typeof value === "number" && Math.abs(value) <= 1e300 ? value : undefined;
}

function choice<T extends string>(
  config: JsonObject,
  name: string,
  choices: readonly T[],
): T | undefined {
  return choices.find((one) => one === config[name]);
}

function isColorText(value: JsonValue | undefined): value is string {
  return typeof value === "string" && isColor(value);
}

function colorAt(config: JsonObject, name: string): string | undefined {
  const value = config[name];
  return isColorText(value) ? value : undefined;
}

/** Returns the member at a name: a text, or an object that names it. */
function memberAt(config: JsonObject, name: string): string | undefined {
  const value = config[name];
  return isObject(value) ? textIn(value, "member") : textIn(config, name);
}

/** Returns the members of a text or a list. */
function members(value: JsonValue | undefined): readonly string[] | undefined {
  if (typeof value === "string") return [value];
  return list(value)?.flatMap((one) => {
    const member = isObject(one) ? textIn(one, "member") : one;
    return typeof member === "string" ? [member] : [];
  });
}

function values(value: JsonValue | undefined): readonly ValueConfig[] | undefined {
  const items = list(value) ?? (value === undefined || value === null ? undefined : [value]);
  const found = items?.flatMap((one): ValueConfig[] => {
    if (typeof one === "string") return [{ member: one }];
    const member = isObject(one) ? textIn(one, "member") : undefined;
    if (!isObject(one) || member === undefined) return [];
    return [
      defined({
        member,
        axis: choice(one, "axis", ["left", "right"] as const),
        type: choice(one, "type", ["bar", "line", "area"] as const),
        label: textIn(one, "label"),
        format: textIn(one, "format"),
        color: colorAt(one, "color"),
      }) as ValueConfig,
    ];
  });
  return found?.length === 0 ? undefined : found;
}

function axis(config: JsonObject): AxisConfig {
  return defined({
    title: textIn(config, "title"),
    min: numberAt(config, "min"),
    max: numberAt(config, "max"),
    format: textIn(config, "format"),
  }) as AxisConfig;
}

function texts(object: JsonObject): Readonly<Record<string, string>> {
  const found = Object.entries(object).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(found) as Record<string, string>;
}

function columns(value: JsonValue | undefined): readonly ColumnConfig[] | undefined {
  const found = list(value)?.flatMap((one): ColumnConfig[] => {
    if (typeof one === "string") return [{ member: one }];
    const member = isObject(one) ? textIn(one, "member") : undefined;
    if (!isObject(one) || member === undefined) return [];
    const link = one["link"];
    return [
      defined({
        member,
        title: textIn(one, "title"),
        align: choice(one, "align", ["left", "right", "center"] as const),
        format: textIn(one, "format"),
        wrap: boolean(one, "wrap"),
        link: typeof link === "string" ? { url: link } : isObject(link) ? texts(link) : undefined,
      }) as ColumnConfig,
    ];
  });
  return found?.length === 0 ? undefined : found;
}

function sorts(value: JsonValue | undefined): ChartConfig["sort"] {
  const items = list(value) ?? (value === undefined ? [] : [value]);
  return items.flatMap((one) => {
    if (typeof one === "string") {
      const isDescending = one.startsWith("-");
      return [
        { member: isDescending ? one.slice(1) : one, direction: isDescending ? "desc" : "asc" },
      ];
    }
    const member = isObject(one) ? textIn(one, "member") : undefined;
    if (!isObject(one) || member === undefined) return [];
    return [{ member, direction: one["direction"] === "desc" ? "desc" : "asc" }];
  });
}

function condition(config: JsonObject): ConditionConfig | [] {
  const member = textIn(config, "member");
  if (member === undefined) return [];
  const value = config["value"];
  return defined({
    member,
    operator: textIn(config, "operator"),
    value: typeof value === "object" ? undefined : value,
    color: colorAt(config, "color"),
    background: colorAt(config, "background"),
    bold: boolean(config, "bold"),
    scale: choice(config, "scale", ["colors", "bars"] as const),
  }) as ConditionConfig;
}

function pivot(config: JsonObject): ChartConfig["pivot"] {
  const own = config["pivot"];
  const items = config["pivotItems"];
  if (isObject(own)) {
    return defined({ rows: members(own["rows"]), columns: members(own["columns"]) }) as object;
  }
  if (!isObject(items)) return undefined;
  return defined({ rows: members(items["x"]), columns: members(items["y"]) }) as object;
}

function comparison(value: JsonValue | undefined): ComparisonConfig {
  if (value === false) return { with: "none" };
  if (!isObject(value)) return {};
  return defined({
    with: choice(value, "with", ["previous", "first", "none"] as const),
    member: textIn(value, "member"),
    value: numberAt(value, "value"),
    label: textIn(value, "label"),
    good: choice(value, "good", ["up", "down"] as const),
  }) as ComparisonConfig;
}
