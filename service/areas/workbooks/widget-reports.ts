// The reports that the widgets of a dashboard show.
import { isId } from "../../../api/schemas.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { fromJson } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { selectReports } from "../reports/reports.ts";
import { chartOf, type DashboardWidget, reportOf, type WidgetReport } from "./chart-widgets.ts";

/** Returns the reports that widgets name, by ID and by public ID. */
export async function reportsOf(
  db: Db,
  deploymentId: number,
  widgets: readonly DashboardWidget[],
): Promise<ReadonlyMap<number | string, WidgetReport>> {
  const named = widgets.flatMap((widget) => reportOf(widget) ?? []);
  const ids = named.filter((id) => isId(id));
  const publicIds = named.filter((id): id is string => typeof id === "string");
  const select = () => selectReports(db, deploymentId);
  const rows = [
    ...(ids.length > 0 ? await select().where("id", "in", ids).execute() : []),
    ...(publicIds.length > 0 ? await select().where("public_id", "in", publicIds).execute() : []),
  ];
  const reports = new Map<number | string, WidgetReport>();
  for (const { id, public_id, name, title, json_query, meta } of rows) {
    const own = fromJson(meta);
    const report = { name, title, jsonQuery: json_query, meta: isObject(own) ? own : {} };
    reports.set(id, report).set(public_id, report);
  }
  return reports;
}

/**
 * Returns the widgets with the query, the title and the chart of the report that each shows, as an embedding page needs them: its
 * session cannot read reports. A widget whose report has no query stays as it is.
 */
export async function withReports(
  db: Db,
  deploymentId: number,
  widgets: readonly DashboardWidget[],
): Promise<readonly DashboardWidget[]> {
  const reports = await reportsOf(db, deploymentId, widgets);
  return widgets.map((widget) => {
    const named = widget.type === "CHART" ? reportOf(widget) : undefined;
    const chart = named === undefined ? undefined : chartOf(widget, reports.get(named));
    if (chart === undefined || "problem" in chart) return widget;
    const added: JsonObject = {
      query: chart.query,
      ...(chart.title !== "" && { title: chart.title }),
      ...(chart.chart !== undefined && { chart: chart.chart }),
    };
    return { ...widget, config: { ...widget.config, ...added } };
  });
}
