// The charts among the widgets of a dashboard: the query of each, its own or that of a report. Pure.
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";

/** How figures are drawn. */
export const chartTypes = ["bar", "line", "area", "pie", "number", "table"] as const;

/** One of {@link chartTypes}. */
export type ChartType = (typeof chartTypes)[number];

/** A widget as a dashboard has it. */
export interface DashboardWidget extends JsonObject {
  readonly type: string;
  readonly position: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly config?: JsonObject | undefined;
}

/** The report that a widget shows. */
export interface WidgetReport {
  readonly name: string;
  readonly title: string | null;
  readonly jsonQuery: string | null;
  readonly meta: JsonObject;
}

/** How a chart is drawn: what its widget or its report says. */
export interface ChartRequest {
  readonly title: string;
  /** Undefined to choose by the figures. */
  readonly chart: ChartType | undefined;
  readonly query: JsonObject;
}

/** The report that a widget names, by ID or by public ID; undefined if it has its own query. */
export function reportOf({ config = {} }: DashboardWidget): number | string | undefined {
  if (isObject(config["query"])) return undefined;
  return [config["reportId"], config["report"], config["reportPublicId"]].find(
    (id): id is number | string => typeof id === "number" || typeof id === "string",
  );
}

/** Returns the chart of a widget, or why it has none. */
export function chartOf(
  { config = {} }: DashboardWidget,
  report: WidgetReport | undefined,
): ChartRequest | { readonly problem: string; readonly title: string } {
  const title = textIn(config, "title") ?? report?.title ?? report?.name ?? "";
  const query = isObject(config["query"]) ? config["query"] : queryOf(report);
  if (query === undefined) {
    const problem =
      report === undefined
        ? "the widget names no query, and no report of this deployment that whoever wrote it may read"
        : "the report has no query of the data API";
    return { problem, title };
  }
  return { title, query, chart: chartType(config) ?? chartType(report?.meta ?? {}) };
}

function queryOf(report: WidgetReport | undefined): JsonObject | undefined {
  if (report?.jsonQuery == null) return undefined;
  try {
    const query = JSON.parse(report.jsonQuery) as JsonValue;
    return isObject(query) ? query : undefined;
  } catch {
    return undefined;
  }
}

/** Other names of charts. */
const chartNames: Readonly<Record<string, ChartType>> = {
  column: "bar",
  histogram: "bar",
  donut: "pie",
  doughnut: "pie",
  kpi: "number",
  bignumber: "number",
  "big-number": "number",
  big_number: "number",
};

function chartType(config: JsonObject): ChartType | undefined {
  const named = textIn(config, "chart") ?? textIn(config, "chartType") ?? textIn(config, "type");
  const name = named?.toLowerCase() ?? "";
  return chartTypes.find((type) => type === name) ?? chartNames[name];
}

/** Returns a text of a configuration; undefined if it is blank. */
export function textIn(config: JsonObject, name: string): string | undefined {
  const value = config[name];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
