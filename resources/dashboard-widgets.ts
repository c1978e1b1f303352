// Reads the charts, texts and controls of a dashboard in the spec of a workbook.
import { controlMember, controlTypes, type WidgetKind } from "../core/spec/chart-config.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { ValueError } from "../core/kind/server-checks.ts";
import type { Spec } from "./workbook.schema.ts";

/** The spec of a workbook. */
export type DashboardSpec = JsonObject & Spec;

/** A widget of a dashboard, with the JSON Pointer of its configuration, or of the widget if it has none. */
export interface Widget {
  readonly path: string;
  readonly config: JsonObject;
}

/** A member of the data model, or a granularity of it, that a control names, with the JSON Pointer of the name. */
export interface Control {
  readonly path: string;
  readonly member: string;
  readonly granularity?: string;
}

/** The types of widgets of each kind. An AI widget may get its text later. */
const widgetTypes: Readonly<Record<WidgetKind, ReadonlySet<string>>> = {
  chart: new Set(["CHART"]),
  text: new Set(["TEXT"]),
  control: controlTypes,
};

/** Returns the charts of a dashboard. */
export function chartsOf(spec: DashboardSpec): readonly Widget[] {
  return widgetsOf(spec, "chart");
}

/** Returns the widgets of a kind. */
export function widgetsOf({ dashboard }: DashboardSpec, kind: WidgetKind): readonly Widget[] {
  return (dashboard?.widgets ?? []).flatMap(({ type, config }, index): readonly Widget[] => {
    if (!widgetTypes[kind].has(type)) return [];
    const widget = `/dashboard/widgets/${index}`;
    return [isObject(config) ? { path: `${widget}/config`, config } : { path: widget, config: {} }];
  });
}

/** Returns what the controls of a dashboard name: the members that they set, those that a FIELD offers, and granularities. */
export function controlsOf({ dashboard }: DashboardSpec): readonly Control[] {
  return (dashboard?.widgets ?? []).flatMap(({ type, config }, index): readonly Control[] => {
    if (!controlTypes.has(type) || !isObject(config)) return [];
    const named = controlMember(config);
    if (named === undefined) return [];
    const { member } = named;
    const at = `/dashboard/widgets/${index}/config`;
    const options = textsAt(config["options"], `${at}/options`);
    return [
      { path: `${at}/${named.name}`, member },
      ...(type === "FIELD" ? options.map(({ path, text }) => ({ path, member: text })) : []),
      ...(type === "TIME_GRAIN"
        ? options.map(({ path, text }) => ({ path, member, granularity: text }))
        : []),
    ];
  });
}

function textsAt(list: JsonValue | undefined, path: string) {
  const items = Array.isArray(list) ? (list as readonly JsonValue[]) : [];
  return items.flatMap((text, index) =>
    typeof text === "string" ? [{ path: `${path}/${index}`, text }] : [],
  );
}

/** Returns a query that names what controls name, to find errors in them alone. */
export function controlQuery(controls: readonly Control[]): JsonObject {
  return {
    filters: controls.map(({ member }) => ({ member, operator: "set" })),
    timeDimensions: controls.flatMap(({ member, granularity }) =>
      granularity === undefined ? [] : [{ dimension: member, granularity }],
    ),
  };
}

/** Returns the errors in the members of {@link controlQuery} at the controls: a wrong member once, where a control sets it. */
export function placeAtControls(
  controls: readonly Control[],
  errors: readonly ValueError[],
): readonly ValueError[] {
  const members = controls.map((one) => (one.granularity === undefined ? one : undefined));
  const granularities = controls.filter(({ granularity }) => granularity !== undefined);
  return errors.flatMap((error) => {
    const [, list, index, name] = /^\/(\w+)\/(\d+)\/(\w+)/u.exec(error.path) ?? [];
    const from = list === "filters" ? members : name === "granularity" ? granularities : [];
    const control = from[Number(index)];
    return control === undefined ? [] : [{ ...error, path: control.path }];
  });
}
