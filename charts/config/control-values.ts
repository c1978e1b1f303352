// The values of the controls of a dashboard: what viewers picked, what parents set, attributes and defaults. The page and
// notifications share them. Pure.
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { controlMember } from "../../core/spec/chart-config.ts";
import { listOf, textOf, type Widget } from "../layout/widgets.ts";
import type { ControlFilter, Controls } from "./controls.ts";
import { type FilterValue, filterValue, parentOptionsOf } from "./parent-options.ts";

/** What viewers picked: a value for each control that they touched. `null` means that they cleared it. */
export interface Picks {
  readonly filters: Readonly<Record<string, FilterValue | null>>;
  readonly grains: Readonly<Record<string, string | null>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly tabs: Readonly<Record<string, string>>;
  /** The chosen option of each PARENT by its number. */
  readonly parents: Readonly<Record<string, number>>;
}

/** No control was touched. */
export const noPicks: Picks = { filters: {}, grains: {}, fields: {}, tabs: {}, parents: {} };

/** The value of each control, and whether viewers may change it. */
export interface ControlValues {
  readonly filters: ReadonlyMap<string, FilterValue>;
  readonly grains: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, string>;
}

/** Returns the member that a control sets; "" for a PARENT. */
export function memberOf({ config }: Widget): string {
  return controlMember(config)?.member ?? "";
}

/** Returns whether a control keeps the value that it resolves to. */
export function isLocked({ config }: Widget): boolean {
  return config["disabled"] === true;
}

/** Returns the granularities that a TIME_GRAIN offers. */
export function grainsOf({ config }: Widget): readonly string[] {
  const own = listOf(config["options"])
    .map((one) => textOf(one))
    .filter(Boolean);
  return own.length > 0 ? own : ["day", "week", "month", "quarter", "year"];
}

/** Returns the members that a FIELD offers, its own first. */
export function fieldsOf(widget: Widget): readonly string[] {
  const options = listOf(widget.config["options"]).map((one) => textOf(one));
  return [...new Set([memberOf(widget), ...options].filter(Boolean))];
}

/** Where a control's first value may come from. */
export interface ValueSources {
  readonly widgets: readonly Widget[];
  readonly picks: Picks;
}

/**
 * Returns the value of each control: the viewer's pick (which the address holds), what a parent control sets, the
 * viewer's attribute, or the default, the first that there is. A locked control ignores picks and parents.
 */
export function resolveControls({ widgets, picks }: ValueSources): ControlValues {
  const byParents = parentValues(widgets, picks);
  const filters = new Map<string, FilterValue>();
  const grains = new Map<string, string>();
  const fields = new Map<string, string>();
  for (const widget of widgets) {
    const { id, type, config } = widget;
    const fromParent = isLocked(widget) ? undefined : byParents.get(id);
    if (type === "FILTER") {
      const picked = isLocked(widget) ? undefined : picks.filters[id];
      const value = firstOf(
        picked,
        fromParent === undefined ? undefined : filterValue(fromParent),
        // The service adds the value of the viewer's attribute that `attribute` names.
        filterValue(config["attributeValue"]),
        filterValue(config["default"]),
      );
      if (value !== null) filters.set(id, value);
    } else if (type === "TIME_GRAIN") {
      const offered = grainsOf(widget);
      const isOffered = (grain: string | null) => grain === null || offered.includes(grain);
      const value = firstOf(
        isLocked(widget) ? undefined : picks.grains[id],
        fromParent === undefined ? undefined : textOf(fromParent) || null,
        textOf(config["default"]) || undefined,
      );
      if (value !== null && isOffered(value)) grains.set(id, value);
    } else if (type === "FIELD") {
      const offered = fieldsOf(widget);
      const value = firstOf(
        isLocked(widget) ? undefined : picks.fields[id],
        fromParent === undefined ? undefined : textOf(fromParent) || null,
        textOf(config["default"]) || undefined,
      );
      if (value !== null && offered.includes(value)) fields.set(id, value);
    }
  }
  return { filters, grains, fields };
}

/** Returns the first value that is there; null also for a control that was cleared. */
function firstOf<Value>(...values: readonly (Value | null | undefined)[]): Value | null {
  return values.find((value) => value !== undefined) ?? null;
}

/** Returns the number of the chosen option of a PARENT; -1 if there is none. */
export function chosenOption(widget: Widget, { parents }: Picks): number {
  const { [widget.id]: picked } = parents;
  if (picked !== undefined && !isLocked(widget)) return picked;
  const { default: initial } = widget.config;
  return typeof initial === "number" ? initial : -1;
}

/** Returns what the chosen options of parents set: by widget ID; null for a control that they clear. */
function parentValues(widgets: readonly Widget[], picks: Picks): ReadonlyMap<string, JsonValue> {
  const values = new Map<string, JsonValue>();
  for (const widget of widgets) {
    if (widget.type !== "PARENT") continue;
    const option = parentOptionsOf(widget)[chosenOption(widget, picks)];
    if (option === undefined) continue;
    for (const [child, value] of Object.entries(option.set)) values.set(child, value ?? null);
    for (const child of option.clear) values.set(child, null);
  }
  return values;
}

/** Returns the controls as queries take them. A FILTER without a value restricts nothing. */
export function controlsOf(widgets: readonly Widget[], values: ControlValues): Controls {
  const filters: ControlFilter[] = [];
  const timeGrains: { member: string; grain: string }[] = [];
  const memberSwitchers: { from: string; to: string }[] = [];
  for (const widget of widgets) {
    const member = memberOf(widget);
    const filter = values.filters.get(widget.id);
    if (filter !== undefined && !isEmpty(filter)) filters.push({ member, ...filter });
    const grain = values.grains.get(widget.id);
    if (grain !== undefined) timeGrains.push({ member, grain });
    const to = values.fields.get(widget.id);
    if (to !== undefined && to !== member) memberSwitchers.push({ from: member, to });
  }
  return { filters, timeGrains, memberSwitchers };
}

function isEmpty({ operator, value }: FilterValue): boolean {
  if (["set", "notSet"].includes(operator)) return false;
  if (!Array.isArray(value)) return value === null || value === "";
  return value.length === 0 || (isRange(operator) && value.every((end) => end === null));
}

/** Returns whether an operator takes the two ends of a range, of which one may be null. */
export function isRange(operator: string): boolean {
  return ["between", "notBetween", "inDateRange", "notInDateRange"].includes(operator);
}

/** Returns controls with the values that a page begins with, for each control of the dashboard that they do not set. */
export function withInitialValues(widgets: readonly Widget[], controls: Controls): Controls {
  const initial = controlsOf(widgets, resolveControls({ widgets, picks: noPicks }));
  const { filters, timeGrains, memberSwitchers } = controls;
  return {
    filters: [
      ...initial.filters.filter(({ member }) => !filters.some((one) => one.member === member)),
      ...filters,
    ],
    timeGrains: [
      ...initial.timeGrains.filter(
        ({ member }) => !timeGrains.some((one) => (one.member ?? member) === member),
      ),
      ...timeGrains,
    ],
    memberSwitchers: [
      ...initial.memberSwitchers.filter(
        ({ from }) => !memberSwitchers.some((one) => one.from === from),
      ),
      ...memberSwitchers,
    ],
  };
}

/** Adds the value of the viewer's attribute that a FILTER names, which is its first one. */
export function withAttributeValue<
  Control extends { readonly type: string; readonly config?: JsonObject | undefined },
>(widget: Control, attributes: JsonObject): Control {
  const { type, config = {} } = widget;
  const value = type === "FILTER" ? attributes[textOf(config["attribute"])] : undefined;
  return value === undefined ? widget : { ...widget, config: { ...config, attributeValue: value } };
}
