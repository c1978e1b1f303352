// The controls of a dashboard: where their values come from, how the address keeps them, and what they change. Pure.
import type { ControlFilter, Controls } from "../../../charts/config/controls.ts";
import {
  type FilterValue,
  filterValue,
  parentOptionsOf,
} from "../../../charts/config/parent-options.ts";
import { type JsonValue, parseObject } from "../../../core/json.ts";
import { listOf, textOf, type Widget } from "./widgets.ts";

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

/** Returns the member that a control sets. */
export function memberOf({ config }: Widget): string {
  return textOf(config["member"]) || textOf(config["dimension"]);
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

/** Reads the picks of an address. Parameters for which the dashboard has no control, and values that it does not offer, are ignored. */
export function picksOfAddress(parameters: URLSearchParams, widgets: readonly Widget[]): Picks {
  const filters: Record<string, FilterValue | null> = {};
  const grains: Record<string, string | null> = {};
  const fields: Record<string, string> = {};
  const tabs: Record<string, string> = {};
  const parents: Record<string, number> = {};
  for (const widget of widgets) {
    const { id, type } = widget;
    const member = memberOf(widget);
    if (type === "FILTER") {
      const text = parameters.get(`f_${member}`);
      const value = text === null ? undefined : filterOfText(text);
      if (value !== undefined && !isLocked(widget)) filters[id] = value;
    } else if (type === "TIME_GRAIN") {
      const grain = parameters.get(`tg_${member}`);
      if (grain === "null") grains[id] = null;
      else if (grain !== null && grainsOf(widget).includes(grain)) grains[id] = grain;
    } else if (type === "FIELD") {
      const to = parameters.get(`ms_${member}`);
      if (to !== null && fieldsOf(widget).includes(to)) fields[id] = to;
    } else if (type === "CONTAINER") {
      const tab = parameters.get(`tab_${id}`);
      if (tab !== null) tabs[id] = tab;
    } else if (type === "PARENT") {
      const option = parameters.get(`p_${id}`);
      if (option !== null && parentOptionsOf(widget)[Number(option)]) parents[id] = Number(option);
    }
  }
  return { filters, grains, fields, tabs, parents };
}

/** The parameters of controls: their prefixes, the types, and what follows the prefix. */
const controlParameters: Readonly<
  Record<string, readonly [type: string, key: (widget: Widget) => string]>
> = {
  f: ["FILTER", memberOf],
  tg: ["TIME_GRAIN", memberOf],
  ms: ["FIELD", memberOf],
  p: ["PARENT", ({ id }) => id],
  tab: ["CONTAINER", ({ id }) => id],
};

/** Returns why a parameter sets no control; undefined if it sets one, or is another parameter. */
export function ignoredControl(
  name: string,
  text: string,
  widgets: readonly Widget[],
): string | undefined {
  const [, prefix = "", subject = ""] = /^([a-z]+)_(.*)$/u.exec(name) ?? [];
  const [type, keyOf] = controlParameters[prefix] ?? [];
  if (type === undefined || keyOf === undefined) return undefined;
  const named = widgets.filter((widget) => widget.type === type && keyOf(widget) === subject);
  if (named.length === 0)
    return `${name} sets nothing: no ${type} of the dashboard is for ${subject}`;
  const free = named.filter((widget) => !isLocked(widget));
  if (free.length === 0) return `${name} sets nothing: the ${type} for ${subject} is disabled`;
  const picks = picksOfAddress(new URLSearchParams([[name, text]]), free);
  const isTaken = Object.values(picks).some((group: object) => Object.keys(group).length > 0);
  return isTaken
    ? undefined
    : `${name} sets nothing: the ${type} does not take ${text.slice(0, 100)}`;
}

/** Reads `{"value": …, "operator": …}`, or null for a control that was cleared; undefined for any other text. */
function filterOfText(text: string): FilterValue | null | undefined {
  if (text === "null") return null;
  const value = parseObject(text);
  return Object.keys(value).length === 0 ? undefined : (filterValue(value) ?? undefined);
}

/** Returns an address with picks in place of those that it has. Other parameters stay. */
export function addressWithPicks(
  parameters: URLSearchParams,
  widgets: readonly Widget[],
  picks: Picks,
): URLSearchParams {
  const next = new URLSearchParams(parameters);
  const write = (name: string, value: string | undefined): void => {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  };
  for (const widget of widgets) {
    const { id, type } = widget;
    const member = memberOf(widget);
    if (type === "FILTER") {
      const value = picks.filters[id];
      write(`f_${member}`, value === undefined ? undefined : JSON.stringify(value));
    } else if (type === "TIME_GRAIN") {
      const grain = picks.grains[id];
      write(`tg_${member}`, grain === null ? "null" : grain);
    } else if (type === "FIELD") write(`ms_${member}`, picks.fields[id]);
    else if (type === "CONTAINER") write(`tab_${id}`, picks.tabs[id]);
    else if (type === "PARENT") write(`p_${id}`, picks.parents[id]?.toString());
  }
  return next;
}

/** Returns the picks after the choice of a PARENT: controls that it resets or sets lose their own picks. */
export function withParent(picks: Picks, widget: Widget, option: number): Picks {
  const { set, clear, reset } = parentOptionsOf(widget)[option] ?? {
    set: {},
    clear: [],
    reset: [],
  };
  const touched = new Set([...Object.keys(set), ...clear, ...reset]);
  const without = <Value>(values: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(values).filter(([id]) => !touched.has(id)));
  return {
    ...picks,
    filters: without(picks.filters),
    grains: without(picks.grains),
    fields: without(picks.fields),
    parents: { ...picks.parents, [widget.id]: option },
  };
}
