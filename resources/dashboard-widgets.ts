// Reads the charts, texts and controls of a dashboard in the spec of a workbook.
import { controlMember, type WidgetKind } from "../core/spec/chart-config.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { ValueError } from "../core/kind/server-checks.ts";
import type { Spec } from "./workbook.schema.ts";

/** The spec of a workbook. */
export type DashboardSpec = JsonObject & Spec;

/** A widget of a dashboard, with the JSON Pointer of its configuration, or of the widget if it has none. */
export interface Widget {
  readonly path: string;
  readonly config: JsonObject;
}

/** A widget that sets a member of the data model, with the JSON Pointer of the member. */
export interface Control {
  readonly path: string;
  readonly member: string;
}

/** The types of widgets of each kind. An AI widget may get its text later. */
const widgetTypes = {
  chart: ["CHART"],
  text: ["TEXT"],
  control: ["FILTER", "TIME_GRAIN", "FIELD"],
} as const satisfies Record<WidgetKind, readonly string[]>;

/** Returns the charts of a dashboard. */
export function chartsOf(spec: DashboardSpec): readonly Widget[] {
  return widgetsOf(spec, "chart");
}

/** Returns the widgets of a kind. */
export function widgetsOf({ dashboard }: DashboardSpec, kind: WidgetKind): readonly Widget[] {
  const types: readonly string[] = widgetTypes[kind];
  return (dashboard?.widgets ?? []).flatMap(({ type, config }, index): readonly Widget[] => {
    if (!types.includes(type)) return [];
    const widget = `/dashboard/widgets/${index}`;
    return [isObject(config) ? { path: `${widget}/config`, config } : { path: widget, config: {} }];
  });
}

/** Returns the controls of a dashboard that name a member. */
export function controlsOf({ dashboard }: DashboardSpec): readonly Control[] {
  return (dashboard?.widgets ?? []).flatMap(({ type, config }, index): readonly Control[] => {
    const types: readonly string[] = widgetTypes.control;
    const named = types.includes(type) && isObject(config) ? controlMember(config) : undefined;
    if (named === undefined) return [];
    return [{ path: `/dashboard/widgets/${index}/config/${named.name}`, member: named.member }];
  });
}

/** Returns a query that names the members of controls, to find errors in them alone. */
export function controlQuery(controls: readonly Control[]): JsonObject {
  return { filters: controls.map(({ member }) => ({ member, operator: "set" })) };
}

/** Returns the errors in the members of {@link controlQuery} at the controls. */
export function placeAtControls(
  controls: readonly Control[],
  errors: readonly ValueError[],
): readonly ValueError[] {
  return errors.flatMap((error) => {
    const [, index] = /^\/filters\/(\d+)\//u.exec(error.path) ?? [];
    const control = index === undefined ? undefined : controls[Number(index)];
    return control === undefined ? [] : [{ ...error, path: control.path }];
  });
}
