// How the address of a page keeps what viewers picked in controls. Pure.
import {
  fieldsOf,
  grainsOf,
  isLocked,
  memberOf,
  type Picks,
} from "../../../charts/config/control-values.ts";
import {
  type FilterValue,
  filterValue,
  parentOptionsOf,
} from "../../../charts/config/parent-options.ts";
import { parseObject } from "../../../core/json.ts";
import type { Widget } from "./widgets.ts";

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
  return Object.keys(value).length === 0 ? undefined : filterValue(value);
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
