// Finds widgets that are outside the grid of a dashboard, or on each other.
import type { ValueError } from "../core/kind/server-checks.ts";
import { isObject } from "../core/json.ts";
import type { DashboardSpec } from "./dashboard-widgets.ts";

const columns = 12;

interface Placed {
  readonly id: string;
  readonly path: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** Returns a warning for each widget that the grid cuts off, and for each that covers an earlier one. */
export function layoutWarnings(
  widgets: NonNullable<NonNullable<DashboardSpec["dashboard"]>["widgets"]>,
): readonly ValueError[] {
  const inside = new Set(
    widgets.flatMap(({ type, config }) => (type === "CONTAINER" ? heldBy(config) : [])),
  );
  const placed = widgets.flatMap(({ id, position }, index): Placed[] => {
    const isShown = position.w > 0 && position.h > 0 && !inside.has(id);
    return isShown ? [{ id, path: `/dashboard/widgets/${index}/position`, ...position }] : [];
  });
  const wide = placed
    .filter(({ x, w }) => x + w > columns)
    .map(({ id, path, x, w }) => ({
      path,
      message: `widget ${id} ends at column ${x + w} of ${columns}, so all columns become narrower`,
      remedy: `Choose x and w whose sum is at most ${columns}.`,
    }));
  return [...wide, ...overlaps(placed)];
}

/** Returns the widgets that cover another, in the order of their tops: each is compared with those that reach below it. */
function overlaps(placed: readonly Placed[]): readonly ValueError[] {
  let open: readonly Placed[] = [];
  return placed
    .toSorted((a, b) => a.y - b.y)
    .flatMap((widget) => {
      open = open.filter(({ y, h }) => y + h > widget.y);
      const under = open.find(({ x, w }) => x < widget.x + widget.w && widget.x < x + w);
      open = [...open, widget];
      if (under === undefined) return [];
      const message = `widget ${widget.id} covers widget ${under.id}`;
      return [{ path: widget.path, message, remedy: "Move one of them." }];
    });
}

/** Returns the IDs of the widgets in a container. */
function heldBy(config: unknown): readonly string[] {
  if (!isObject(config)) return [];
  const { widgets, tabs } = config;
  const inTabs = Array.isArray(tabs) ? tabs.map((tab) => (isObject(tab) ? tab["widget"] : "")) : [];
  return [...(Array.isArray(widgets) ? widgets : []), ...inTabs].map(String);
}
