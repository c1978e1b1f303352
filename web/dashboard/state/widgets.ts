// A dashboard as the page reads it from the answer of the service. Pure.
import { objectOf, readWidgets, textOf, type WidgetTree } from "../../../charts/layout/widgets.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";

export { isShown, listOf, objectOf, textOf, type Widget } from "../../../charts/layout/widgets.ts";

/** A published dashboard. */
export interface DashboardContent extends WidgetTree {
  readonly publicId: string;
  readonly title: string;
  readonly description: string;
  readonly theme: JsonObject;
  readonly settings: JsonObject;
}

/** Reads the answer of the service. */
export function readDashboard(answer: JsonValue, publicId: string): DashboardContent {
  const config = isObject(answer) && isObject(answer["config"]) ? answer["config"] : {};
  return {
    publicId,
    title: textOf(config["title"]),
    description: textOf(config["description"]),
    theme: objectOf(config["theme"]),
    settings: objectOf(config["settings"]),
    ...readWidgets(config["widgets"]),
  };
}
