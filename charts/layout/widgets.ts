// The widgets of a dashboard, and which of them are in which container. Pages, files and lint read them here. Pure.
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";

/** A place on the grid, in columns and rows. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** A widget of a dashboard. */
export interface Widget extends JsonObject {
  readonly id: string;
  readonly type: string;
  readonly position: Place & JsonObject;
  readonly config: JsonObject;
  readonly style: JsonObject;
  readonly responsiveLayouts: JsonObject;
}

/** Which widgets are where. */
export interface WidgetTree {
  readonly widgets: readonly Widget[];
  /** The widgets inside containers, by the container's ID. */
  readonly children: ReadonlyMap<string, readonly Widget[]>;
  /** The widgets that are in no container. */
  readonly top: readonly Widget[];
}

/** In how many containers another one can be. */
const deepestContainer = 4;

/** Which containers are shown, for whoever writes them. */
export const nestingRule = `Containers are nested at most ${deepestContainer} deep, and never in themselves.`;

/** The type of what stands in place of a widget that a container cannot hold. No dashboard declares it. */
export const unplaced = "UNPLACED";

/**
 * Reads the list of widgets of a dashboard. Each is in one place: the first container that names it. In place of a
 * container that would hold itself, or that is too deep, is a widget of the type {@link unplaced}.
 */
export function readWidgets(list: JsonValue | undefined): WidgetTree {
  const widgets = listOf(list).flatMap((one) => (isObject(one) ? readWidget(one) : []));
  const byId = new Map(widgets.map((widget) => [widget.id, widget]));
  const children = new Map<string, readonly Widget[]>();
  const holders = new Map<string, string>();
  for (const { id, type, config } of widgets) {
    if (type !== "CONTAINER") continue;
    const held = heldIds(config).flatMap((child) => {
      const widget = byId.get(child);
      if (widget === undefined) return [];
      if (child === id || containersAround(id, holders).includes(child)) {
        return [{ ...widget, type: unplaced }];
      }
      if (holders.has(child)) return [];
      holders.set(child, id);
      return [widget];
    });
    children.set(id, held);
  }
  const isTooDeep = ({ type, id }: Widget): boolean =>
    type === "CONTAINER" && containersAround(id, holders).length >= deepestContainer;
  for (const [id, held] of children) {
    children.set(
      id,
      held.map((widget) => (isTooDeep(widget) ? { ...widget, type: unplaced } : widget)),
    );
  }
  return { widgets, children, top: widgets.filter(({ id }) => !holders.has(id)) };
}

/** Returns the containers around a widget, the innermost first. */
function containersAround(id: string, holders: ReadonlyMap<string, string>): readonly string[] {
  const around: string[] = [];
  for (let at = holders.get(id); at !== undefined; at = holders.get(at)) around.push(at);
  return around;
}

function readWidget(widget: JsonObject): readonly Widget[] {
  const { x, y, w, h } = objectOf(widget["position"]);
  const position = { x: Number(x), y: Number(y), w: Number(w), h: Number(h) };
  if (Object.values(position).some((side) => !Number.isFinite(side))) return [];
  return [
    {
      id: textOf(widget["id"]),
      type: textOf(widget["type"]),
      position,
      config: objectOf(widget["config"]),
      style: objectOf(widget["style"]),
      responsiveLayouts: objectOf(widget["responsiveLayouts"]),
    },
  ];
}

/** Returns the IDs of the widgets in a container: of its tabs, otherwise of its list. */
export function heldIds(config: JsonObject): readonly string[] {
  const tabs = tabsOf(config).map(({ widget }) => widget);
  if (tabs.length > 0) return tabs;
  return listOf(config["widgets"])
    .map((one) => textOf(one))
    .filter((id) => id !== "");
}

/** A tab of a container. */
export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly widget: string;
}

/** Returns the tabs of a container; none for a stack or a grid. */
export function tabsOf(config: JsonObject): readonly Tab[] {
  return listOf(config["tabs"]).flatMap((one) => {
    if (!isObject(one)) return [];
    const widget = textOf(one["widget"]);
    const id = textOf(one["id"]) || widget;
    return widget === "" ? [] : [{ id, title: textOf(one["title"]) || id, widget }];
  });
}

/** Returns how a container places its widgets: side by side (stack), on a grid of its own, or in tabs. */
export function arrangementOf(config: JsonObject): "stack" | "grid" | "tabs" {
  if (tabsOf(config).length > 0) return "tabs";
  return config["layout"] === "grid" ? "grid" : "stack";
}

/** Returns whether a widget takes space. */
export function isShown({ position: { w, h } }: Widget): boolean {
  return w > 0 && h > 0;
}

/** Returns the widgets in a container that take space. */
export function heldIn(
  { id }: Widget,
  { children }: Pick<WidgetTree, "children">,
): readonly Widget[] {
  return (children.get(id) ?? []).filter(isShown);
}

/** Returns a list, or an empty one. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** Returns an object, or an empty one. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns a text, or an empty one. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
