// Reads the widgets of a dashboard that are not charts, and chooses chart types by results. Pure.
import { type ChartType, controlMember, textIn, widgetText } from "../../core/spec/chart-config.ts";
import type { DashboardWidget } from "../areas/workbooks/chart-widgets.ts";
import type { ResultTable } from "./draw/picture-input.ts";

/** Returns the chart type for a result if the widget does not name one. */
export function chartFor({ columns, rows }: ResultTable): ChartType {
  const measures = columns.filter(({ kind }) => kind === "measure").length;
  const dimensions = columns.length - measures;
  if (measures === 0 || dimensions > 2) return "table";
  if (dimensions === 0) return rows.length <= 1 ? "number" : "table";
  return columns.some(({ kind }) => kind === "timeDimension") ? "line" : "bar";
}

/** Returns the text of a text widget. */
export function textOfWidget({ config = {} }: DashboardWidget): string {
  return widgetText(config) ?? "";
}

/** Returns the member that a control sets, and its label if it has one. */
export function controlOf({ config = {} }: DashboardWidget): {
  readonly label: string | undefined;
  readonly member: string;
} {
  const member = controlMember(config)?.member ?? "";
  return { member, label: textIn(config, "title") ?? textIn(config, "label") };
}
