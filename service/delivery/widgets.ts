// Reads the widgets of a dashboard that are not charts. Pure.
import { controlMember, textIn, widgetText } from "../../core/spec/chart-config.ts";
import type { DashboardWidget } from "../areas/workbooks/chart-widgets.ts";

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
