// Finds widgets that are outside the grid of a dashboard, or on each other.
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { OfflineError } from "../core/kind/server-checks.ts";

const columns = 12;

/** A widget as it is declared, which may have members of wrong types. */
export interface DeclaredWidget {
  readonly id: string;
  /** JSON Pointer into the spec. */
  readonly path: string;
  readonly members: JsonObject;
}

interface Placed {
  readonly id: string;
  readonly path: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** Returns an error for each widget that is outside the grid, and for each that covers an earlier one. */
export function layoutErrors(widgets: readonly DeclaredWidget[]): readonly OfflineError[] {
  const inside = new Set(
    widgets.flatMap(({ members: { type, config } }) =>
      type === "CONTAINER" ? heldBy(config) : [],
    ),
  );
  const placed = widgets.flatMap((widget) => {
    const place = placeOf(widget);
    const isShown = place !== undefined && place.w > 0 && place.h > 0 && !inside.has(widget.id);
    return isShown ? [place] : [];
  });
  const wide = placed
    .filter(({ x, w }) => x + w > columns)
    .map(({ id, path, x, w }) => ({
      path,
      message: `of widget ${id} ends at column ${x + w} of ${columns}`,
      remedy: `Choose x and w whose sum is at most ${columns}.`,
    }));
  return [...wide, ...overlaps(placed)];
}

/** Returns the place of a widget; undefined if it has none of numbers. */
function placeOf({ id, path, members: { position } }: DeclaredWidget): Placed | undefined {
  const { x, y, w, h }: JsonObject = isObject(position) ? position : {};
  if (typeof x !== "number" || typeof y !== "number") return undefined;
  if (typeof w !== "number" || typeof h !== "number") return undefined;
  return { id, path: `${path}/position`, x, y, w, h };
}

/** Returns the widgets that cover another, in the order of their tops: each is compared with those that reach below it. */
function overlaps(placed: readonly Placed[]): readonly OfflineError[] {
  let open: readonly Placed[] = [];
  return placed
    .toSorted((a, b) => a.y - b.y)
    .flatMap((widget) => {
      open = open.filter(({ y, h }) => y + h > widget.y);
      const under = open.find(({ x, w }) => x < widget.x + widget.w && widget.x < x + w);
      open = [...open, widget];
      if (under === undefined) return [];
      const message = `of widget ${widget.id} covers widget ${under.id}`;
      return [{ path: widget.path, message, remedy: "Move one of them." }];
    });
}

/** Returns the IDs of the widgets in a container. */
function heldBy(config: JsonValue | undefined): readonly string[] {
  if (!isObject(config)) return [];
  const { widgets, tabs } = config;
  const inTabs = Array.isArray(tabs) ? tabs.map((tab) => (isObject(tab) ? tab["widget"] : "")) : [];
  return [...(Array.isArray(widgets) ? widgets : []), ...inTabs].map(String);
}
