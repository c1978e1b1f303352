// Finds widgets that are outside the grid of a dashboard or of a container, or on each other, and containers of widgets that
// cannot be in them.
import type { JsonObject } from "../../core/json.ts";
import { gridColumns } from "./grid.ts";
import {
  arrangementOf,
  heldIn,
  isShown,
  nestingRule,
  readWidgets,
  unplaced,
  type Widget,
} from "./widgets.ts";

/** What is wrong at a place of a dashboard or of a configuration. */
export interface ConfigProblem {
  /** JSON Pointer into it. */
  readonly path: string;
  /** A predicate whose subject is the value. */
  readonly message: string;
  readonly remedy?: string | undefined;
}

/** A widget as it is declared, which may have members of wrong types. */
export interface DeclaredWidget {
  readonly id: string;
  /** JSON Pointer into the dashboard. */
  readonly path: string;
  readonly members: JsonObject;
}

/** A widget, and the JSON Pointer of it. */
interface Placed {
  readonly widget: Widget;
  readonly path: string;
}

/** Returns an error for each widget that is outside its grid, that covers an earlier one, or that holds one that it cannot hold. */
export function layoutProblems(widgets: readonly DeclaredWidget[]): readonly ConfigProblem[] {
  const tree = readWidgets(widgets.map(({ id, members }) => ({ ...members, id })));
  const paths = new Map(widgets.map(({ id, path }) => [id, path]));
  const containers = tree.widgets.filter(({ type }) => type === "CONTAINER");
  const grids = containers.filter(({ config }) => arrangementOf(config) === "grid");
  const unheld = containers.flatMap(({ id }) =>
    (tree.children.get(id) ?? [])
      .filter(({ type }) => type === unplaced)
      .map((held) => ({
        path: `${paths.get(id)}/config`,
        message: `of widget ${id} cannot hold widget ${held.id}`,
        remedy: nestingRule,
      })),
  );
  const errors = [tree.top.filter(isShown), ...grids.map((grid) => heldIn(grid, tree))].flatMap(
    (held) => gridErrors(held.map((widget) => ({ widget, path: paths.get(widget.id) ?? "" }))),
  );
  return [...errors, ...unheld];
}

function gridErrors(placed: readonly Placed[]): readonly ConfigProblem[] {
  const wide = placed.flatMap(({ widget: { id, position }, path }) => {
    const end = position.x + position.w;
    if (end <= gridColumns) return [];
    const message = `of widget ${id} ends at column ${end} of ${gridColumns}`;
    const remedy = `Choose x and w whose sum is at most ${gridColumns}.`;
    return [{ path: `${path}/position`, message, remedy }];
  });
  return [...wide, ...overlaps(placed)];
}

/** Returns the widgets that cover another, in the order of their tops: each is compared with those that reach below it. */
function overlaps(placed: readonly Placed[]): readonly ConfigProblem[] {
  let open: readonly Widget[] = [];
  return placed
    .toSorted((a, b) => a.widget.position.y - b.widget.position.y)
    .flatMap(({ widget, path }) => {
      const { x, y, w } = widget.position;
      open = open.filter(({ position: over }) => over.y + over.h > y);
      const under = open.find(({ position: over }) => over.x < x + w && x < over.x + over.w);
      open = [...open, widget];
      if (under === undefined) return [];
      const message = `of widget ${widget.id} covers widget ${under.id}`;
      return [{ path: `${path}/position`, message, remedy: "Move one of them." }];
    });
}
