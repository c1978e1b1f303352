// The charts among the widgets of a dashboard: the query of each, which is its own or a report's. Pure.
import { queryMembers } from "../../../core/data-model/query-members.ts";
import {
  type ChartType,
  chartTypeOf,
  controlledMembers,
  namedReport,
  textIn,
} from "../../../core/spec/chart-config.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";

/** A widget in a dashboard. */
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
  /** Undefined for a report in SQL that is not translated, and for one without a query. */
  readonly query: JsonObject | undefined;
  /** Its SQL; undefined if it has a query in JSON. */
  readonly statement: string | undefined;
  /** Why its SQL is no query that the viewer can send. */
  readonly refusal?: QueryRefusal;
  readonly meta: JsonObject;
  readonly pivotItems: JsonObject | undefined;
}

/** How to draw a chart, from its widget or its report. */
export interface ChartRequest {
  readonly title: string;
  readonly query: JsonObject;
  /** Options of the chart. Without a type, it is chosen by the values. */
  readonly options: { readonly chart?: ChartType; readonly pivotItems?: JsonValue };
}

/** Returns the report that a widget names, by ID or by public ID; undefined if it has its own query. */
export function reportOf({ config = {} }: DashboardWidget): number | string | undefined {
  return namedReport(config)?.report;
}

/** Why the SQL of a report is no query that its viewer can send. */
export type QueryRefusal = { readonly message: string; readonly isForbidden: boolean };

/** A chart without a query. */
export interface ChartProblem {
  readonly problem: string;
  readonly title: string;
  readonly refusal?: QueryRefusal | undefined;
}

/** Returns the chart of a widget, or the reason why it has none. */
export function chartOf(
  { config = {} }: DashboardWidget,
  report: WidgetReport | undefined,
): ChartRequest | ChartProblem {
  const title = textIn(config, "title") ?? report?.title ?? report?.name ?? "";
  const query = isObject(config["query"]) ? config["query"] : report?.query;
  if (query === undefined) {
    const { refusal } = report ?? {};
    const problem =
      report === undefined
        ? "the widget names no query, and no report of this deployment that whoever wrote it may read"
        : (refusal?.message ?? "the report has no query of the data API");
    return { problem, title, refusal };
  }
  const chart = chartTypeOf(config) ?? chartTypeOf(report?.meta ?? {});
  const pivotItems = config["pivotItems"] ?? report?.pivotItems;
  return {
    title,
    query,
    options: {
      ...(chart !== undefined && { chart }),
      ...(pivotItems !== undefined && { pivotItems }),
    },
  };
}

/** Returns the members of the data model, `cube.member`, that a chart queries, or that a control names. */
export function membersOfWidget(
  widget: DashboardWidget,
  report: WidgetReport | undefined,
): readonly string[] {
  if (widget.type === "CHART") {
    const chart = chartOf(widget, report);
    return "problem" in chart ? [] : queryMembers(chart.query).map(({ member }) => member);
  }
  const dimensions = controlledMembers(widget.type, widget.config ?? {});
  return queryMembers({ dimensions }).map(({ member }) => member);
}
