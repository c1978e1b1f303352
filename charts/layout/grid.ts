// Places widgets on the grid of 12 columns before their data is known, so that nothing moves once it is drawn. Pure.
import { chartTypeOf, controlTypes, widgetText } from "../../core/spec/chart-config.ts";
import { heightOfText } from "./text-rows.ts";
import {
  arrangementOf,
  heldIn,
  type Place,
  tabsOf,
  type Widget,
  type WidgetTree,
} from "./widgets.ts";

/** Below this width of the content, widgets take the whole width in reading order. */
const narrowWidth = 720;
/** Columns of a grid whose widgets need no more. */
export const gridColumns = 12;
/** The space between widgets. A cell of the grid has it at its right and its bottom. */
export const gridGap = 16;
/** The height of a row of the grid, with the space below it. */
export const gridRow = 48;
/** Columns of a narrow page: controls take half of the width, other widgets all of it. */
const narrowColumns = 2;
/** Rows of a chart on a narrow page, whatever its height on a wide one. */
const narrowRows = { least: 5, most: 9 };
/** Rows of a large number on a narrow page, at most. */
const narrowNumber = 4;

/** A widget and its place in the grid that is drawn. */
export interface PlacedWidget {
  readonly widget: Widget;
  readonly place: Place;
  /** The rows that it declares. */
  readonly own: number;
}

/** A layout of a grid, whose columns share any width, also that of paper. */
export interface Layout {
  readonly placed: readonly PlacedWidget[];
  readonly columns: number;
}

/** Where a grid is drawn. */
export interface GridSpace {
  readonly width: number;
  readonly tree: Pick<WidgetTree, "children">;
  /** Paper has the tabs of a container one after the other; a page has one of them. */
  readonly isPaper?: boolean;
}

/** Returns the places of widgets, in reading order. A container is as high as what it holds, if its own place is lower. */
export function layoutOf(widgets: readonly Widget[], space: GridSpace): Layout {
  const isNarrow = space.width < narrowWidth;
  const shown = widgets
    .map((widget) => ({ widget, place: placeOf(widget, isNarrow) }))
    .filter(({ place }) => place.w > 0 && place.h > 0)
    .toSorted((a, b) => a.place.y - b.place.y || a.place.x - b.place.x);
  const columns = isNarrow
    ? narrowColumns
    : shown.reduce((last, { place }) => Math.max(last, place.x + place.w), gridColumns);
  const sized = shown.map(({ widget, place }) => {
    const w = isNarrow ? narrowColumns : place.w;
    const width = widthOf(w, { width: space.width, columns });
    const h = isNarrow ? narrowHeight(widget, place.h, width) : place.h;
    return { widget, place, own: h, rows: rowsOf(widget, h, { ...space, width }) };
  });
  return { placed: isNarrow ? stacked(sized) : onGrid(sized), columns };
}

/** Returns the width of some columns of a grid, without the space beside them. */
export function widthOf(
  columns: number,
  grid: { readonly width: number; readonly columns: number },
): number {
  return (columns * (grid.width + gridGap)) / grid.columns - gridGap;
}

/** Returns the rows that a widget takes, of which its place has `own`. */
export function rowsOf(widget: Widget, own: number, space: GridSpace): number {
  if (widget.type !== "CONTAINER") return own;
  const held = heldIn(widget, space.tree);
  switch (arrangementOf(widget.config)) {
    case "tabs": {
      const rows = shownTabs(widget, held).map(
        ({ widget: one }) => 1 + rowsOf(one, Math.max(1, own - 1), space),
      );
      return space.isPaper === true
        ? rows.reduce((sum, one) => sum + one, 0)
        : Math.max(own, ...rows);
    }
    case "grid":
      return Math.max(own, rowsOfLayout(layoutOf(held, space)));
    case "stack": {
      const width = widthOf(1, { width: space.width, columns: Math.max(1, held.length) });
      return Math.max(own, ...held.map((one) => rowsOf(one, own, { ...space, width })));
    }
  }
}

/** Returns the tabs of a container, each with its title and its widget. */
export function shownTabs(
  { config }: Widget,
  held: readonly Widget[],
): readonly { readonly id: string; readonly title: string; readonly widget: Widget }[] {
  return tabsOf(config).flatMap(({ id, title, widget: name }) => {
    const widget = held.find((one) => one.id === name);
    return widget === undefined ? [] : [{ id, title, widget }];
  });
}

function rowsOfLayout({ placed }: Layout): number {
  return placed.reduce((most, { place: { y, h } }) => Math.max(most, y + h), 0);
}

/** Returns the place of a widget: that of the width if it has one, otherwise its own. */
function placeOf({ position, responsiveLayouts }: Widget, isNarrow: boolean): Place {
  const own = responsiveLayouts[isNarrow ? "sm" : "lg"];
  if (typeof own !== "object" || own === null || Array.isArray(own)) return position;
  const { x, y, w, h } = { ...position, ...(own as Partial<Place>) };
  return [x, y, w, h].every((side) => Number.isInteger(side) && side >= 0)
    ? { x, y, w, h }
    : position;
}

function narrowHeight({ type, config }: Widget, rows: number, width: number): number {
  if (type === "TEXT" || type === "AI") {
    const height = heightOfText(widgetText(config) ?? "", width);
    if (height === undefined) return rows;
    const needed = Math.max(1, Math.ceil((height + gridGap) / gridRow));
    return Math.min(needed, Math.max(rows, narrowRows.most));
  }
  if (type !== "CHART") return rows;
  if (chartTypeOf(config) === "number") return Math.min(narrowNumber, rows);
  return Math.min(narrowRows.most, Math.max(narrowRows.least, rows));
}

/** A widget with its declared place, and the rows that it takes. */
interface SizedWidget extends PlacedWidget {
  readonly rows: number;
}

/** Puts widgets below each other, and controls that follow each other in pairs. */
function stacked(sized: readonly SizedWidget[]): readonly PlacedWidget[] {
  const placed: PlacedWidget[] = [];
  let next = 0;
  for (let at = 0; at < sized.length;) {
    const pair = sized.slice(at, at + narrowColumns);
    const isPair = pair.length === narrowColumns && pair.every(({ widget }) => isControl(widget));
    const row = isPair ? pair : pair.slice(0, 1);
    const w = narrowColumns / row.length;
    for (const [x, { widget, own, rows: h }] of row.entries())
      placed.push({ widget, own, place: { x, y: next, w, h } });
    next += Math.max(...row.map(({ rows }) => rows));
    at += row.length;
  }
  return placed;
}

function isControl({ type }: Widget): boolean {
  return controlTypes.has(type) || type === "PARENT";
}

/** Moves widgets up where rows are empty, and down below containers that take more rows than their places have. */
function onGrid(sized: readonly SizedWidget[]): readonly PlacedWidget[] {
  const rowOf = usedRows(sized);
  const tight = sized.map((one) => ({ ...one, top: rowOf(one.place.y) }));
  const moves: { readonly from: number; readonly by: number }[] = [];
  const moved = (row: number): number =>
    row + moves.reduce((most, { from, by }) => (from <= row ? Math.max(most, by) : most), 0);
  for (const { top, own, rows } of tight.toSorted((a, b) => a.top + a.own - b.top - b.own)) {
    const from = top + own;
    if (rows > own) moves.push({ from, by: moved(top) + rows - from });
  }
  return tight.map(({ widget, own, place: { x, w }, top, rows: h }) => ({
    widget,
    own,
    place: { x, y: moved(top), w, h },
  }));
}

/** Returns where a row of the grid is drawn: rows without a widget take no space. */
function usedRows(shown: readonly Pick<PlacedWidget, "place">[]): (row: number) => number {
  const used: { readonly start: number; end: number; readonly from: number }[] = [];
  for (const { place } of shown.toSorted((a, b) => a.place.y - b.place.y)) {
    const last = used.at(-1);
    if (last && place.y <= last.end) last.end = Math.max(last.end, place.y + place.h);
    else {
      const from = last ? last.from + last.end - last.start : 0;
      used.push({ start: place.y, end: place.y + place.h, from });
    }
  }
  return (row) => {
    const range = used.find(({ start, end }) => row >= start && row <= end);
    return range === undefined ? row : range.from + row - range.start;
  };
}
