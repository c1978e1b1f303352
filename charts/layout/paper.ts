// Places the widgets of a dashboard on paper, those in containers too: as a page does, but with all tabs. Pure.
import { type GridSpace, layoutOf, rowsOf, shownTabs, widthOf } from "./grid.ts";
import { arrangementOf, heldIn, type Place, type Widget, type WidgetTree } from "./widgets.ts";

/** A widget that is drawn, or the title of a tab above what is in it. */
export interface PaperPart {
  /** In columns and rows of the grid of the dashboard, also by parts of a column. */
  readonly place: Place;
  readonly content: { readonly widget: Widget } | { readonly tab: string };
  /** The containers around it, the outermost first. */
  readonly inside: readonly Widget[];
}

/** Returns what is drawn on a sheet of a width, in reading order. */
export function paperParts(
  tree: WidgetTree,
  width: number,
): { readonly parts: readonly PaperPart[]; readonly columns: number } {
  const space = { width, tree, isPaper: true };
  const { placed, columns } = layoutOf(tree.top, space);
  const parts = placed.flatMap(({ widget, place, own }) => {
    const around = { ...space, width: widthOf(place.w, { width, columns }) };
    return partsOf(widget, { place, own, space: around, inside: [] });
  });
  return { parts, columns };
}

/** Where a widget is drawn. */
interface Spot {
  readonly place: Place;
  /** The rows that the widget declares. */
  readonly own: number;
  /** The width and what containers hold. */
  readonly space: GridSpace;
  readonly inside: readonly Widget[];
}

function partsOf(widget: Widget, spot: Spot): readonly PaperPart[] {
  const { place, inside, space } = spot;
  if (widget.type !== "CONTAINER") return [{ place, content: { widget }, inside }];
  const around = { ...spot, inside: [...inside, widget] };
  const held = heldIn(widget, space.tree);
  switch (arrangementOf(widget.config)) {
    case "tabs":
      return partsOfTabs(shownTabs(widget, held), around);
    case "grid":
      return partsOfGrid(held, around);
    case "stack":
      return partsOfStack(held, around);
  }
}

function partsOfTabs(
  tabs: ReturnType<typeof shownTabs>,
  { place: { x, y, w }, own, space, inside }: Spot,
): readonly PaperPart[] {
  const panel = Math.max(1, own - 1);
  let next = y;
  return tabs.flatMap(({ title, widget }) => {
    const [top, h] = [next, rowsOf(widget, panel, space)];
    next += 1 + h;
    return [
      { place: { x, y: top, w, h: 1 }, content: { tab: title }, inside },
      ...partsOf(widget, { place: { x, y: top + 1, w, h }, own: panel, space, inside }),
    ];
  });
}

function partsOfGrid(
  held: readonly Widget[],
  { place: { x, y, w }, space, inside }: Spot,
): readonly PaperPart[] {
  const { placed, columns } = layoutOf(held, space);
  const unit = w / columns;
  return placed.flatMap(({ widget, place, own }) => {
    const at = { x: x + place.x * unit, y: y + place.y, w: place.w * unit, h: place.h };
    const width = widthOf(place.w, { width: space.width, columns });
    return partsOf(widget, { place: at, own, space: { ...space, width }, inside });
  });
}

function partsOfStack(
  held: readonly Widget[],
  { place: { x, y, w, h }, own, space, inside }: Spot,
): readonly PaperPart[] {
  const each = w / held.length;
  const width = widthOf(1, { width: space.width, columns: held.length });
  return held.flatMap((widget, index) => {
    const at = { x: x + index * each, y, w: each, h };
    return partsOf(widget, { place: at, own, space: { ...space, width }, inside });
  });
}
