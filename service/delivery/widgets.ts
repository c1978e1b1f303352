// Reads the widgets of a dashboard that are not charts. Pure.
import type { Widget } from "../../charts/layout/widgets.ts";
import { textIn, widgetText } from "../../core/spec/chart-config.ts";

/** Returns the text of a text widget. */
export function textOfWidget({ config }: Widget): string {
  return widgetText(config) ?? "";
}

/** Returns the label of a control if it has one. */
export function labelOfControl({ config }: Widget): string | undefined {
  return textIn(config, "title") ?? textIn(config, "label");
}
